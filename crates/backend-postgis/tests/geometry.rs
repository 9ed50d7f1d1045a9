//! What lands is what was sent: every type in 2D and 3D, in both CRS, told by PostGIS's own
//! reader of GeoJSON; and what has no place in a CRS is refused.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::{Sample, point_wkb};
use hexlane_backend::{Code, DeadLetters, GeometryError, Sink, StoreError};
use hexlane_backend_postgis::{MapCrs, PostgisMap, Settings};
use hexlane_core::effect::Effect;
use support::server::Server;
use support::{lease, settings};

const GEOMETRIES: [&str; 16] = [
    r#"{"type":"Point","coordinates":[8.541,47.3769]}"#,
    r#"{"type":"Point","coordinates":[-179.9999999999,-84.5,1e-7]}"#,
    r#"{"type":"MultiPoint","coordinates":[[0.1,0.2],[180,85]]}"#,
    r#"{"type":"MultiPoint","coordinates":[[0.1,0.2,3],[180,-85,4]]}"#,
    r#"{"type":"LineString","coordinates":[[0,0],[1,1.5],[2,0]]}"#,
    r#"{"type":"LineString","coordinates":[[0,0,1],[1,1.5,2],[2,0,3]]}"#,
    r#"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[2,2],[3,4]]]}"#,
    r#"{"type":"MultiLineString","coordinates":[[[0,0,9],[1,1,9]],[[2,2,9],[3,4,9]]]}"#,
    r#"{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[1,1],[1,2],[2,2],[1,1]]]}"#,
    r#"{"type":"Polygon","coordinates":[[[0,0,5],[9,0,5],[9,9,5],[0,9,5],[0,0,5]]]}"#,
    r#"{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[5,5],[6,5],[6,6],[5,5]]]]}"#,
    r#"{"type":"MultiPolygon","coordinates":[[[[0,0,1],[1,0,1],[1,1,1],[0,0,1]]],[[[5,5,1],[6,5,1],[6,6,1],[5,5,1]]]]}"#,
    r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]},{"type":"LineString","coordinates":[[0,0],[1,1]]},{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}]}"#,
    r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2,3]},{"type":"LineString","coordinates":[[0,0,3],[1,1,3]]}]}"#,
    r#"{"type":"GeometryCollection","geometries":[{"type":"MultiPoint","coordinates":[[1,2],[3,4]]}]}"#,
    "null",
];

/// The effect of a feature with that geometry, as the consumer reads it.
fn effect(number: usize, geometry: &str) -> Effect {
    let feature = format!(
        r#"{{"type":"Feature","properties":{{"n":1.50,"zero":"\u0000"}},"geometry":{geometry}}}"#
    );
    let name = format!("g-{number}");
    let sample = Sample::new(&name).about(&name, 1);
    Effect::decode(sample.payload(feature.as_bytes()).envelope()).unwrap()
}

async fn land(server: &Server, crs: MapCrs) -> PostgisMap {
    let settings = Settings {
        crs,
        ..settings(server)
    };
    let map = PostgisMap::connect(&settings).await.unwrap();
    let lease = lease(&map, 7).await;
    let effects = GEOMETRIES.iter().enumerate();
    let effects = effects.map(|(number, text)| effect(number, text)).collect();
    let landed = map.apply(&lease, effects).await.unwrap();
    assert_eq!(landed.len(), GEOMETRIES.len());
    map
}

