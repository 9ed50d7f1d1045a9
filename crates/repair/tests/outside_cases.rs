//! Cases that nobody of this project made; `HEXLANE_CASES` names their folder.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed"
)]

mod support;

use hexlane_repair::{Limits, Refusal, Rule, Step, repair};
use ogc_validity::{OwnedShape, ShapeKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::{area, even_odd_area, rings, valid, wkt};

#[allow(
    clippy::disallowed_methods,
    reason = "a test is told where the outside cases lie by the environment"
)]
fn lines(file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("HEXLANE_CASES").map(PathBuf::from) else {
        eprintln!("LEFT OUT: HEXLANE_CASES is not set, no case of {file} was repaired");
        return None;
    };
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

fn made(geometry: &OwnedShape, rule: Rule) -> Result<OwnedShape, Refusal> {
    repair(
        &geometry.as_shape(),
        &[Step::MakeValid(rule)],
        &Limits::default(),
    )
    .map(|done| done.geometry)
}

fn is_polygonal(geometry: &OwnedShape) -> bool {
    !geometry.part_ends.is_empty()
}

/// Cases of which nothing of the input's dimension is left, and that are refused for it.
const COLLAPSED: [&str; 5] = [
    "postgis@b2d575041c:regress/core/clean.sql#RT11",
    "postgis@b2d575041c:regress/core/clean.sql#PG1",
    "postgis@b2d575041c:regress/core/clean.sql#PG2",
    "postgis@b2d575041c:regress/core/clean.sql#PG4",
    "geos@5b62cd06ce:misc/makevalid.xml#4",
];

/// A hole that goes round its shell leaves nothing of it by the rule `structure`.
const HOLE_COVERS_SHELL: [&str; 2] = [
    "POLYGON((0 0,1 0,1 1,0 1,0 0),(-10 -10,-10 10,10 10,10 -10,-10 -10))",
    "POLYGON((-10 -10,1 0,1 1,0 1,-10 -10),(-10 -10,-10 10,10 10,10 -10,-10 -10))",
];

/// How much of a dimension there is: 2 is area, 1 length, 0 the number of points.
fn measure(elements: &[OwnedShape], dimension: usize) -> f64 {
    let of = |each: &OwnedShape| match (dimension, each.kind) {
        (2, ShapeKind::Polygon | ShapeKind::MultiPolygon) => area(each),
        (1, ShapeKind::LineString | ShapeKind::MultiLineString) => length(each),
        (0, ShapeKind::Point | ShapeKind::MultiPoint) => each.positions().map(|_| 1.0).sum(),
        _ => 0.0,
    };
    elements.iter().map(of).sum()
}

fn length(lines: &OwnedShape) -> f64 {
    let positions: Vec<[f64; 2]> = lines.positions().collect();
    let edges = lines
        .rings()
        .flat_map(|line| positions[line].windows(2).collect::<Vec<_>>());
    edges
        .map(|edge| (edge[0][0] - edge[1][0]).hypot(edge[0][1] - edge[1][1]))
        .sum()
}

fn dimension(geometry: &OwnedShape) -> usize {
    match geometry.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => 0,
        ShapeKind::LineString | ShapeKind::MultiLineString => 1,
        ShapeKind::Polygon | ShapeKind::MultiPolygon => 2,
    }
}

/// The area that only one of two polygonal geometries covers.
fn difference(ours: &OwnedShape, theirs: &[OwnedShape]) -> f64 {
    let both = std::iter::once(ours).chain(theirs.iter().filter(|each| is_polygonal(each)));
    even_odd_area(&both.flat_map(rings).collect())
}

#[test]
fn repair_cases_are_equal_in_their_dimension_or_refused_as_listed() {
    let Some(cases) = lines("repair.jsonl") else {
        return;
    };
    let mut wrong = vec![];
    for case in &cases {
        let source = case["source"].as_str().unwrap();
        let input = wkt(case["wkt"].as_str().unwrap()).unwrap().remove(0);
        let expected = wkt(case["expected_repaired"].as_str().unwrap()).unwrap();
        let dimension = dimension(&input);
        let theirs = measure(&expected, dimension);
        match made(&input, Rule::EvenOdd) {
            Err(Refusal::Collapsed) if COLLAPSED.contains(&source) => assert_eq!(theirs, 0.0),
            Err(refusal) => wrong.push(format!("{source}: {refusal:?}")),
            Ok(_) if COLLAPSED.contains(&source) => wrong.push(format!("{source}: not refused")),
            Ok(result) if !valid(&result) => wrong.push(format!("{source}: not valid")),
            Ok(result) => {
                let apart = difference(&result, &expected);
                let ours = measure(&[result], dimension);
                if (ours - theirs).abs() > 1e-9 * theirs.max(1.0) {
                    wrong.push(format!("{source}: {ours} and not {theirs}"));
                }
                if dimension == 2 && apart > 1e-9 * theirs.max(1.0) {
                    wrong.push(format!("{source}: {apart} lies elsewhere"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {}: {wrong:#?}", cases.len());
}

#[test]
fn every_finite_polygonal_case_is_made_valid_or_refused_with_a_listed_reason() {
    let Some(cases) = lines("validity.jsonl") else {
        return;
    };
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = vec![];
    for case in &cases {
        let text = case["wkt"].as_str().unwrap();
        let elements = wkt(text).unwrap_or_default();
        for element in elements.iter().filter(|each| is_polygonal(each)) {
            for rule in [Rule::EvenOdd, Rule::Structure] {
                let end = match made(element, rule) {
                    Ok(result) if valid(&result) => "valid".to_owned(),
                    Ok(_) => "not valid".to_owned(),
                    Err(refusal) => refusal.code().to_owned(),
                };
                let finite = element.coordinates.iter().all(|each| each.is_finite());
                let listed = match end.as_str() {
                    "valid" => true,
                    // Nothing of it is inside by a second measure: rings without area, or that cancel each other.
                    "repair.collapsed" => {
                        even_odd_area(&rings(element)) < 1e-9
                            || (rule == Rule::Structure && HOLE_COVERS_SHELL.contains(&text))
                    }
                    "repair.non_finite" => !finite,
                    _ => false,
                };
                if !listed {
                    wrong.push(format!("{rule:?} {end}: {}", case["wkt"]));
                }
                *ends.entry(end).or_default() += 1;
            }
        }
    }
    eprintln!("{ends:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(ends["valid"] > 750, "{ends:?}");
}
