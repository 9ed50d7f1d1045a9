//! A `GeoPackage` as GDAL reads it: the judge from outside of what stands on the map.

use crate::process::output;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Rows of a query: members of the row, and its geometry.
///
/// # Panics
/// When GDAL is absent or refuses.
#[must_use]
pub fn query(file: &Path, sql: &str) -> Vec<Value> {
    let mut command = Command::new("ogr2ogr");
    command
        .args(["-f", "GeoJSONSeq", "/vsistdout/"])
        .arg(file)
        .args(["-sql", sql]);
    let text = run(&mut command);
    let rows = text.lines().map(|line| line.trim_start_matches('\u{1e}'));
    let rows = rows.filter(|line| !line.trim().is_empty());
    rows.map(|row| serde_json::from_str(row).expect("GDAL writes JSON"))
        .collect()
}

/// The one number of a query, named `n`.
///
/// # Panics
/// When it has none.
#[must_use]
pub fn number(file: &Path, sql: &str) -> u64 {
    let rows = query(file, sql);
    let number = rows.first().and_then(|row| row["properties"]["n"].as_u64());
    number.unwrap_or_else(|| panic!("{sql}: no number in {rows:?}"))
}

/// How many features the layer has.
#[must_use]
pub fn count(file: &Path, layer: &str) -> u64 {
    number(file, &format!("SELECT COUNT(*) AS n FROM {layer}"))
}

/// What `ogrinfo` prints of the whole layer.
#[must_use]
pub fn listing(file: &Path, layer: &str) -> String {
    run(Command::new("ogrinfo")
        .args(["-ro", "-al"])
        .arg(file)
        .arg(layer))
}

/// Geometries of a layer as text with every digit, each with the value of a column, in
/// the order of that value.
#[must_use]
pub fn geometries(file: &Path, layer: &str, column: &str) -> Vec<(String, String)> {
    let mut command = Command::new("ogr2ogr");
    command
        .args([
            "--config",
            "OGR_WKT_PRECISION",
            "17",
            "-f",
            "CSV",
            "/vsistdout/",
        ])
        .arg(file);
    command.args([
        "-select",
        column,
        "-lco",
        "GEOMETRY=AS_WKT",
        "-lco",
        "SEPARATOR=TAB",
        layer,
    ]);
    let text = run(&mut command);
    let rows = text
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once('\t'));
    let unquoted = |text: &str| text.trim_matches('"').to_owned();
    let mut rows: Vec<_> = rows
        .map(|(wkt, name)| (unquoted(name), unquoted(wkt)))
        .collect();
    rows.sort();
    rows
}

/// Runs a program of GDAL.
pub(crate) fn run(command: &mut Command) -> String {
    let missing = "GDAL is absent: `cargo xtask test` brings it (apt-get install gdal-bin)";
    assert!(
        Command::new("ogrinfo").arg("--version").output().is_ok(),
        "{missing}"
    );
    output(command)
}
