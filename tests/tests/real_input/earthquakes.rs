//! 1,707 earthquakes: accepted, sent again, updated, stale.

use super::{DRAIN_LIMIT, features, start};
use hexlane_tests::consumer::{Consumer, send_file};
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request};
use hexlane_tests::{geopackage, tools};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const ALL: u64 = 1_707;
const SOURCE: &str = "earthquakes";

fn points_with_height(file: &Path) -> usize {
    let listing = geopackage::listing(file, "features");
    listing
        .lines()
        .filter(|line| line.trim_start().starts_with("POINT Z ("))
        .count()
}

/// The properties of an entity on the map.
fn state(consumer: &mut Consumer, entity: &str) -> Value {
    consumer.stop();
    let sql = format!("SELECT properties FROM features WHERE entity = '{entity}'");
    let rows = geopackage::query(&consumer.geopackage(), &sql);
    consumer.restart();
    assert_eq!(rows.len(), 1, "{entity}");
    let properties = &rows[0]["properties"]["properties"];
    let text = properties
        .as_str()
        .map(|text| serde_json::from_str(text).expect("JSON"));
    text.unwrap_or_else(|| properties.clone())
}

/// Sends an earthquake with another magnitude, so many milliseconds newer.
fn revise(edge: &Edge, quake: &Value, mag: f64, newer_ms: i64) {
    let mut revised = quake.clone();
    let updated = quake["properties"]["updated"].as_i64().expect("a time");
    revised["properties"]["updated"] = (updated + newer_ms).into();
    revised["properties"]["mag"] = mag.into();
    let request = Request::post(&format!("/v1/events/{SOURCE}"), revised.to_string());
    let answer = http::send(edge.port, &request).expect("an answer");
    assert_eq!(
        answer.json()["results"][0]["status"],
        "accepted",
        "{}",
        answer.text()
    );
}

#[test]
fn the_earthquakes_are_on_the_map_once_however_often_they_are_sent() {
    let (mut consumer, edge) = start();
    let to = edge.events(SOURCE);
    let first = send_file(&tools::earthquakes(), &to);
    assert_eq!(
        (&first["accepted"], &first["refused"]),
        (&ALL.into(), &0.into()),
        "{first}"
    );
    assert_eq!(first["duplicates"], 0, "{first}");
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], ALL, "{status}");
    let again = send_file(&tools::earthquakes(), &to);
    assert_eq!(
        (&again["accepted"], &again["duplicates"]),
        (&ALL.into(), &ALL.into()),
        "{again}"
    );
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], ALL, "{status}");
    consumer.stop();
    let file = consumer.geopackage();
    assert_eq!(geopackage::count(&file, "features"), ALL);
    assert_eq!(points_with_height(&file) as u64, ALL);
    eprintln!("{ALL} accepted, {ALL} duplicates, ogrinfo counts {ALL} points with a height");
}

#[test]
fn status_tells_how_many_events_came_again() {
    let (consumer, edge) = start();
    for _ in 0..2 {
        let summary = send_file(&tools::earthquakes(), &edge.events(SOURCE));
        assert_eq!(summary["accepted"], ALL, "{summary}");
    }
    drop(consumer.drained(DRAIN_LIMIT));
    let status = consumer.status();
    assert_eq!(status["settled"]["duplicate"], ALL, "{status}");
}

#[test]
fn the_earthquakes_on_the_map_are_what_gdal_imports() {
    let (mut consumer, edge) = start();
    drop(send_file(&tools::earthquakes(), &edge.events(SOURCE)));
    drop(consumer.drained(DRAIN_LIMIT));
    consumer.stop();
    let ours = geopackage::geometries(&consumer.geopackage(), "features", "entity");
    let imported = consumer.folder().join("imported.gpkg");
    let mut import = Command::new("ogr2ogr");
    import
        .args(["-f", "GPKG", "-nln", "quakes", "-lco", "FID=number"])
        .arg(&imported);
    drop(hexlane_tests::process::output(
        import.arg(tools::earthquakes()),
    ));
    let theirs = geopackage::geometries(&imported, "quakes", "id");
    assert_eq!(theirs.len() as u64, ALL);
    assert_eq!(ours, theirs);
}

#[test]
fn a_newer_earthquake_updates_and_an_older_one_is_stale() {
    let (mut consumer, edge) = start();
    drop(send_file(&tools::earthquakes(), &edge.events(SOURCE)));
    drop(consumer.drained(DRAIN_LIMIT));
    let quake = features(&tools::earthquakes()).swap_remove(700);
    let entity = quake["id"].as_str().expect("an id").to_owned();
    revise(&edge, &quake, 9.5, 1_000);
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], ALL + 1, "{status}");
    revise(&edge, &quake, 1.5, -1_000);
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["stale"], 1, "{status}");
    assert_eq!(status["settled"]["applied"], ALL + 1, "{status}");
    assert_eq!(state(&mut consumer, &entity)["mag"], 9.5);
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), ALL);
}
