//! The countries in every form that `hexlane check` writes: each tells what the JSON form
//! tells, and programs of others can read it.

use hexlane_tests::consumer::{check_file, check_file_as};
use hexlane_tests::{process, tools};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every violation of the countries, as the JSON form tells it.
fn violations() -> Vec<Value> {
    let (exit, lines) = check_file(&tools::countries());
    assert_eq!((exit, lines.len()), (Some(1), 220));
    let all = lines
        .iter()
        .filter_map(|line| line["violations"].as_array());
    all.flatten().cloned().collect()
}

fn told_as(format: &str) -> String {
    let (exit, text) = check_file_as(&tools::countries(), format);
    assert_eq!(exit, Some(1), "{format}");
    text
}

/// Line and column of an offset, the column in UTF-16 code units.
fn place(file: &str, offset: &Value) -> (usize, usize) {
    let offset = usize::try_from(offset.as_u64().expect("an offset")).expect("a small file");
    let before = &file[..offset];
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line..].encode_utf16().count() + 1;
    (before.matches('\n').count() + 1, column)
}

#[test]
fn as_text_each_violation_is_a_line_with_its_place() {
    let (violations, text) = (violations(), told_as("text"));
    let file = fs::read_to_string(tools::countries()).expect("the test data");
    let lines: Vec<&str> = text.lines().collect();
    let (sum, lines) = lines.split_last().expect("a sum");
    assert!(sum.ends_with(": 220 features, 137 valid, 83 not"), "{sum}");
    assert_eq!(lines.len(), violations.len());
    for (line, violation) in lines.iter().zip(&violations) {
        let (number, column) = place(&file, &violation["byte_offset"]);
        let code = violation["code"].as_str().expect("a code");
        let severity = violation["severity"].as_str().expect("a severity");
        let expected = format!(":{number}:{column}: {severity} {code}: ");
        assert!(line.contains(&expected), "{line} without {expected}");
    }
}

#[test]
fn as_geojson_each_violation_is_a_point_that_gdal_reads() {
    let (violations, text) = (violations(), told_as("geojson"));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let features = document["features"].as_array().expect("features");
    assert_eq!(features.len(), violations.len());
    for (feature, violation) in features.iter().zip(&violations) {
        assert_eq!(feature["properties"]["code"], violation["code"]);
        assert_eq!(feature["properties"]["pointer"], violation["pointer"]);
        // A winding has a place in the geometry, and so on the map, but no location.
        assert_eq!(feature["geometry"]["type"], "Point");
        if !violation["location"].is_null() {
            assert_eq!(feature["geometry"]["coordinates"], violation["location"]);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("faults.geojson");
    fs::write(&file, text).expect("a file");
    let mut info = Command::new("ogrinfo");
    let summary = process::output(info.args(["-so", "-al"]).arg(&file));
    let count = format!("Feature Count: {}", violations.len());
    assert!(
        summary.contains(&count) && summary.contains("Geometry: Point"),
        "{summary}"
    );
}

#[test]
fn as_sarif_each_violation_is_a_result_whose_region_is_its_position() {
    let (violations, text) = (violations(), told_as("sarif"));
    let file = fs::read_to_string(tools::countries()).expect("the test data");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), violations.len());
    for (result, violation) in results.iter().zip(&violations) {
        assert_eq!(result["ruleId"], violation["code"]);
        let region = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!(region["byteOffset"], violation["byte_offset"]);
        let number = |name: &str| {
            let number = region[name].as_u64().expect("a number");
            usize::try_from(number).expect("a small file")
        };
        let (line, column) = place(&file, &region["byteOffset"]);
        assert_eq!((number("startLine"), number("startColumn")), (line, column));
        let start = number("byteOffset");
        let position: Vec<f64> = serde_json::from_str(&file[start..start + number("byteLength")])
            .expect("the region is a position");
        assert_eq!(position.len(), 2);
    }
}

/// What Python's XML parser finds at every mark, one line a violation.
const TITLES: &str = "
import sys, xml.etree.ElementTree as tree
svg = '{http://www.w3.org/2000/svg}'
for circle in tree.parse(sys.argv[1]).iter(svg + 'circle'):
    print(circle.find(svg + 'title').text)
";

#[test]
fn as_svg_each_violation_is_told_at_a_mark() {
    let (violations, svg) = (violations(), told_as("svg"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("faults.svg");
    fs::write(&file, &svg).expect("a file");
    let titles = titles(&file);
    let more = |line: &str| {
        let count = line.strip_prefix("and ")?.strip_suffix(" more here")?;
        count.parse::<usize>().ok()
    };
    let told: usize = titles.lines().map(|line| more(line).unwrap_or(1)).sum();
    assert_eq!(told, violations.len());
    assert!(!svg.contains("fill=\"#0"), "an outline is filled");
}

fn titles(file: &Path) -> String {
    let mut python = Command::new(tools::python());
    process::output(python.args(["-c", TITLES]).arg(file))
}
