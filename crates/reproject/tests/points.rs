//! Every code of the list at points that PROJ made (`data/generate.py`), the point where
//! this crate lies furthest from the EPSG dataset among them.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_reproject::{Lookup, System, Target, Transform, codes, look_up};

/// A line: the code, then points: x, y, longitude and latitude by the EPSG dataset, and by
/// the same text where that is another place.
const POINTS: &str = include_str!("points.tsv");

struct Row {
    system: System,
    points: Vec<Vec<f64>>,
}

fn rows() -> Vec<Row> {
    let numbers = |point: &str| point.split(' ').map(|each| each.parse().unwrap()).collect();
    let row = |line: &str| {
        let (code, points) = line.split_once('\t').unwrap();
        let system = supported(code.parse().unwrap());
        let points = points.split('\t').map(numbers).collect();
        Row { system, points }
    };
    POINTS.lines().map(row).collect()
}

fn supported(code: u32) -> System {
    match look_up(code) {
        Lookup::Supported(system) => system,
        other @ (Lookup::NeedsGrid | Lookup::Unsupported) => panic!("{code}: {other:?}"),
    }
}

fn distance_m(one: (f64, f64), other: (f64, f64)) -> f64 {
    let turn = (one.0 - other.0 + 540.0).rem_euclid(360.0) - 180.0;
    111_319.5 * (turn * one.1.to_radians().cos()).hypot(one.1 - other.1)
}

#[test]
fn the_table_has_points_of_every_code() {
    let tested: Vec<u32> = rows().iter().map(|row| row.system.code).collect();
    assert_eq!(tested, codes().collect::<Vec<_>>());
    assert!(tested.len() > 4_800, "{}", tested.len());
    let few = rows().into_iter().filter(|row| row.points.len() < 3);
    assert_eq!(few.map(|row| row.system.code).collect::<Vec<_>>(), []);
}

#[test]
fn every_point_is_within_a_centimetre_of_proj_and_within_the_stated_accuracy_of_epsg() {
    for row in rows() {
        let transform = Transform::new(&row.system, Target::LonLat).expect("it is prepared");
        for point in &row.points {
            let place = transform.point(point[0], point[1]).expect("an image");
            let by_dataset = (point[2], point[3]);
            let by_text = point
                .get(4..6)
                .map_or(by_dataset, |pair| (pair[0], pair[1]));
            let (code, stated) = (row.system.code, row.system.accuracy_m);
            let apart = distance_m(place, by_text);
            assert!(apart <= 0.01, "{code} at {point:?}: {apart} m from PROJ");
            // The table rounds degrees to a tenth of a millimetre.
            let apart = distance_m(place, by_dataset);
            assert!(
                apart <= stated + 0.000_2,
                "{code} at {point:?}: {apart} m, stated {stated} m"
            );
        }
    }
}

#[test]
fn metres_of_web_mercator_are_the_image_of_the_degrees() {
    let mercator = supported(3857);
    let back = Transform::new(&mercator, Target::LonLat).unwrap();
    for row in rows() {
        let to_degrees = Transform::new(&row.system, Target::LonLat).unwrap();
        let to_metres = Transform::new(&row.system, Target::WebMercator).unwrap();
        for point in &row.points {
            let degrees = to_degrees.point(point[0], point[1]).unwrap();
            let Ok(metres) = to_metres.point(point[0], point[1]) else {
                assert!(degrees.1.abs() > 85.051_129);
                continue;
            };
            let again = back.point(metres.0, metres.1).unwrap();
            assert!(distance_m(again, degrees) < 1e-6, "{}", row.system.code);
        }
    }
}
