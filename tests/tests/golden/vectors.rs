//! A file of vectors: one JSON object a line.

use hexlane_tests::{tools, workspace};
use serde_json::{Map, Value};
use std::fs;
use std::path::PathBuf;

pub(crate) fn folder() -> PathBuf {
    workspace::root().join("tests/golden")
}

pub(crate) fn read(name: &str) -> Vec<Value> {
    let path = folder().join(format!("{name}.json"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Holds every vector to what the rule gives; `rule` returns the members of the result.
pub(crate) fn hold(name: &str, rule: impl Fn(&Value) -> Map<String, Value>) {
    let mut vectors = read(name);
    let mut added = 0;
    for vector in &mut vectors {
        let result = rule(vector);
        let members = vector.as_object_mut().expect("a vector is an object");
        if result.keys().any(|key| members.contains_key(key)) || !adding() {
            for (key, value) in &result {
                assert_eq!(
                    members.get(key),
                    Some(value),
                    "{key} of {name}: {members:?}"
                );
            }
        } else {
            members.extend(result);
            added += 1;
        }
    }
    if added > 0 {
        write(name, &vectors);
        panic!(
            "{added} results were added to {name}.json: read them, then run again without HEXLANE_GOLDEN"
        );
    }
}

fn adding() -> bool {
    tools::variable("HEXLANE_GOLDEN").as_deref() == Some("add")
}

fn write(name: &str, vectors: &[Value]) {
    let lines: Vec<String> = vectors.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    fs::write(folder().join(format!("{name}.json")), text).expect("the folder of vectors");
}
