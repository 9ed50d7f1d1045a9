//! Route `redis` before a cluster: one server is named, the others are found.

use super::redis::events;
use super::{EVENTS, assert_accepted, collection, send, statuses};
use hexlane_tests::edge::Edge;
use hexlane_tests::http::Request;
use hexlane_tests::process;
use hexlane_tests::redis::Redis;
use hexlane_tests::wait;
use std::process::Command;
use std::time::Duration;

/// Three masters that share the slots.
fn cluster() -> [Redis; 3] {
    let nodes = [0; 3].map(|_| Redis::start_node());
    let mut create = Command::new("redis-cli");
    create.args(["--cluster", "create", "--cluster-yes"]);
    create.args(nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)));
    let said = process::output(&mut create);
    assert!(said.contains("All 16384 slots covered"), "{said}");
    for node in &nodes {
        wait::until("a cluster that is whole", Duration::from_secs(30), || {
            let info: String = redis::cmd("CLUSTER")
                .arg("INFO")
                .query(&mut node.connect(""))
                .ok()?;
            info.contains("cluster_state:ok").then_some(())
        });
    }
    nodes
}

fn calls(node: &Redis) -> u64 {
    let stats: String = redis::cmd("INFO")
        .arg("stats")
        .query(&mut node.connect(""))
        .expect("INFO answers");
    let line = stats
        .lines()
        .find_map(|line| line.strip_prefix("total_connections_received:"));
    line.and_then(|number| number.parse().ok())
        .expect("a number")
}

#[test]
fn every_shard_finds_its_server_and_the_next_request_knows_the_way() {
    let nodes = cluster();
    let edge = Edge::start_on_redis(&format!("redis://127.0.0.1:{}", nodes[0].port));
    let request = |prefix: &str| Request::post(EVENTS, collection(prefix, 300, 10));
    assert_accepted(&send(edge.port, &request("c")), 300);
    let on_node = |node: &Redis| {
        let found = events(&mut node.connect("")).into_values();
        found.map(|events| events.len()).sum::<usize>()
    };
    let found: Vec<usize> = nodes.iter().map(on_node).collect();
    assert_eq!(found.iter().sum::<usize>(), 300, "{found:?}");
    assert!(found.iter().all(|events| *events > 0), "{found:?}");

    // One round trip a server from now on: one connection to each.
    let before: Vec<u64> = nodes.iter().map(calls).collect();
    let again = send(edge.port, &request("c"));
    assert!(statuses(&again).iter().all(|status| status == "duplicate"));
    let after: Vec<u64> = nodes.iter().map(calls).collect();
    let made: Vec<u64> = before
        .iter()
        .zip(after)
        .map(|(before, after)| after - before - 1)
        .collect();
    assert_eq!(made, [1, 1, 1]);
}
