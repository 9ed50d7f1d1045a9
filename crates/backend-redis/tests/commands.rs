//! Every command and option that is sent, by clients and by scripts, is one of Redis 6.2.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Setup;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Authority, Bell, Position, Queue, RetryState};
use hexlane_backend_redis::{RedisQueue, Replay, Settings, Topology};
use std::collections::BTreeSet;
use std::time::Duration;
use support::drain::{PLENTY, SHARD, ack, drain, fetch_all, lease, publish, waiting};
use support::fixture::{Place, foreign, settings};
use support::monitor::Monitor;
use support::server::Server;

/// What is sent, and since which Redis that is there, with its options.
const SENT: [(&str, &str); 28] = [
    ("CONFIG GET", "2.0"),
    ("EVAL", "2.6"),
    ("EVALSHA", "2.6"),
    ("EXISTS", "1.0"),
    ("HDEL", "2.0"),
    ("HGET", "2.0"),
    ("HINCRBY", "2.0"),
    ("HMGET", "2.0"),
    ("HSET", "4.0"),
    ("HSETNX", "2.0"),
    ("INFO", "1.0"),
    ("RENAME", "1.0"),
    ("UNLINK", "4.0"),
    ("XACK", "5.0"),
    ("XADD", "5.0"),
    ("XDEL", "5.0"),
    ("XGROUP CREATE MKSTREAM", "5.0"),
    ("XINFO GROUPS", "5.0"),
    ("XINFO STREAM", "5.0"),
    ("XLEN", "5.0"),
    ("XPENDING", "5.0"),
    ("XRANGE COUNT", "5.0"),
    ("XRANGE (ID COUNT", "6.2"),
    ("XREAD COUNT BLOCK STREAMS", "5.0"),
    ("XREADGROUP GROUP COUNT STREAMS", "5.0"),
    ("XTRIM MINID", "6.2"),
    ("PING", "1.0"),
    ("CLUSTER SLOTS", "3.0"),
];

/// Everything the queue can do, with a replay window of nothing.
async fn everything(topology: Topology) {
    let settings = Settings {
        unsharded: Some(foreign()),
        replay: Replay {
            window: Duration::ZERO,
            memory_percent: 0,
            bytes_without_maxmemory: 0,
        },
        ..settings(topology)
    };
    let clock = Setup::clock();
    let queue = RedisQueue::connect(settings, clock.clone()).await.unwrap();
    let maps = ["a", "b"].map(|digit| Authority::parse(&digit.repeat(32)).unwrap());
    queue.bind(&maps[0]).await.unwrap();
    queue.rebind(&maps[0], &maps[1]).await.unwrap();
    let heard = queue.arrived(Bell::default()).await.unwrap();
    queue.writable().await.unwrap();
    publish(&queue, &["a", "b", "c"]).await.unwrap();
    queue.arrived(heard).await.unwrap();
    assert_eq!(waiting(&queue, SHARD).await, (3, 0));
    let first = lease(SHARD, 1);
    let mut handed = fetch_all(&queue, &first).await;
    let rest = handed.split_off(1);
    let mut settlements = vec![handed.remove(0).defer(RetryState::default())];
    settlements.extend(rest.into_iter().map(ack));
    queue.settle(&first, settlements).await.unwrap();
    assert_eq!(waiting(&queue, SHARD).await, (0, 1));
    assert_eq!(drain(&queue, &lease(SHARD, 2)).await, ["a"]);
    // Keys of both generations, and one past its time of which nothing waits.
    for round in ["d", "e", "a", "f"] {
        clock.advance(Duration::from_millis(Setup::LIMITS.key_retention_ms * 2));
        publish(&queue, &[round]).await.unwrap();
        assert_eq!(drain(&queue, &lease(SHARD, 2)).await, [round]);
        assert_eq!(waiting(&queue, SHARD).await, (0, 0));
    }
    publish(&queue, &["x"]).await.unwrap();
    let other = Sample::new("d").payload(b"other").envelope();
    queue.publish(vec![other]).await.unwrap();
    let other = lease(queue.shards()[queue.shards().len() - 1], 1);
    let none = queue.fetch(&other, Position::Pending, PLENTY).await;
    assert_eq!(none.unwrap().len(), 0);
}

fn check(sent: &BTreeSet<String>) {
    let known = |shape: &&String| !SENT.iter().any(|(allowed, _)| allowed == shape);
    let unknown: Vec<&String> = sent.iter().filter(known).collect();
    assert!(unknown.is_empty(), "not known of Redis 6.2: {unknown:?}");
}

#[test]
fn nothing_newer_than_redis_6_2_is_in_the_list() {
    for (shape, since) in SENT {
        let (major, minor) = since.split_once('.').unwrap();
        let since: (u32, u32) = (major.parse().unwrap(), minor.parse().unwrap());
        assert!(since <= (6, 2), "{shape}");
    }
}

#[tokio::test]
async fn one_server_is_sent_commands_of_redis_6_2_alone_and_the_scripts_run_whole() {
    let server = Server::start();
    let monitor = Monitor::of(&server);
    everything(server.topology()).await;
    let sent = monitor.finish(&server);
    check(&sent);
    // A call in a script that did not run was not checked.
    let scripts = [
        include_str!("../../streams/src/publish.lua"),
        include_str!("../src/scripts/backlog.lua"),
        include_str!("../src/scripts/edge.lua"),
        include_str!("../src/scripts/fence.lua"),
        include_str!("../src/scripts/fetch.lua"),
        include_str!("../src/scripts/last.lua"),
        include_str!("../src/scripts/settle.lua"),
        include_str!("../src/scripts/trim.lua"),
    ];
    for script in scripts {
        for call in script.split("call('").skip(1) {
            let command = call.split('\'').next().unwrap();
            let ran = sent
                .iter()
                .any(|shape| shape.split(' ').next() == Some(command));
            assert!(ran, "{command} did not run");
        }
    }
}

mod slow {
    use super::support::cluster::Cluster;
    use super::{Monitor, Place, check, everything};

    #[tokio::test]
    async fn a_cluster_is_sent_commands_of_redis_6_2_alone() {
        let cluster = Cluster::start();
        let masters = &cluster.servers[..3];
        let monitors: Vec<Monitor> = masters.iter().map(Monitor::of).collect();
        everything(cluster.topology()).await;
        // What replicas send to their masters is theirs.
        let ours = |shape: &String| !shape.starts_with("REPLCONF");
        for (monitor, server) in monitors.into_iter().zip(masters) {
            let sent = monitor.finish(server).into_iter().filter(ours).collect();
            eprintln!("{sent:?}");
            check(&sent);
        }
    }
}
