//! Coordinates in other systems, from the native intake to the map: they lie where PROJ puts
//! what was sent, to a centimetre, in a `GeoPackage` and in PostGIS, in degrees and in metres.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_tests::consumer::Consumer;
use hexlane_tests::deployment::{Deployment, Map, Queue};
use hexlane_tests::http::Request;
use hexlane_tests::postgis::Postgis;
use hexlane_tests::settings;
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::time::Duration;
use toml::{Table, Value};

const EVENTS: &str = "/v1/events/surveys";
const DRAIN_LIMIT: Duration = Duration::from_mins(1);
/// The bar of the list of systems, against PROJ.
const METRES_APART_MAX: f64 = 0.01;

/// EPSG codes, each with a place in its area of use: projections of every common kind, some
/// on datums of their own.
const SYSTEMS: [(u32, [f64; 2]); 10] = [
    (25832, [691_000.0, 5_334_000.0]),
    (32633, [500_000.0, 4_649_000.0]),
    (3857, [1_490_000.0, 6_894_000.0]),
    (2154, [652_000.0, 6_862_000.0]),
    (3035, [4_321_000.0, 3_210_000.0]),
    (2180, [500_000.0, 450_000.0]),
    (28992, [155_000.0, 463_000.0]),
    (2056, [2_600_000.0, 1_200_000.0]),
    (3413, [-1_000_000.0, -1_500_000.0]),
    (4258, [11.5, 48.1]),
];

/// A point with a height, a line, a polygon with a hole, a collection; `step` is their size.
fn geometries([x, y]: [f64; 2], step: f64) -> Vec<String> {
    let at = |east: f64, north: f64| format!("[{},{}]", x + east * step, y + north * step);
    let ring = |corners: [[f64; 2]; 5]| {
        let corners: Vec<String> = corners.iter().map(|[x, y]| at(*x, *y)).collect();
        format!("[{}]", corners.join(","))
    };
    let shell = ring([[0.0, 0.0], [9.0, 0.0], [9.0, 7.5], [0.0, 7.5], [0.0, 0.0]]);
    let hole = ring([[1.0, 1.0], [1.0, 2.0], [2.5, 2.0], [2.5, 1.0], [1.0, 1.0]]);
    let point = format!(r#"{{"type":"Point","coordinates":[{x},{y},12.5]}}"#);
    let line = format!(
        r#"{{"type":"LineString","coordinates":[{},{},{}]}}"#,
        at(0.1, 0.2),
        at(3.3, 4.4),
        at(-7.7, 1.0)
    );
    let polygon = format!(r#"{{"type":"Polygon","coordinates":[{shell},{hole}]}}"#);
    let both = format!(r#"{{"type":"GeometryCollection","geometries":[{line},{polygon}]}}"#);
    vec![point, line, polygon, both]
}

/// What is sent in one system: a collection that declares it, and each feature's name and
/// geometry.
fn collection(epsg: u32, place: [f64; 2]) -> (String, Vec<(String, String)>) {
    let step = if place[0].abs() < 180.0 { 1e-4 } else { 10.0 };
    let named = (0..).zip(geometries(place, step));
    let named: Vec<(String, String)> = named
        .map(|(number, geometry): (u32, _)| (format!("{epsg}-{number}"), geometry))
        .collect();
    let feature = |(id, geometry): &(String, String)| {
        format!(r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{geometry}}}"#)
    };
    let features: Vec<String> = named.iter().map(feature).collect();
    let body = format!(
        r#"{{"type":"FeatureCollection","crs":{{"type":"name","properties":{{"name":"urn:ogc:def:crs:EPSG::{epsg}"}}}},"features":[{}]}}"#,
        features.join(",")
    );
    (body, named)
}

/// The door of the tests with the source of this test.
fn door(canonical: &str) -> Table {
    let source = format!(
        "auth = \"none\"\ncrs = \"reproject\"\ncrs_accuracy_mm_max = 10\ncanonical_crs = \"{canonical}\""
    );
    let source: Table = source.parse().expect("a source");
    let mut door = settings::door();
    let sources = door.get_mut("sources").and_then(Value::as_table_mut);
    sources
        .expect("sources")
        .insert("surveys".to_owned(), source.into());
    door
}

/// Sends everything; a table `sent` has it as it was sent.
fn send_all(consumer: &Consumer, postgis: &Postgis) -> u64 {
    let mut sent = String::from("CREATE TABLE sent (entity text, geom geometry);");
    let mut events = 0;
    for (epsg, place) in SYSTEMS {
        let (body, features) = collection(epsg, place);
        let answer = consumer.send(&Request::post(EVENTS, body));
        assert_eq!(answer.status, 202, "{epsg}: {}", answer.text());
        for (id, geometry) in features {
            let _ = write!(
                sent,
                "INSERT INTO sent VALUES ('{id}', ST_SetSRID(ST_GeomFromGeoJSON('{geometry}'), {epsg}));"
            );
            events += 1;
        }
    }
    postgis.sql("map", &sent);
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], events, "{status}");
    events
}

