//! Events joined with reference layers by the real program: GEOS judges what came of it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "joins/table.rs"]
mod table;

use hexlane_tests::consumer::{Consumer, send_file};
use hexlane_tests::http::Request;
use hexlane_tests::{geopackage, process, tools, wait};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_mins(1);
const QUAKES: u64 = 1_707;
const LEAVE_OUT: &str = "faulty = \"leave_out\"";

const SOURCES: &str = r#"
[sources.earthquakes]
auth = "none"
entity = ["/id"]
version = { pointer = "/properties/updated", form = "epoch_ms" }
join = ["countries"]
[sources.vans]
auth = "none"
join = ["zones"]
[sources.plain]
auth = "none"
"#;

/// A consumer with those layers beside the sources.
fn start(layers: &str) -> Consumer {
    let settings = format!("{SOURCES}\n{layers}");
    Consumer::start_with(&settings.parse().expect("settings"))
}

fn countries(file: &Path, more: &str) -> String {
    countries_in(&format!("file = \"{}\"", file.display()), more)
}

fn countries_in(place: &str, more: &str) -> String {
    let rest = "[layers.zones]\nfile = \"zones.geojson\"\nreload_ms = 100";
    format!("[layers.countries]\n{place}\nproperties = [\"A3\"]\n{more}\n{rest}")
}

/// What was joined, by entity; the consumer is stopped for it.
fn joined(consumer: &mut Consumer) -> BTreeMap<String, Value> {
    consumer.stop();
    let rows = geopackage::query(
        &consumer.geopackage(),
        "SELECT entity, joined FROM features",
    );
    let each = rows.iter().map(|row| {
        let properties = &row["properties"];
        let entity = properties["entity"].as_str().expect("an entity").to_owned();
        // GDAL may tell JSON text as JSON.
        let joined = &properties["joined"];
        let read = joined
            .as_str()
            .map(|text| serde_json::from_str(text).expect("JSON"));
        (entity, read.unwrap_or_else(|| joined.clone()))
    });
    each.collect()
}

/// GEOS's answer for each earthquake: the countries that it meets, in the order of the file,
/// those that are not valid left out or mended.
fn by_geos(faulty: &str) -> BTreeMap<String, Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/joins/geos.py");
    let mut command = Command::new(tools::python());
    command
        .arg(script)
        .args([tools::countries(), tools::earthquakes()])
        .arg(faulty);
    let lines = process::output(&mut command);
    let lines = lines.lines().map(|line| {
        let (id, names): (String, Vec<String>) = serde_json::from_str(line).expect("a line");
        let names: Vec<Value> = names.iter().map(|name| json!({ "A3": name })).collect();
        (id, json!({ "countries": names }))
    });
    lines.collect()
}

fn send_quakes(consumer: &Consumer) {
    let to = format!("{}/v1/events/earthquakes", consumer.url());
    assert_eq!(send_file(&tools::earthquakes(), &to)["accepted"], QUAKES);
}

/// How many are in a country, once that is what GEOS says.
fn check_earthquakes(mut consumer: Consumer) -> usize {
    send_quakes(&consumer);
    let status = consumer.drained(LIMIT);
    assert_eq!(status["settled"]["applied"], QUAKES, "{status}");
    assert_eq!(
        consumer.metric("hexlane_delivery_events_joined_total", ""),
        QUAKES
    );
    send_quakes(&consumer);
    drop(consumer.drained(LIMIT));
    assert_eq!(
        consumer.metric("hexlane_delivery_events_joined_total", ""),
        QUAKES
    );
    assert_eq!(
        consumer.metric("hexlane_delivery_joins_spared_total", ""),
        QUAKES
    );
    let ours = joined(&mut consumer);
    assert_eq!(ours, by_geos("leave_out"));
    let told = consumer
        .log()
        .matches("a reference feature is faulty")
        .count();
    assert_eq!((told, on_land(&ours) > 10), (83, true));
    on_land(&ours)
}

fn on_land(joined: &BTreeMap<String, Value>) -> usize {
    let in_a_country = |joined: &&Value| joined["countries"] != json!([]);
    joined.values().filter(in_a_country).count()
}

#[test]
fn the_earthquakes_are_joined_with_the_countries_as_geos_joins_them_and_duplicates_cost_none() {
    let on_land = check_earthquakes(start(&countries(&tools::countries(), LEAVE_OUT)));
    eprintln!("{on_land} of {QUAKES} earthquakes in a valid country, as GEOS finds them");
}

