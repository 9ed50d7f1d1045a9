//! Route `redis` before a cluster: one server is named, the others are found.

use super::redis::events;
use super::{EVENTS, assert_accepted, collection, send, statuses};
use hexlane_servers::cluster::{Cluster, MASTERS};
use hexlane_servers::redis::Server;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::Request;

fn calls(node: &Server) -> u64 {
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
    let cluster = Cluster::start();
    let nodes = &cluster.servers[..MASTERS];
    let edge = Edge::start_on_redis(&format!("redis://{}", nodes[0].address()));
    let request = |prefix: &str| Request::post(EVENTS, collection(prefix, 300, 10));
    assert_accepted(&send(edge.port, &request("c")), 300);
    let on_node = |node: &Server| {
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
