//! Who may be linked with whom. Arrows point down only.

use hexlane_tests::workspace::{Member, Workspace};
use std::collections::BTreeSet;

/// A member, and every member it may be linked with: its own targets and what is below
/// them. `hexlane-backend-*` stands for each backend.
const ARROWS: [(&str, &[&str]); 18] = [
    ("hexlane-servers", &[]),
    ("ogc-validity", &[]),
    ("hexlane-reproject", &[]),
    ("hexlane-repair", &["ogc-validity"]),
    (
        "hexlane-core",
        &["hexlane-repair", "hexlane-reproject", "ogc-validity"],
    ),
    (
        "hexlane-door",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-delivery",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-backend",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-streams",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-backend-redis",
        &[
            "hexlane-servers",
            "hexlane-streams",
            "hexlane-backend",
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    ("hexlane-join", &["ogc-validity"]),
    (
        "hexlane-findings",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-backend-*",
        &[
            "hexlane-servers",
            "hexlane-backend",
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-engine",
        &[
            "hexlane-delivery",
            "hexlane-backend",
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-worker",
        &[
            "hexlane-door",
            "hexlane-streams",
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-native-consumer",
        &[
            "hexlane-engine",
            "hexlane-findings",
            "hexlane-join",
            "hexlane-backend-*",
            "hexlane-backend-redis",
            "hexlane-servers",
            "hexlane-streams",
            "hexlane-door",
            "hexlane-delivery",
            "hexlane-backend",
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    (
        "hexlane-oracle",
        &[
            "hexlane-core",
            "hexlane-repair",
            "hexlane-reproject",
            "ogc-validity",
        ],
    ),
    ("hexlane-xtask", &[]),
];

/// The tests see Hexlane from outside; core and door only for the golden vectors, stores and
/// engine only for the benchmark of a drain.
const TESTS: [&str; 12] = [
    "hexlane-backend",
    "hexlane-backend-*",
    "hexlane-backend-redis",
    "hexlane-core",
    "hexlane-door",
    "hexlane-engine",
    "hexlane-native-consumer",
    "hexlane-repair",
    "hexlane-reproject",
    "hexlane-servers",
    "hexlane-streams",
    "ogc-validity",
];

/// `hexlane-backend-sqlite` as it stands in the table; a backend with a row of its own
/// stands for itself.
fn in_table(name: &str) -> &str {
    let own_row = ARROWS.iter().any(|(from, _)| *from == name);
    if name.starts_with("hexlane-backend-") && !own_row {
        "hexlane-backend-*"
    } else {
        name
    }
}

fn allowed(name: &str) -> &'static [&'static str] {
    if name == "hexlane-tests" {
        return &TESTS;
    }
    let row = ARROWS.iter().find(|(from, _)| *from == in_table(name));
    row.unwrap_or_else(|| panic!("{name} is not in the table of arrows: decide what it may know"))
        .1
}

fn forbidden(member: Member<'_>, members: &BTreeSet<String>) -> Vec<String> {
    let targets = allowed(member.name());
    let linked = member
        .linked()
        .into_iter()
        .filter(|name| members.contains(name));
    linked
        .filter(|name| !targets.contains(&in_table(name)))
        .collect()
}

#[test]
fn every_arrow_between_members_points_down() {
    let workspace = Workspace::read();
    let members = workspace.members();
    let names: BTreeSet<String> = members
        .iter()
        .map(|member| member.name().to_owned())
        .collect();
    for member in &members {
        let forbidden = forbidden(*member, &names);
        assert!(
            forbidden.is_empty(),
            "{} must not know {forbidden:?}",
            member.name()
        );
    }
}

#[test]
fn what_a_target_may_know_is_in_the_row_of_who_knows_the_target() {
    for (from, targets) in ARROWS {
        for target in targets {
            let beyond = allowed(target)
                .iter()
                .filter(|each| !targets.contains(*each));
            let beyond: Vec<_> = beyond.collect();
            assert!(
                beyond.is_empty(),
                "{from} knows {target} and not {beyond:?} below it"
            );
            assert!(
                !allowed(target).contains(&from),
                "{from} and {target} know each other"
            );
        }
    }
}
