//! Every form of output, as a program that reads it sees it.

use super::support::{BOWTIE, POINT, hexlane, json_lines, out, write};
use quick_xml::events::Event;
use serde_json::Value;
use std::path::Path;
use std::process::Output;
use tempfile::{TempDir, tempdir};

/// A folder with a bowtie, an open ring, a good point and what is no JSON.
fn files() -> TempDir {
    let folder = tempdir().unwrap();
    let open = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#;
    std::fs::create_dir(folder.path().join("in")).unwrap();
    write(folder.path(), "in/1 bow.json", BOWTIE);
    write(folder.path(), "in/2.geojson", POINT);
    write(folder.path(), "in/3.json", open);
    write(folder.path(), "in/4.json", "{nope");
    folder
}

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = hexlane(folder);
    command.arg("check").args(arguments).output().unwrap()
}

#[test]
fn geojson_is_a_collection_of_points_in_the_order_of_the_files() {
    let folder = files();
    let output = check(folder.path(), &["in", "--output", "geojson"]);
    assert_eq!(output.status.code(), Some(2));
    let document: geojson::GeoJson = out(&output).parse().unwrap();
    let collection = geojson::FeatureCollection::try_from(document).unwrap();
    let told = |feature: &geojson::Feature| {
        let text = |name: &str| feature.property(name).unwrap().as_str().unwrap().to_owned();
        (text("file"), text("code"), feature.geometry.clone())
    };
    let point = |x: f64, y: f64| Some(geojson::Geometry::new_point([x, y]));
    let expected = [
        (
            "in/1 bow.json",
            "geometry.self_intersection",
            point(0.5, 0.5),
        ),
        ("in/3.json", "geometry.not_closed", point(0.0, 1.0)),
        ("in/4.json", "parse.syntax", None),
    ];
    let expected = expected.map(|(file, code, at)| (file.to_owned(), code.to_owned(), at));
    let found: Vec<_> = collection.features.iter().map(told).collect();
    assert_eq!(found, expected);
}

#[test]
fn sarif_has_a_result_a_violation_under_relative_names() {
    let folder = files();
    let output = check(folder.path(), &["in", "gone.json", "--output", "sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let told = |result: &Value| {
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        let region = &location["region"];
        format!(
            "{uri}:{}:{} {}",
            region["startLine"],
            region["startColumn"],
            result["ruleId"].as_str().unwrap()
        )
    };
    let found: Vec<_> = results.iter().map(told).collect();
    let expected = [
        "in/1%20bow.json:1:35 geometry.self_intersection",
        "in/3.json:1:53 geometry.not_closed",
        "in/4.json:1:2 parse.syntax",
    ];
    assert_eq!(found, expected);
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0]["message"]["text"]
            .as_str()
            .unwrap()
            .starts_with("gone.json: ")
    );
}

#[test]
fn svg_is_well_formed_and_has_a_mark_for_each_place() {
    let folder = files();
    let output = check(
        folder.path(),
        &["in/1 bow.json", "in/3.json", "--output", "svg"],
    );
    assert_eq!(output.status.code(), Some(1));
    let svg = out(&output);
    let mut reader = quick_xml::Reader::from_str(&svg);
    let mut circles = 0;
    loop {
        let event = reader.read_event().unwrap();
        if matches!(event, Event::Eof) {
            break;
        }
        if let Event::Start(element) = event {
            circles += usize::from(element.name().as_ref() == "circle");
        }
    }
    assert_eq!(circles, 2, "{svg}");
}

#[test]
fn every_form_is_the_same_whatever_the_number_of_jobs() {
    let folder = tempdir().unwrap();
    for number in 0..60 {
        // Larger ones first: they end last when they are judged beside small ones.
        let many = format!("{BOWTIE}\n").repeat(60 - number);
        write(folder.path(), &format!("{number:02}.ndjson"), &many);
    }
    for format in ["text", "json", "geojson", "sarif", "svg"] {
        let told = |jobs: &str| check(folder.path(), &[".", "--output", format, "--jobs", jobs]);
        let one = told("1");
        assert_eq!(one.status.code(), Some(1));
        for jobs in ["2", "7", "1000000"] {
            assert!(told(jobs).stdout == one.stdout, "{format} with {jobs} jobs");
        }
    }
    let lines = json_lines(&check(folder.path(), &[".", "--output", "json"]));
    let names: Vec<_> = lines
        .iter()
        .map(|line| line["file"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}
