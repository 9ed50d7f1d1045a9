//! Cases that nobody of this project made: the validity suites of JTS, GEOS, `PostGIS`, simplefeatures, Boost and Turf.
//! They stay outside the repository; `HEXLANE_CASES` names their folder.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use ogc_validity::{Fault, FaultKind, Judgement};
use serde_json::Value;
use support::{Owned, is_in_its_place, wkt};

struct Case {
    source: String,
    wkt: String,
    expected_valid: bool,
    geos: Value,
    /// `None` when it is not WKT, which makes it invalid.
    elements: Option<Vec<Owned>>,
}

#[allow(
    clippy::disallowed_methods,
    reason = "a test is told where the outside cases lie by the environment"
)]
fn cases() -> Option<Vec<Case>> {
    let Some(folder) = std::env::var_os("HEXLANE_CASES").map(PathBuf::from) else {
        eprintln!("LEFT OUT: HEXLANE_CASES is not set, no outside case was judged");
        return None;
    };
    let text = std::fs::read_to_string(folder.join("validity.jsonl")).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let fit = lines.filter(|line| line.get("disputed").is_none() && line.get("flags").is_none());
    Some(fit.map(|line| read_case(&line)).collect())
}

fn read_case(line: &Value) -> Case {
    let text = |name: &str| line[name].as_str().unwrap().to_owned();
    Case {
        source: text("source"),
        wkt: text("wkt"),
        expected_valid: line["expected_valid"].as_bool().unwrap(),
        geos: line["geos_3_14_1"].clone(),
        elements: wkt::read(&text("wkt")).ok(),
    }
}

impl Case {
    fn is_valid(&self) -> bool {
        self.elements
            .as_ref()
            .is_some_and(|elements| elements.iter().all(Owned::is_valid))
    }

    fn faults(&self) -> Vec<(&Owned, Fault)> {
        let elements = self.elements.iter().flatten();
        let faults = |owned: &Owned| match owned.judge() {
            Judgement::Invalid(report) => report.faults,
            Judgement::Valid | Judgement::Undecided { .. } => vec![],
        };
        elements
            .flat_map(|owned| faults(owned).into_iter().map(move |fault| (owned, fault)))
            .collect()
    }
}

#[test]
fn every_verdict_is_the_one_that_its_authors_state() {
    let Some(cases) = cases() else { return };
    let wrong: Vec<_> = cases
        .iter()
        .filter(|case| case.is_valid() != case.expected_valid)
        .collect();
    for case in &wrong {
        eprintln!(
            "{}: {} expected {}",
            case.source, case.wkt, case.expected_valid
        );
    }
    assert!(wrong.is_empty(), "{} of {}", wrong.len(), cases.len());
    eprintln!("{} verdicts", cases.len());
}

#[test]
fn every_location_is_on_the_edges_to_blame_or_a_vertex_of_the_ring() {
    let Some(cases) = cases() else { return };
    let mut locations = 0;
    for case in &cases {
        for (owned, fault) in case.faults() {
            assert!(is_in_its_place(owned, &fault), "{}: {fault:?}", case.source);
            locations += 1;
        }
    }
    eprintln!("{locations} locations");
}

/// The kind that the reason of GEOS names, the two self-intersections as one.
fn kind_of(reason: &str) -> FaultKind {
    match reason {
        "Self-intersection" | "Ring Self-intersection" => FaultKind::SelfIntersection,
        "Too few points in geometry component" => FaultKind::TooFewPoints,
        "Invalid Coordinate" => FaultKind::NonFinite,
        "Hole lies outside shell" => FaultKind::HoleOutsideShell,
        "Holes are nested" => FaultKind::NestedHoles,
        "Nested shells" => FaultKind::NestedShells,
        "Interior is disconnected" => FaultKind::DisconnectedInterior,
        other => panic!("{other}"),
    }
}

fn merged(kind: FaultKind) -> FaultKind {
    if kind == FaultKind::RingSelfIntersection {
        FaultKind::SelfIntersection
    } else {
        kind
    }
}

#[test]
fn the_reason_of_geos_is_always_among_the_kinds() {
    let Some(cases) = cases() else { return };
    let invalid = cases
        .iter()
        .filter(|case| case.geos["valid"] == Value::Bool(false));
    let (mut judged, mut otherwise, mut single) = (0, Vec::new(), 0);
    for case in invalid {
        let expected = kind_of(case.geos["reason"].as_str().unwrap());
        let kinds: BTreeSet<_> = case
            .faults()
            .iter()
            .map(|(_, fault)| merged(fault.kind))
            .collect();
        judged += 1;
        single += usize::from(kinds.len() == 1);
        if !kinds.contains(&expected) {
            let kinds: Vec<_> = kinds.into_iter().map(FaultKind::code).collect();
            otherwise.push((case.source.clone(), kinds.join(" ")));
        }
    }
    eprintln!(
        "{judged} reasons, {} named otherwise, {single} with a single kind",
        otherwise.len()
    );
    assert!(otherwise.is_empty(), "{otherwise:?}");
}

#[test]
fn the_location_that_geos_gives_for_an_intersection_is_one_of_ours() {
    let Some(cases) = cases() else { return };
    let mut found = 0;
    for case in &cases {
        let faults = case.faults();
        let intersections = || {
            faults
                .iter()
                .filter(|(_, fault)| merged(fault.kind) == FaultKind::SelfIntersection)
        };
        let reason = case.geos["reason"].as_str().unwrap_or_default();
        let (Some(expected), true) = (
            case.geos["location"].as_array(),
            reason.ends_with("elf-intersection"),
        ) else {
            continue;
        };
        // Of a flat ring only the turns are told, GEOS may name another overlap.
        if faults
            .iter()
            .any(|(_, fault)| fault.kind == FaultKind::Collapsed)
        {
            continue;
        }
        let expected = [0, 1].map(|axis| expected[axis].as_f64().unwrap());
        let near = |a: [f64; 2]| {
            (0..2)
                .all(|axis| (a[axis] - expected[axis]).abs() <= 1e-9 * (1.0 + expected[axis].abs()))
        };
        let hit = intersections()
            .any(|(_, fault)| near(fault.location) || fault.location_end.is_some_and(near));
        assert!(hit, "{}: {expected:?}", case.source);
        found += 1;
    }
    eprintln!("{found} locations of GEOS");
}