/// How many vertices of what stands in `ours` are where PROJ puts those that were sent, and how
/// many are elsewhere or of another height.
fn compared(postgis: &Postgis, ours: &str) -> [u64; 2] {
    let pairs = format!(
        "WITH here AS (SELECT entity, (d).path, (d).geom FROM \
           (SELECT entity, ST_DumpPoints(ST_Transform(geom, 4326)) AS d FROM {ours}) o), \
         there AS (SELECT entity, (d).path, (d).geom FROM \
           (SELECT entity, ST_DumpPoints(ST_Transform(geom, 4326)) AS d FROM sent) s), \
         pairs AS (SELECT ST_DistanceSphere(here.geom, there.geom) <= {METRES_APART_MAX} \
           AND coalesce(ST_Z(here.geom), 0) = coalesce(ST_Z(there.geom), 0) AS near \
           FROM here FULL JOIN there USING (entity, path))"
    );
    ["near", "near IS NOT TRUE"]
        .map(|which| postgis.number(&format!("{pairs} SELECT count(*) FROM pairs WHERE {which}")))
}

fn proves(map: Map, crs: &str) {
    let queue = match map {
        Map::Embedded => Queue::Embedded,
        Map::Postgis => Queue::Redis,
    };
    let more: Table = format!("[postgis]\ncrs = \"{crs}\"")
        .parse()
        .expect("settings");
    let mut deployment = Deployment::start_with(queue, map, door(crs), &more);
    let events = send_all(&deployment.consumer, &deployment.postgis);
    let ours = match map {
        Map::Postgis => "hexlane.features",
        Map::Embedded => {
            deployment.consumer.stop();
            let file = deployment.consumer.geopackage();
            deployment.postgis.import(&file, Some("features"), "ours");
            "ours"
        }
    };
    let rows = deployment
        .postgis
        .number(&format!("SELECT count(*) FROM {ours}"));
    assert_eq!(rows, events);
    let vertices = deployment
        .postgis
        .number("SELECT sum(ST_NPoints(geom)) FROM sent");
    let [near, far] = compared(&deployment.postgis, ours);
    assert_eq!([near, far], [vertices, 0]);
    eprintln!(
        "{map:?}, {crs}: {events} events of {} systems, each of {vertices} vertices within {METRES_APART_MAX} m of PROJ's",
        SYSTEMS.len()
    );
}

#[test]
fn what_is_reprojected_lies_in_a_geopackage_where_proj_puts_it() {
    proves(Map::Embedded, "EPSG:4326");
}

#[test]
fn what_is_reprojected_lies_in_postgis_where_proj_puts_it() {
    proves(Map::Postgis, "EPSG:4326");
}

#[test]
fn what_is_reprojected_lies_in_postgis_in_metres_where_proj_puts_it() {
    proves(Map::Postgis, "EPSG:3857");
}

#[test]
fn what_has_no_place_on_the_map_or_is_too_inexact_is_refused_at_the_door() {
    let consumer = Consumer::start_with(&door("EPSG:3857"));
    let point = |crs: &str, place: &str| {
        let body = format!(
            r#"{{"type":"Feature","id":"p","coordRefSys":"{crs}","properties":{{}},"geometry":{{"type":"Point","coordinates":{place}}}}}"#
        );
        consumer.send(&Request::post(EVENTS, body))
    };
    for (crs, place, code, pointer) in [
        (
            "EPSG:3413",
            "[1000,1000]",
            "crs.beyond_mercator",
            "/geometry/coordinates",
        ),
        (
            "OGC:CRS84",
            "[10,-89]",
            "crs.beyond_mercator",
            "/geometry/coordinates",
        ),
        (
            "EPSG:5514",
            "[-744000,-1043000]",
            "crs.accuracy",
            "/coordRefSys",
        ),
        ("EPSG:4267", "[-100,40]", "crs.needs_grid", "/coordRefSys"),
        ("EPSG:999999", "[1,2]", "crs.unsupported", "/coordRefSys"),
    ] {
        let answer = point(crs, place);
        assert_eq!(answer.status, 422, "{crs}: {}", answer.text());
        let told: Json = answer.json();
        assert_eq!(
            (&told["code"], &told["errors"][0]["pointer"]),
            (&code.into(), &pointer.into()),
            "{told}"
        );
    }
    // The northing first: a warning beside the acceptance, once.
    let answer = point("EPSG:2180", "[500000,450000]");
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert!(
        answer.text().contains("crs.northing_first"),
        "{}",
        answer.text()
    );
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], 1, "{status}");
}
