//! The packages that were asked for by name, and how the members are called.

use hexlane_tests::workspace::{Workspace, root};

/// Each is a normal dependency of a shipped member.
const NAMED_AND_IN: [&str; 7] = [
    "geo",
    "h3o",
    "redis",
    "serde",
    "tokio",
    "wasm-bindgen",
    "worker",
];

/// Asked for as well; once in, a package moves to the list above.
const NAMED_AND_TO_COME: [&str; 1] = ["geojson"];

fn shipped_users(package: &str) -> Vec<String> {
    let workspace = Workspace::read();
    let shipped = workspace
        .members()
        .into_iter()
        .filter(hexlane_tests::workspace::Member::is_shipped);
    let users = shipped.filter(|member| member.normal().contains(package));
    users.map(|member| member.name().to_owned()).collect()
}

#[test]
fn each_named_package_is_a_normal_dependency_of_a_shipped_member() {
    for package in NAMED_AND_IN {
        assert!(
            !shipped_users(package).is_empty(),
            "no shipped member uses {package}"
        );
    }
}

#[test]
fn a_named_package_that_has_come_in_is_listed_as_in() {
    for package in NAMED_AND_TO_COME {
        let users = shipped_users(package);
        assert!(
            users.is_empty(),
            "{users:?} use {package} now: list it in NAMED_AND_IN"
        );
    }
}

#[test]
fn a_package_is_called_after_its_folder() {
    let workspace = Workspace::read();
    for member in workspace.members() {
        let folder = member.folder();
        let folder = folder
            .file_name()
            .expect("a folder has a name")
            .to_string_lossy()
            .into_owned();
        let expected = if folder == "ogc-validity" {
            folder
        } else {
            format!("hexlane-{folder}")
        };
        assert_eq!(member.name(), expected, "in {}", member.folder().display());
    }
}

#[test]
fn members_stand_where_the_design_puts_them() {
    let top = ["worker", "native-consumer", "tests"].map(|name| root().join(name));
    for member in Workspace::read().members() {
        let folder = member.folder();
        let in_crates = folder.parent() == Some(&root().join("crates"));
        assert!(in_crates || top.contains(&folder), "{}", folder.display());
    }
}
