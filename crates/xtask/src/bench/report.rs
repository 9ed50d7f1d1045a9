//! A table for people and the same rows as JSON for machines.
//!
//! The JSON form is the one every benchmark of the project writes: an array of
//! `{"row", "ours", "peer", "unit", "ratio"}`, where a ratio above 1 means that
//! ours is better, whatever the unit.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::failure::Failure;

/// One comparison.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) ours: f64,
    pub(crate) peer: f64,
    pub(crate) unit: &'static str,
    /// Above 1: ours is better.
    pub(crate) ratio: f64,
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "row": self.name,
            "ours": self.ours,
            "peer": self.peer,
            "unit": self.unit,
            "ratio": self.ratio,
        })
    }
}

/// The rows as the array that goes into a file.
pub(crate) fn rows(rows: &[Row]) -> Value {
    rows.iter().map(Row::json).collect()
}

/// Prints the rows as a table.
pub(crate) fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    println!(
        "{:width$}  {:>12}  {:>12}  {:>6}  unit",
        "row", "ours", "peer", "ratio"
    );
    for row in rows {
        println!(
            "{:width$}  {:>12.1}  {:>12.1}  {:>6.2}  {}",
            row.name, row.ours, row.peer, row.ratio, row.unit
        );
    }
}

/// Writes `value` to `folder/name`, making the folder.
pub(crate) fn write(folder: &Path, name: &str, value: &Value) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    let path = folder.join(name);
    fs::write(&path, format!("{value:#}\n")).map_err(Failure::file("write", &path))?;
    println!("written: {}", path.display());
    Ok(())
}
