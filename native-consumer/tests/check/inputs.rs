//! What a check is given, also by who means harm.

use super::support::{BOWTIE, POINT, err, hexlane, json_lines, out, write};
use std::io::Read as _;
use std::path::Path;
use std::process::{Output, Stdio};
use tempfile::tempdir;

fn check(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = hexlane(folder);
    command.arg("check").args(arguments).output().unwrap()
}

#[test]
fn folders_and_globs_are_files_in_the_order_of_their_names() {
    let folder = tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("b/c")).unwrap();
    for name in ["b/c/1.geojsonl", "b/2.JSON", "a.geojson", "b/readme.md"] {
        write(folder.path(), name, POINT);
    }
    let files = |arguments: &[&str]| {
        let output = check(folder.path(), &[arguments, &["--output", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        let name = |line: serde_json::Value| line["file"].as_str().unwrap().to_owned();
        json_lines(&output)
            .into_iter()
            .map(name)
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&["."]), ["a.geojson", "b/2.JSON", "b/c/1.geojsonl"]);
    assert_eq!(
        files(&["b/**/*.geojsonl", "a.geojson"]),
        ["b/c/1.geojsonl", "a.geojson"]
    );
    assert_eq!(
        files(&["./b/*", "b"]),
        ["b/2.JSON", "b/readme.md", "b/c/1.geojsonl"]
    );
}

#[test]
fn an_input_without_a_file_ends_2_and_hides_no_other() {
    let folder = tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    write(folder.path(), "good.json", POINT);
    for (input, reason) in [
        ("empty", "empty: no GeoJSON file in it"),
        ("*.geojson", "*.geojson: no file matches"),
        ("[a", "[a: "),
        ("gone.json", "gone.json: "),
    ] {
        let output = check(folder.path(), &[input, "good.json"]);
        assert_eq!(output.status.code(), Some(2), "{input}");
        assert!(err(&output).contains(reason), "{}", err(&output));
        assert!(out(&output).contains("good.json: 1 feature, 1 valid, 0 not"));
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_would_forge_lines_or_command_a_terminal_is_escaped() {
    let folder = tempdir().unwrap();
    let name = "a\nb.json: 1 feature, 1 valid\u{1b}[2J.json";
    write(folder.path(), name, BOWTIE);
    let output = check(folder.path(), &[".", "gone\u{1b}[2J\nx"]);
    assert_eq!(output.status.code(), Some(2));
    let (text, complaint) = (out(&output), err(&output));
    assert!(!text.contains('\u{1b}') && !complaint.contains('\u{1b}'));
    assert!(
        text.starts_with("a\\nb.json: 1 feature, 1 valid\\u{1b}[2J.json:1:"),
        "{text}"
    );
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    let output = check(folder.path(), &[".", "--output", "json"]);
    assert_eq!(json_lines(&output)[0]["file"], name);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_utf_8_is_judged_like_any_other() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempdir().unwrap();
    let name = OsStr::from_bytes(b"\xff.json");
    std::fs::write(folder.path().join(name), BOWTIE).unwrap();
    for format in ["text", "json", "geojson", "sarif", "svg"] {
        let output = check(folder.path(), &[".", "--output", format]);
        assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    }
    let sarif = out(&check(folder.path(), &[".", "--output", "sarif"]));
    assert!(sarif.contains(r#""uri":"%FF.json""#), "{sarif}");
}

#[cfg(unix)]
#[test]
fn links_that_lead_to_themselves_end() {
    use std::os::unix::fs::symlink;
    let folder = tempdir().unwrap();
    write(folder.path(), "good.json", POINT);
    symlink(".", folder.path().join("loop")).unwrap();
    symlink("round.json", folder.path().join("round.json")).unwrap();
    let output = check(folder.path(), &["."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("round.json: "), "{}", err(&output));
    assert_eq!(out(&output).matches("good.json: 1 feature").count(), 1);
}

#[test]
fn a_reader_that_has_enough_ends_it_without_a_complaint() {
    let folder = tempdir().unwrap();
    for number in 0..40 {
        write(
            folder.path(),
            &format!("{number}.ndjson"),
            &format!("{BOWTIE}\n").repeat(1_000),
        );
    }
    for format in ["text", "json", "geojson", "sarif"] {
        let mut child = hexlane(folder.path())
            .args(["check", ".", "--output", format])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        // The pipe is closed by now.
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), err(&output).as_str()),
            (Some(0), ""),
            "{format}"
        );
    }
}

#[test]
fn slow_a_file_of_100_mb_on_one_line_is_judged_and_every_fault_has_its_column() {
    let folder = tempdir().unwrap();
    let mut body = String::from(r#"{"type":"FeatureCollection","features":["#);
    let ring: Vec<String> = (0..2_000)
        .map(|vertex| f64::from(vertex) / 2_000.0 * std::f64::consts::TAU)
        .map(|angle| format!("[{},{}]", angle.cos(), angle.sin()))
        .collect();
    let good = format!(
        r#"{{"type":"Feature","properties":{{}},"geometry":{{"type":"Polygon","coordinates":[[{},[1,0]]]}}}}"#,
        ring.join(",")
    );
    let bad = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{BOWTIE}}}"#);
    let mut faults = Vec::new();
    while body.len() < 100 << 20 {
        body.push_str(&good);
        body.push(',');
        faults.push(body.len() + bad.find("[[[0,0]").unwrap() + 2);
        body.push_str(&bad);
        body.push(',');
    }
    body.pop();
    body.push_str("]}");
    write(folder.path(), "large.json", &body);
    let output = check(folder.path(), &["large.json"]);
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    let columns = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("large.json:1:")?;
        Some(rest.split_once(':')?.0.parse::<usize>().unwrap() - 1)
    });
    assert_eq!(columns.collect::<Vec<_>>(), faults);
}
