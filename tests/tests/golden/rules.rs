//! Shard of a lane key, cell of a place, stored form of a version.

use super::vectors::{folder, hold};
use hexlane_core::lane::{Cell, Grid, LaneKey, ShardMap};
use hexlane_core::version::Version;
use hexlane_tests::{process, tools};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::process::Command;

fn one(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value)])
}

#[test]
fn a_lane_key_has_its_golden_shard() {
    hold("shards", |vector| {
        let lane_key = LaneKey::new(vector["lane_key"].as_str().expect("a lane key").to_owned());
        one("shard", json!(ShardMap::default().shard(&lane_key).get()))
    });
}

#[test]
fn a_place_has_its_golden_cell() {
    hold("cells", |vector| {
        let number = |name: &str| vector[name].as_f64().expect("a number");
        let resolution = vector["resolution"]
            .as_u64()
            .and_then(|level| u8::try_from(level).ok());
        let resolution = resolution.expect("a resolution");
        let cell = Cell::at(number("longitude"), number("latitude"), resolution);
        one(
            "cell",
            json!(cell.expect("a place on the earth").to_string()),
        )
    });
}

#[test]
fn a_place_has_its_golden_cell_in_each_other_grid() {
    hold("grids", |vector| {
        let number = |name: &str| vector[name].as_f64().expect("a number");
        let grid = match vector["grid"].as_str() {
            Some("s2") => Grid::S2,
            Some("quadkey") => Grid::Quadkey,
            other => panic!("{other:?} is no grid"),
        };
        let level = vector["resolution"]
            .as_u64()
            .and_then(|level| u8::try_from(level).ok());
        let level = level.expect("a resolution");
        let cell = grid.cell_at(number("longitude"), number("latitude"), level);
        one(
            "cell",
            json!(cell.expect("a place on the earth").to_string()),
        )
    });
}

#[test]
fn a_version_has_its_golden_bytes() {
    hold("versions", |vector| {
        let number = |name: &str| vector[name].as_i64().expect("a number");
        let key = vector["key"].as_str().expect("a key");
        let version = Version::new(number("value"), number("accepted_at_us"), key);
        let bytes = version.to_bytes();
        assert_eq!(Version::from_bytes(bytes), version);
        one(
            "bytes",
            json!(bytes.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            })),
        )
    });
}

#[test]
fn another_language_repeats_the_shards_and_versions() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/repeat.py");
    drop(process::output(
        Command::new(tools::python()).arg(script).arg(folder()),
    ));
}
