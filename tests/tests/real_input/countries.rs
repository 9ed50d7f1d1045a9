//! 220 countries, of which GEOS calls 137 valid; and 248 in finer lines, 81 of them valid.

use super::{DRAIN_LIMIT, features, start};
use hexlane_tests::consumer::{check_file, send_file};
use hexlane_tests::http::{self, Request};
use hexlane_tests::{geopackage, process, tools};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const VALID: usize = 137;
const INVALID: usize = 83;
const FINE_VALID: usize = 81;
const FINE: usize = 248;
const SOURCE: &str = "countries";
/// GEOS computes a crossing with rounding of its own.
const DEGREES_APART_MAX: f64 = 1e-9;

/// GEOS's reason for each feature, as in `Self-intersection[0.5 0.5]`.
fn reasons(file: &Path) -> Vec<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real_input/geos.py");
    let text = process::output(Command::new(tools::python()).arg(script).arg(file));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn is_valid(reason: &str) -> bool {
    reason == "Valid Geometry"
}

/// Our codes for what GEOS calls by one name. The end of an overlap is a ring
/// self-intersection to GEOS, and the end of a self-intersection to us.
fn codes(name: &str) -> &'static [&'static str] {
    match name {
        "Self-intersection" => &["geometry.self_intersection"],
        "Ring Self-intersection" => &[
            "geometry.ring_self_intersection",
            "geometry.self_intersection",
        ],
        "Hole lies outside shell" => &["geometry.hole_outside_shell"],
        "Holes are nested" => &["geometry.nested_holes"],
        "Interior is disconnected" => &["geometry.disconnected_interior"],
        "Nested shells" => &["geometry.nested_shells"],
        other => panic!("GEOS says `{other}`"),
    }
}

/// Whether GEOS's reason stands among our violations, at its place.
fn stands_among(reason: &str, violations: &[Value]) -> bool {
    let (name, place) = reason.split_once('[').expect("a reason with its place");
    let place = place
        .trim_end_matches(']')
        .split(' ')
        .map(|number| number.parse().expect("a number"));
    let place: Vec<f64> = place.collect();
    let near = |location: &Value| {
        let numbers = location
            .as_array()
            .map(|pair| pair.iter().filter_map(Value::as_f64));
        let apart =
            numbers.map(|ours| ours.zip(&place).map(|(ours, theirs)| (ours - theirs).abs()));
        apart.is_some_and(|mut apart| apart.all(|degrees| degrees <= DEGREES_APART_MAX))
    };
    violations.iter().any(|violation| {
        let code = violation["code"].as_str().unwrap_or_default();
        let ends = [&violation["location"], &violation["location_end"]];
        codes(name).contains(&code) && ends.into_iter().any(near)
    })
}

fn errors(violations: &Value) -> Vec<Value> {
    let all = violations.as_array().into_iter().flatten();
    all.filter(|each| each["severity"] == "error")
        .cloned()
        .collect()
}

/// What two reports of a feature must have in common.
fn gist(errors: &[Value]) -> Vec<[String; 3]> {
    let members = ["code", "location", "message"];
    errors
        .iter()
        .map(|error| members.map(|member| error[member].to_string()))
        .collect()
}

/// The names of those that GEOS calls valid, in their order.
fn valid_by_geos(file: &Path) -> Vec<String> {
    let (reasons, features) = (reasons(file), features(file));
    let judged = reasons.iter().zip(&features);
    let valid = judged.filter(|(reason, _)| is_valid(reason));
    let name = |feature: &Value| feature["properties"]["A3"].as_str().map(str::to_owned);
    let mut names: Vec<String> = valid.filter_map(|(_, feature)| name(feature)).collect();
    names.sort();
    names
}

/// A file goes through the Worker as `hexlane send` cuts it: what GEOS calls valid, and
/// nothing else, is on the map, each as GDAL imports it, to the last digit.
fn are_on_the_map_as_gdal_imports_them(file: &Path, valid: usize, invalid: usize) {
    let (mut consumer, edge) = start();
    let summary = send_file(file, &edge.events(SOURCE));
    assert_eq!(
        (&summary["accepted"], &summary["refused"]),
        (&valid.into(), &invalid.into()),
        "{summary}"
    );
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], valid, "{status}");
    consumer.stop();
    let ours = geopackage::geometries(&consumer.geopackage(), "features", "entity");
    let names: Vec<String> = ours.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names, valid_by_geos(file));
    let imported = consumer.folder().join("imported.gpkg");
    let mut import = Command::new("ogr2ogr");
    import
        .args(["-f", "GPKG", "-nln", "countries"])
        .arg(&imported)
        .arg(file);
    drop(process::output(&mut import));
    let mut theirs = geopackage::geometries(&imported, "countries", "A3");
    theirs.retain(|(name, _)| names.binary_search(name).is_ok());
    assert_eq!((ours.len(), theirs.len()), (valid, valid));
    let differ = ours
        .iter()
        .zip(&theirs)
        .find(|(ours, theirs)| ours != theirs);
    assert!(differ.is_none(), "{:?}", differ.map(|(ours, _)| &ours.0));
    eprintln!("{valid} accepted and equal to GDAL's import, {invalid} refused");
}

