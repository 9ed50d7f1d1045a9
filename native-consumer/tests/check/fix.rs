//! `--fix`: repaired copies, and what is said of them; `--crs`: files that say nothing, or the
//! wrong thing, of their system.

use super::support::{BOWTIE, POINT, err, hexlane, json_lines, out, with_stdin, write};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::tempdir;

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = hexlane(folder);
    command.arg("check").args(arguments).output().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// What stands in front of a text and behind its `coordinates`, which must not change.
const AROUND: [&str; 2] = [
    "{ \"type\":\"FeatureCollection\",\n \"bbox\" : [0,0,9,9],  \"features\":[\n {\"id\":7.50,\"type\":\"Feature\",\"properties\":{\"a\":1e2,\"ä\":\"\\u00e4\"},\"geometry\":{\"coordinates\":",
    ",\"type\":\"Polygon\"}} ,\n {\"type\":\"Feature\",\"properties\":null,\"geometry\":{\"type\":\"Point\",\"coordinates\":[ 1.10 , 2.0 ]}}\n] }\n",
];

#[test]
fn a_bowtie_is_repaired_in_a_copy_and_every_other_byte_stays() {
    let folder = tempdir().unwrap();
    let coordinates = "[ [ [0.0,0.00], [2 , 2.0],[2.0,0], [0,2e0], [0.0,0.00] ] ]";
    let text = format!("{}{coordinates}{}", AROUND[0], AROUND[1]);
    write(folder.path(), "in.json", &text);
    let output = check(folder.path(), &["in.json", "--fix", "out.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(read(folder.path(), "in.json"), text);
    let copy = read(folder.path(), "out.json");
    let changed = AROUND[1].replacen("Polygon", "MultiPolygon", 1);
    assert!(
        copy.starts_with(AROUND[0]) && copy.ends_with(&changed),
        "{copy}"
    );
    let written = &copy[AROUND[0].len()..copy.len() - changed.len()];
    // Positions that stay are written as they stood.
    for position in ["[0.0,0.00]", "[2 , 2.0]", "[2.0,0]", "[0,2e0]", "[1,1]"] {
        assert!(written.contains(position), "{written}");
    }
    let said = out(&output);
    assert!(
        said.contains("in.json: feature 0: repaired by make-valid:even_odd, parts 1 to 2, "),
        "{said}"
    );
    assert!(said.contains("1 vertex new"), "{said}");
    assert!(
        said.ends_with("in.json: 1 feature repaired in out.json, 0 still not valid\n"),
        "{said}"
    );
    let again = check(folder.path(), &["out.json"]);
    assert_eq!(again.status.code(), Some(0), "{}", out(&again));
}

#[test]
fn an_open_ring_is_closed_and_nothing_is_repaired_that_was_not_asked() {
    let folder = tempdir().unwrap();
    let open = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#;
    write(folder.path(), "open.json", open);
    let output = check(
        folder.path(),
        &["open.json", "--fix", "closed.json", "--output", "json"],
    );
    assert_eq!(output.status.code(), Some(0));
    let closed = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#;
    assert_eq!(read(folder.path(), "closed.json"), closed);
    let lines = json_lines(&output);
    assert_eq!(lines[0]["valid"], false);
    assert_eq!(lines[1]["repaired"][0]["step"], "close-ring");
    assert_eq!(
        lines[2],
        json!({"file":"open.json","copy":"closed.json","features_repaired":1,"features_not_valid":0})
    );
    let output = check(
        folder.path(),
        &["open.json", "--fix", "same.json", "--repair", "rewind"],
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(read(folder.path(), "same.json"), open);
}

#[test]
fn what_cannot_be_repaired_stays_and_is_told_with_the_reason() {
    let folder = tempdir().unwrap();
    let flat = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}"#;
    let lines = format!("{flat}\n{BOWTIE}\n{POINT}\n");
    write(folder.path(), "in.ndjson", &lines);
    let output = check(folder.path(), &["in.ndjson", "--fix", "out.ndjson"]);
    assert_eq!(output.status.code(), Some(1));
    let copy = read(folder.path(), "out.ndjson");
    let rows: Vec<&str> = copy.lines().collect();
    assert_eq!((rows.len(), rows[0], rows[2]), (3, flat, POINT));
    assert_eq!(parsed(rows[1])["type"], "MultiPolygon");
    let said = out(&output);
    assert!(
        said.contains("in.ndjson: feature 0: repair.collapsed: not repaired: nothing is left"),
        "{said}"
    );
    assert!(
        said.ends_with("in.ndjson: 1 feature repaired in out.ndjson, 1 still not valid\n"),
        "{said}"
    );
}

#[test]
fn a_polygon_over_the_antimeridian_is_split() {
    let folder = tempdir().unwrap();
    let over =
        r#"{"type":"Polygon","coordinates":[[[177,10],[-175,10],[-175,20],[177,20],[177,10]]]}"#;
    write(folder.path(), "in.json", over);
    let steps = ["--repair", "split-antimeridian"];
    let output = check(
        folder.path(),
        &[&["in.json", "--fix", "out.json"], &steps[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    let copy = parsed(&read(folder.path(), "out.json"));
    assert_eq!(copy["type"], "MultiPolygon");
    assert_eq!(copy["coordinates"].as_array().unwrap().len(), 2);
    let again = check(folder.path(), &["out.json"]);
    assert!(!out(&again).contains("antimeridian"), "{}", out(&again));
    let crs = ["--crs", "EPSG:25832"];
    let refused = check(
        folder.path(),
        &[&["in.json", "--fix", "no.json"], &steps[..], &crs[..]].concat(),
    );
    assert_eq!(refused.status.code(), Some(2));
    assert!(!folder.path().join("no.json").exists());
}

#[test]
fn a_file_that_is_there_is_replaced_only_when_that_is_said() {
    let folder = tempdir().unwrap();
    write(folder.path(), "in.json", BOWTIE);
    let refused = check(folder.path(), &["in.json", "--fix", "in.json"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(err(&refused).contains("in.json is there already; --overwrite replaces it"));
    assert_eq!(read(folder.path(), "in.json"), BOWTIE);
    let replaced = check(
        folder.path(),
        &["in.json", "--fix", "in.json", "--overwrite"],
    );
    assert_eq!(replaced.status.code(), Some(0), "{}", err(&replaced));
    assert_eq!(
        parsed(&read(folder.path(), "in.json"))["type"],
        "MultiPolygon"
    );
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1);
}

#[test]
fn several_files_have_their_copies_in_a_folder_under_their_names() {
    let folder = tempdir().unwrap();
    fs::create_dir_all(folder.path().join("in/deep")).unwrap();
    write(folder.path(), "in/a.json", BOWTIE);
    write(folder.path(), "in/deep/b.json", POINT);
    write(folder.path(), "in/c.json", "{nope");
    let output = check(folder.path(), &["in", "--fix", "out", "--output", "sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(
        said.contains("in/c.json: no repaired copy: it is no JSON"),
        "{said}"
    );
    assert!(
        said.contains("in/a.json: 1 feature repaired in out/in/a.json"),
        "{said}"
    );
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(read(folder.path(), "out/in/deep/b.json"), POINT);
    assert_eq!(check(folder.path(), &["out"]).status.code(), Some(0));
    assert!(!folder.path().join("out/in/c.json").exists());
}

#[test]
fn wrong_steps_and_systems_are_refused_before_anything_is_read() {
    let folder = tempdir().unwrap();
    for arguments in [
        &["-", "--fix", "x", "--repair", "close-ring,glue"][..],
        &["-", "--repair", "rewind"],
        &["-", "--overwrite"],
        &["-", "--crs", "EPSG"],
    ] {
        let output = check(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_system_named_on_the_command_line_counts() {
    let folder = tempdir().unwrap();
    let metres = r#"{"type":"Polygon","coordinates":[[[565000,5930000],[566000,5931000],[566000,5930000],[565000,5931000],[565000,5930000]]]}"#;
    write(folder.path(), "metres.json", metres);
    let codes = |arguments: &[&str]| {
        let output = check(folder.path(), &[arguments, &["--output", "json"]].concat());
        let lines = json_lines(&output);
        let of = |line: &Value| line["violations"].as_array().cloned().unwrap_or_default();
        let all: Vec<String> = lines
            .iter()
            .flat_map(of)
            .map(|each| each["code"].as_str().unwrap().to_owned())
            .collect();
        (output.status.code(), all)
    };
    let (_, degrees) = codes(&["metres.json"]);
    assert!(
        degrees.contains(&"crs.longitude_out_of_range".to_owned()),
        "{degrees:?}"
    );
    let crossing = vec!["geometry.self_intersection".to_owned()];
    assert_eq!(
        codes(&["metres.json", "--crs", "EPSG:25832"]),
        (Some(1), crossing.clone())
    );
    // A number alone is a code; one that needs a grid is judged and not reprojected.
    assert_eq!(
        codes(&["metres.json", "--crs", "25832"]),
        (Some(1), crossing.clone())
    );
    assert_eq!(
        codes(&["metres.json", "--crs", "EPSG:999998"]),
        (Some(1), crossing)
    );
    // Where the file says otherwise, that is an error.
    let other = metres.replacen(
        '{',
        r#"{"crs":{"type":"name","properties":{"name":"EPSG:3857"}},"#,
        1,
    );
    write(folder.path(), "other.json", &other);
    let (_, found) = codes(&["other.json", "--crs", "EPSG:25832"]);
    assert!(found.contains(&"crs.conflict".to_owned()), "{found:?}");
    // Repaired in its own coordinates.
    let fixed = check(
        folder.path(),
        &["metres.json", "--crs", "25832", "--fix", "fixed.json"],
    );
    assert_eq!(fixed.status.code(), Some(0), "{}", out(&fixed));
    assert!(read(folder.path(), "fixed.json").contains("[565500,5930500]"));
}

#[test]
fn stdin_is_repaired_too() {
    let folder = tempdir().unwrap();
    let output = with_stdin(
        hexlane(folder.path()).args(["check", "-", "--fix", "out.json"]),
        BOWTIE,
    );
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(
        parsed(&read(folder.path(), "out.json"))["type"],
        "MultiPolygon"
    );
}
