//! What runs at the edge: no randomness, no clock, no runtime of its own.

use hexlane_tests::workspace::{Workspace, edge_tree};

/// These are told the time; they never ask.
const WITHOUT_CLOCK: [&str; 7] = [
    "ogc-validity",
    "hexlane-reproject",
    "hexlane-repair",
    "hexlane-core",
    "hexlane-door",
    "hexlane-delivery",
    "hexlane-streams",
];

/// Ways to ask for the time or for chance, as they stand in code.
const CLOCKS: [&str; 12] = [
    "SystemTime",
    "Instant",
    "Timestamp::now",
    "Zoned::now",
    "Utc::now",
    "Date::now",
    "js_sys::Date",
    "worker::Date",
    "performance",
    "getrandom",
    "Math::random",
    "rand::",
];

#[test]
fn the_edge_tree_draws_no_randomness() {
    let tree = edge_tree();
    assert!(
        tree.iter().any(|(name, _)| name == "hexlane-core"),
        "the tree is not the Worker's"
    );
    // `rand` itself is arithmetic; its doors to the machine's randomness are features.
    let doors = ["os_rng", "std", "sys_rng", "thread_rng"];
    for (name, features) in &tree {
        assert!(name != "getrandom", "getrandom is in the Worker's tree");
        let on = features.iter().any(|each| doors.contains(&each.as_str()));
        assert!(!(name == "rand" && on), "rand has {features:?}");
    }
}

#[test]
fn tokio_at_the_edge_has_no_runtime_no_sockets_and_no_timers() {
    let banned = ["full", "net", "rt", "rt-multi-thread", "time"];
    for (_, features) in edge_tree().iter().filter(|(name, _)| name == "tokio") {
        let on: Vec<_> = features
            .iter()
            .filter(|each| banned.contains(&each.as_str()))
            .collect();
        assert!(on.is_empty(), "tokio has {on:?} in the Worker's tree");
    }
}

#[test]
fn crates_that_decide_ask_no_clock_and_no_chance() {
    let workspace = Workspace::read();
    for member in workspace.members() {
        if !WITHOUT_CLOCK.contains(&member.name()) {
            continue;
        }
        for source in member.sources().iter().filter(|source| source.is_shipped()) {
            let code = source.code();
            for clock in CLOCKS {
                assert!(
                    !code.contains(clock),
                    "{} names {clock}",
                    source.path.display()
                );
            }
        }
    }
}

#[test]
fn the_worker_asks_no_clock_but_the_runtimes() {
    let workspace = Workspace::read();
    let members = workspace.members();
    let worker = members
        .iter()
        .find(|member| member.name() == "hexlane-worker")
        .expect("the Worker");
    for source in worker.sources() {
        for clock in [
            "SystemTime",
            "Instant",
            "Timestamp::now",
            "getrandom",
            "Math::random",
        ] {
            assert!(
                !source.code().contains(clock),
                "{} names {clock}",
                source.path.display()
            );
        }
    }
}
