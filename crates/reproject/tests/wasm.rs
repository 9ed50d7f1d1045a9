//! The same table in WebAssembly, under Node: the door and the consumer must not disagree.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_reproject::{Lookup, Target, Transform, look_up};
use std::path::{Path, PathBuf};
use std::process::Command;

/// proj4rs takes sines from the platform, whose last bit differs. In degrees, a ten
/// thousandth of a millimetre; in metres the same.
const APART_MAX: [f64; 2] = [1e-12, 1e-7];

fn module() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm");
    let build = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--release", "--example", "places"])
        .args(["--target", "wasm32-unknown-unknown"])
        .arg("--target-dir")
        .arg(&target)
        .status()
        .expect("cargo runs");
    assert!(build.success(), "the module is not built");
    target.join("wasm32-unknown-unknown/release/examples/places.wasm")
}

/// What the module says: code, whether metres, the position, its image.
fn places() -> Vec<(u32, usize, [f64; 4])> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let node = Command::new("node")
        .arg(tests.join("places.mjs"))
        .arg(module())
        .arg(tests.join("points.tsv"))
        .output()
        .expect("node runs");
    assert!(
        node.status.success(),
        "{}",
        String::from_utf8_lossy(&node.stderr)
    );
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let number = |field: usize| fields[field].parse::<f64>().unwrap();
        let numbers = [number(2), number(3), number(4), number(5)];
        (
            fields[0].parse().unwrap(),
            fields[1].parse().unwrap(),
            numbers,
        )
    };
    let text = String::from_utf8(node.stdout).unwrap();
    text.lines().map(parse).collect()
}

#[test]
fn slow_every_point_is_the_same_natively_and_in_wasm() {
    let places = places();
    let mut equal = 0;
    let mut widest = [0.0_f64; 2];
    for (code, metres, [x, y, first, second]) in &places {
        let Lookup::Supported(system) = look_up(*code) else {
            panic!("{code} is not in the list");
        };
        let target = [Target::LonLat, Target::WebMercator][*metres];
        let native = Transform::new(&system, target).unwrap().point(*x, *y);
        let (lon, lat) = native.expect("an image, as in wasm");
        let apart = (lon - first).abs().max((lat - second).abs());
        widest[*metres] = widest[*metres].max(apart);
        equal += usize::from(apart == 0.0);
        assert!(
            apart <= APART_MAX[*metres],
            "{code} at {x} {y}: {lon} {lat} and {first} {second}"
        );
    }
    let points = include_str!("points.tsv").matches('\t').count();
    let in_degrees = places.iter().filter(|(_, metres, _)| *metres == 0).count();
    assert_eq!(in_degrees, points);
    println!(
        "{equal} of {} bit-equal, at most {widest:?} apart",
        places.len()
    );
}