#[test]
fn the_valid_countries_are_on_the_map_as_gdal_imports_them() {
    are_on_the_map_as_gdal_imports_them(&tools::countries(), VALID, INVALID);
}

#[test]
fn the_valid_fine_countries_are_on_the_map_as_gdal_imports_them() {
    let invalid = FINE - FINE_VALID;
    are_on_the_map_as_gdal_imports_them(&tools::fine_countries(), FINE_VALID, invalid);
}

#[test]
fn the_door_refuses_what_geos_refuses_and_tells_what_geos_tells() {
    let (_consumer, edge) = start();
    let (reasons, features) = (reasons(&tools::countries()), features(&tools::countries()));
    assert_eq!(
        reasons.iter().filter(|reason| is_valid(reason)).count(),
        VALID
    );
    for (reason, feature) in reasons.iter().zip(&features) {
        let request = Request::post(&format!("/v1/events/{SOURCE}"), feature.to_string());
        let answer = http::send(edge.port, &request).expect("an answer");
        let name = &feature["properties"]["A3"];
        assert_eq!(
            answer.status == 202,
            is_valid(reason),
            "{name}: {reason}: {}",
            answer.text()
        );
        if !is_valid(reason) {
            let errors = errors(&answer.json()["errors"]);
            assert!(
                stands_among(reason, &errors),
                "{name}: {reason} is not among {errors:#?}"
            );
        }
    }
}

#[test]
fn hexlane_check_says_of_each_country_what_the_door_says() {
    let (_consumer, edge) = start();
    let (exit, lines) = check_file(&tools::countries());
    assert_eq!(exit, Some(1), "faults were found");
    let features = features(&tools::countries());
    assert_eq!(lines.len(), features.len());
    assert_eq!(
        lines.iter().filter(|line| line["valid"] == true).count(),
        VALID
    );
    for (number, (line, feature)) in lines.iter().zip(&features).enumerate() {
        assert_eq!(line["feature"], number);
        let request = Request::post(&format!("/v1/events/{SOURCE}"), feature.to_string());
        let answer = http::send(edge.port, &request).expect("an answer");
        let (checked, door) = (
            errors(&line["violations"]),
            errors(&answer.json()["errors"]),
        );
        // The door tells the first hundred.
        let checked = &checked[..checked.len().min(100)];
        assert_eq!(
            gist(checked),
            gist(&door),
            "{}",
            feature["properties"]["A3"]
        );
    }
}

#[test]
fn hexlane_check_finds_nothing_wrong_with_the_earthquakes() {
    let (exit, lines) = check_file(&tools::earthquakes());
    assert_eq!((exit, lines.len()), (Some(0), 1_707));
    assert!(
        lines
            .iter()
            .all(|line| line["valid"] == true && line["violations"] == serde_json::json!([]))
    );
}

#[test]
fn hexlane_check_says_of_each_fine_country_what_geos_says() {
    let (exit, lines) = check_file(&tools::fine_countries());
    let reasons = reasons(&tools::fine_countries());
    assert_eq!((exit, lines.len(), reasons.len()), (Some(1), FINE, FINE));
    for (number, (line, reason)) in lines.iter().zip(&reasons).enumerate() {
        assert_eq!(line["feature"], number);
        assert_eq!(line["valid"], is_valid(reason), "{number}: {reason}");
        if !is_valid(reason) {
            let errors = errors(&line["violations"]);
            assert!(
                stands_among(reason, &errors),
                "{number}: {reason} is not among {errors:#?}"
            );
        }
    }
    let valid = lines.iter().filter(|line| line["valid"] == true).count();
    assert_eq!(valid, FINE_VALID);
    eprintln!("{FINE_VALID} of {FINE} fine countries are valid, as by GEOS");
}