/// Each stored geometry beside what PostGIS makes of the GeoJSON.
async fn compare(server: &Server, crs: MapCrs) {
    let client = server.client("map").await;
    let epsg = crs.epsg();
    let sql = format!(
        "WITH sent AS (SELECT ST_Transform(ST_GeomFromGeoJSON($1), {epsg}) AS geom)
         SELECT f.geom IS NOT DISTINCT FROM s.geom,
           ST_AsEWKB(f.geom) IS NOT DISTINCT FROM ST_AsEWKB(s.geom),
           CASE WHEN GeometryType(f.geom) <> 'GEOMETRYCOLLECTION'
             THEN ST_Equals(f.geom, s.geom) END,
           f.properties::text
         FROM hexlane.features f, sent s WHERE f.entity = $2"
    );
    for (number, text) in GEOMETRIES.iter().enumerate() {
        let geometry = (*text != "null").then_some(*text);
        let row = client
            .query_one(&sql, &[&geometry, &format!("g-{number}")])
            .await
            .unwrap();
        let (same, same_bytes): (bool, bool) = (row.get(0), row.get(1));
        assert!(same && same_bytes, "{text} in {epsg}");
        assert_ne!(
            row.get::<_, Option<bool>>(2),
            Some(false),
            "{text} in {epsg}"
        );
        assert_eq!(row.get::<_, &str>(3), r#"{"n":1.50,"zero":"\u0000"}"#);
    }
    let told = "SELECT srid::bigint FROM geometry_columns
                WHERE f_table_schema = 'hexlane' AND f_table_name = 'features'";
    assert_eq!(
        server.number(told).await,
        i64::from(epsg),
        "what QGIS reads"
    );
}

#[tokio::test]
async fn every_geometry_comes_back_in_degrees() {
    let server = Server::start();
    land(&server, MapCrs::Epsg4326).await;
    compare(&server, MapCrs::Epsg4326).await;
}

#[tokio::test]
async fn every_geometry_is_where_postgis_puts_it_in_mercator() {
    let server = Server::start();
    land(&server, MapCrs::Epsg3857).await;
    compare(&server, MapCrs::Epsg3857).await;
}

#[tokio::test]
async fn a_change_of_the_crs_is_refused_and_mixes_nothing() {
    let server = Server::start();
    land(&server, MapCrs::Epsg3857).await.stop().await;
    let failure = PostgisMap::connect(&settings(&server)).await.unwrap_err();
    assert_eq!(failure.code, Code::Settings);
    assert!(failure.to_string().contains("3857"), "{failure}");
    let other = "SELECT count(*) FROM hexlane.features WHERE ST_SRID(geom) <> 3857";
    assert_eq!(server.number(other).await, 0);
    let by_hand = "UPDATE hexlane.features SET geom = ST_SetSRID(ST_MakePoint(1, 2), 4326)";
    let client = server.client("map").await;
    assert!(
        client.batch_execute(by_hand).await.is_err(),
        "the table holds it too"
    );
}

#[tokio::test]
async fn a_pole_has_its_place_in_degrees_and_none_in_mercator() {
    let server = Server::start();
    for (crs, schema, lands) in [
        (MapCrs::Epsg4326, "degrees", true),
        (MapCrs::Epsg3857, "metres", false),
    ] {
        let settings = Settings {
            crs,
            schema: schema.to_owned(),
            ..settings(&server)
        };
        let map = PostgisMap::connect(&settings).await.unwrap();
        let lease = lease(&map, 7).await;
        let mut pole = Sample::new("pole").effect();
        pole.wkb = Some(point_wkb(0.0, -90.0));
        match map.apply(&lease, vec![pole]).await {
            Ok(_) => assert!(lands, "{schema}"),
            Err(StoreError::Failed(failure)) => {
                assert!(
                    !lands && failure.code == Code::RowRefused,
                    "{schema}: {failure}"
                );
                assert!(failure.to_string().contains("-90"), "{failure}");
            }
            Err(fenced) => panic!("{fenced}"),
        }
    }
}

#[tokio::test]
async fn the_point_of_an_error_is_found_by_its_area_whatever_its_crs() {
    let server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let lease = lease(&map, 7).await;
    let places = [
        ([8.5, 47.3], Some(4326)),
        ([946_215.0, 5_991_000.0], Some(3857)),
        ([8.5, 47.3], Some(999_999)),
        ([8.5, 47.3], None),
        ([f64::INFINITY, f64::NAN], Some(3857)),
        ([8.5, 147.3], Some(4326)),
    ];
    let letters = places.iter().zip(0..).map(|((location, epsg), number)| {
        let mut letter = Sample::new(&format!("dead-{number}")).dead_letter();
        letter.geometry_error = Some(GeometryError {
            reason: "Self-intersection".to_owned(),
            location: Some(*location),
            epsg: *epsg,
        });
        letter
    });
    let recorded = map.record(&lease, letters.collect()).await.unwrap();
    assert_eq!(
        recorded.len(),
        places.len(),
        "no place refuses a dead letter"
    );
    let near = "SELECT count(*) FROM hexlane.dead_letters
      WHERE error_point && ST_MakeEnvelope(8.4, 47.2, 8.6, 47.4, 4326)";
    assert_eq!(server.number(near).await, 2);
    let placed = "SELECT count(error_point) FROM hexlane.dead_letters";
    assert_eq!(server.number(placed).await, 2);
}
