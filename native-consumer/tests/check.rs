//! `hexlane check` on small files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy knows the functions of a test, and not what they stand on"
)]

mod support;

#[path = "check/fix.rs"]
mod fix;
#[path = "check/formats.rs"]
mod formats;
#[path = "check/inputs.rs"]
mod inputs;
#[path = "check/terminal.rs"]
mod terminal;

use support::{BOWTIE, POINT, err, hexlane, json_lines, out, with_stdin, write};
use tempfile::tempdir;

#[test]
fn a_valid_file_is_one_line_and_ends_0() {
    let folder = tempdir().unwrap();
    write(folder.path(), "point.geojson", POINT);
    let output = hexlane(folder.path())
        .args(["check", "point.geojson", "--output", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let expected = r#"{"file":"point.geojson","feature":0,"valid":true,"violations":[]}"#;
    assert_eq!(out(&output).trim(), expected);
}

#[test]
fn a_bowtie_is_told_with_every_member_and_ends_1() {
    let folder = tempdir().unwrap();
    let output = with_stdin(
        hexlane(folder.path()).args(["check", "-", "--output", "json"]),
        BOWTIE,
    );
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output);
    assert_eq!(
        (lines.len(), &lines[0]["feature"], &lines[0]["valid"]),
        (1, &0.into(), &false.into())
    );
    let violation = lines[0]["violations"][0].as_object().unwrap();
    for member in [
        "code",
        "stage",
        "severity",
        "clause",
        "pointer",
        "byte_offset",
        "location",
        "part",
        "ring",
        "vertex",
        "message",
    ] {
        assert!(violation.contains_key(member), "{member}");
    }
    assert_eq!(violation["code"], "geometry.self_intersection");
    assert_eq!(violation["location"], serde_json::json!([0.5, 0.5]));
}

#[test]
fn an_open_ring_is_told_to_people_with_line_and_column() {
    let folder = tempdir().unwrap();
    let open = "{\"type\":\"Polygon\",\n \"coordinates\":[[[0,0],[1,0],[1,1],[0,1]]]}";
    write(folder.path(), "open.json", open);
    let output = hexlane(folder.path())
        .args(["check", "open.json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    assert!(text.starts_with("open.json:2:"), "{text}");
    assert!(text.contains("error geometry.not_closed"), "{text}");
    assert!(
        text.ends_with("open.json: 1 feature, 0 valid, 1 not\n"),
        "{text}"
    );
}

#[test]
fn what_is_no_json_is_a_line_without_a_feature_and_ends_2() {
    let folder = tempdir().unwrap();
    let output = with_stdin(
        hexlane(folder.path()).args(["check", "-", "--output", "json"]),
        "{\"type\":",
    );
    assert_eq!(output.status.code(), Some(2));
    let lines = json_lines(&output);
    assert_eq!(lines[0]["feature"], serde_json::Value::Null);
    assert_eq!(lines[0]["violations"][0]["code"], "parse.syntax");
    assert_eq!(
        lines[0]["violations"][0]["location"],
        serde_json::Value::Null
    );
}

#[test]
fn several_files_end_with_the_worst_and_each_is_told() {
    let folder = tempdir().unwrap();
    write(folder.path(), "good.json", POINT);
    write(folder.path(), "bad.json", BOWTIE);
    let output = hexlane(folder.path())
        .args(["check", "good.json", "gone.json", "bad.json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("gone.json"));
    assert!(out(&output).contains("good.json: 1 feature, 1 valid, 0 not"));
    assert!(out(&output).contains("bad.json: 1 feature, 0 valid, 1 not"));
    let text = out(&output);
    let sum = "2 files: 2 features, 1 valid, 1 not; 1 could not be read\n";
    assert!(text.ends_with(sum), "{text}");
}

#[test]
fn sequences_are_checked_record_by_record() {
    let folder = tempdir().unwrap();
    let point = POINT.replace('\n', "");
    let bowtie = BOWTIE.replace('\n', "");
    let lines = format!("{point}\n{{nope\n{bowtie}\n{point}\n");
    write(folder.path(), "all.geojsonl", &lines);
    let separated = format!("\u{1e}{point}\n\u{1e}{point}\n");
    write(folder.path(), "all.geojsons", &separated);
    let check = |file: &str| {
        hexlane(folder.path())
            .args(["check", file, "--output", "json"])
            .output()
            .unwrap()
    };
    let output = check("all.geojsonl");
    assert_eq!(output.status.code(), Some(1));
    let found = json_lines(&output);
    let valid: Vec<_> = found.iter().map(|line| line["valid"].clone()).collect();
    assert_eq!(valid, [true, false, false, true]);
    let of = |index: usize| {
        let violation = &found[index]["violations"][0];
        (
            found[index]["feature"].clone(),
            violation["code"].clone(),
            violation["record"].clone(),
        )
    };
    assert_eq!(of(1), (1.into(), "parse.syntax".into(), 1.into()));
    assert_eq!(
        of(2),
        (2.into(), "geometry.self_intersection".into(), 2.into())
    );
    let text = hexlane(folder.path())
        .args(["check", "all.geojsonl"])
        .output()
        .unwrap();
    assert!(
        out(&text).contains("all.geojsonl:2:2: error parse.syntax"),
        "{}",
        out(&text)
    );
    assert!(out(&text).ends_with("all.geojsonl: 4 features, 2 valid, 2 not\n"));
    let output = check("all.geojsons");
    assert_eq!(
        (output.status.code(), json_lines(&output).len()),
        (Some(0), 2)
    );
}