#[test]
fn a_geopackage_of_gdal_is_a_layer_as_its_geojson_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("countries.gpkg");
    let mut import = Command::new("ogr2ogr");
    import
        .args(["-f", "GPKG", "-nln", "countries"])
        .arg(&file)
        .arg(tools::countries());
    drop(process::output(&mut import));
    assert!(check_earthquakes(start(&countries(&file, LEAVE_OUT))) > 0);
}

#[test]
fn mended_countries_are_joined_as_geos_joins_them_once_it_has_mended_them() {
    let mut consumer = start(&countries(&tools::countries(), ""));
    send_quakes(&consumer);
    drop(consumer.drained(LIMIT));
    let mended = consumer.log().matches("(mended)").count();
    assert_eq!(mended, 83, "each country that is not valid");
    let ours = joined(&mut consumer);
    assert_eq!(ours, by_geos("mend"));
    let on_land = on_land(&ours);
    assert!(on_land > 100, "{on_land}");
    eprintln!("{on_land} of {QUAKES} earthquakes in a country, {mended} countries mended");
}

fn zone(name: &str) -> String {
    let ring = "[[[0,0],[9,0],[9,9],[0,9],[0,0]]]";
    format!(
        r#"{{"type":"FeatureCollection","features":[{{"type":"Feature","properties":{{"zone":"{name}"}},"geometry":{{"type":"Polygon","coordinates":{ring}}}}}]}}"#
    )
}

/// In the zone; each source in a lane of its own, for a lane keeps its order.
fn send_point(consumer: &Consumer, source: &str, id: &str) {
    let x = if source == "plain" { 1.5 } else { 4.5 };
    let point = format!(
        r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{{"type":"Point","coordinates":[{x},4.5]}}}}"#
    );
    let answer = consumer.send(&Request::post(&format!("/v1/events/{source}"), point));
    assert_eq!(answer.status, 202, "{}", answer.text());
}

/// Loads that ended so.
fn loads(consumer: &Consumer, result: &str) -> u64 {
    consumer.metric("hexlane_layers_loads_ended_total", &format!("\"{result}\""))
}

fn until_loads(consumer: &Consumer, result: &str, more_than: u64) {
    wait::until("a load of the layer", LIMIT, || {
        (loads(consumer, result) > more_than).then_some(())
    });
}

fn zones(consumer: &Consumer) -> std::path::PathBuf {
    consumer.folder().join("zones.geojson")
}

#[test]
fn a_missing_layer_holds_its_events_alone_and_a_change_needs_no_restart() {
    let mut consumer = start(&countries(&tools::countries(), ""));
    send_point(&consumer, "vans", "van-1");
    send_point(&consumer, "plain", "plain-1");
    wait::until("the other source", LIMIT, || {
        let status = consumer.status();
        (status["settled"]["applied"] == 1 && status["waiting"] == 1).then_some(())
    });
    wait::until("a deferral of the join", LIMIT, || {
        let deferred = "hexlane_delivery_attempts_deferred_total";
        (consumer.metric(deferred, "stage=\"spatial_join\"") > 2).then_some(())
    });
    fs::write(zones(&consumer), zone("first")).expect("a file");
    let status = consumer.drained(LIMIT);
    assert_eq!(status["settled"]["applied"], 2, "{status}");
    assert_eq!(status["dead_letters"], json!([]), "it spent nothing");

    let before = loads(&consumer, "loaded");
    fs::write(zones(&consumer), zone("second")).expect("a file");
    until_loads(&consumer, "loaded", before);
    send_point(&consumer, "vans", "van-2");
    drop(consumer.drained(LIMIT));

    let before = loads(&consumer, "failed");
    fs::write(zones(&consumer), &zone("third")[..40]).expect("a file");
    until_loads(&consumer, "failed", before);
    let alerts = "hexlane_delivery_alerts_raised_total";
    assert!(consumer.metric(alerts, "layer.load_failed") > 0);
    send_point(&consumer, "vans", "van-3");
    drop(consumer.drained(LIMIT));
    assert!(consumer.log().contains("layer.load_failed"));

    let found = joined(&mut consumer);
    let zone = |name: &str| json!({ "zones": [{ "zone": name }] });
    assert_eq!(found["van-1"], zone("first"));
    assert_eq!(found["van-2"], zone("second"));
    assert_eq!(found["van-3"], zone("second"), "the old one is kept");
    assert_eq!(found["plain-1"], Value::Null);
}
