//! Rules of form that no lint knows.

use hexlane_tests::workspace::{Manifest, Source, Workspace, root};

const LINES_MAX: usize = 500;

/// Names that say nothing of what is inside.
const EMPTY_NAMES: [&str; 7] = [
    "utils", "util", "common", "helpers", "helper", "misc", "shared",
];

fn sources() -> Vec<Source> {
    Workspace::read()
        .members()
        .iter()
        .flat_map(hexlane_tests::workspace::Member::sources)
        .collect()
}

#[test]
fn every_file_opens_with_its_job() {
    let says = |source: &Source| {
        let first = source.text.lines().next().unwrap_or_default();
        first.strip_prefix("//! ").is_some_and(|job| job.len() > 10)
    };
    let silent: Vec<_> = sources()
        .into_iter()
        .filter(|source| !says(source))
        .collect();
    let silent: Vec<_> = silent.iter().map(|source| source.path.display()).collect();
    assert!(silent.is_empty(), "these open without `//!`: {silent:#?}");
}

#[test]
fn no_shipped_file_is_longer_than_500_lines() {
    for source in sources().iter().filter(|source| source.is_shipped()) {
        let lines = source.shipped_lines().count();
        assert!(
            lines <= LINES_MAX,
            "{} has {lines} lines",
            source.path.display()
        );
    }
}

#[test]
fn half_of_the_shipped_files_have_180_lines_at_most_and_nine_in_ten_350() {
    let sources = sources();
    let shipped = sources.iter().filter(|source| source.is_shipped());
    let mut lines: Vec<usize> = shipped
        .map(|source| source.shipped_lines().count())
        .collect();
    lines.sort_unstable();
    let (half, nine_tenths) = (lines[lines.len() / 2], lines[lines.len() * 9 / 10]);
    assert!(
        half <= 180 && nine_tenths <= 350,
        "half {half}, nine in ten {nine_tenths}"
    );
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    let root = root();
    for source in sources() {
        let path = source
            .path
            .strip_prefix(&root)
            .expect("a source lies in the repository");
        let names = path.with_extension("");
        let names = names
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        let empty: Vec<String> = names
            .filter(|name| EMPTY_NAMES.contains(&name.as_str()))
            .collect();
        assert!(empty.is_empty(), "{}", path.display());
    }
}

#[test]
fn every_member_takes_the_lints_of_the_workspace() {
    for member in Workspace::read().members() {
        assert!(
            member.manifest().inherits_lints(),
            "{}: [lints] workspace = true",
            member.name()
        );
    }
}

#[test]
fn every_dependency_stands_once_with_its_default_features_off() {
    let root = Manifest::read(&root().join("Cargo.toml"));
    for (name, written) in root.workspace_dependencies() {
        let own = written.get("path").is_some();
        let off = written
            .get("default-features")
            .and_then(toml::Value::as_bool)
            == Some(false);
        assert!(own || off, "{name} has its default features on");
    }
    for member in Workspace::read().members() {
        for (name, written) in member.manifest().dependencies() {
            let own = written.get("path").and_then(toml::Value::as_str) == Some(".");
            let inherited = written.get("workspace").and_then(toml::Value::as_bool) == Some(true);
            assert!(
                own || inherited,
                "{} has its own version of {name}",
                member.name()
            );
        }
    }
}
