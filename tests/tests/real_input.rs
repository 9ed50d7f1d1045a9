//! Real files through the real Worker, with nothing but the settings that are committed;
//! GDAL and GEOS judge what came of it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "real_input/check_formats.rs"]
mod check_formats;
#[path = "real_input/countries.rs"]
mod countries;
#[path = "real_input/earthquakes.rs"]
mod earthquakes;

use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use std::fs;
use std::path::Path;
use std::time::Duration;

const DRAIN_LIMIT: Duration = Duration::from_mins(1);

fn start() -> (Consumer, Edge) {
    let consumer = Consumer::start_as_it_stands();
    let edge = Edge::start_as_it_stands(consumer.port);
    (consumer, edge)
}

fn features(file: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(file).expect("the test data");
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    serde_json::from_value(document["features"].take()).expect("features")
}
