//! Another server becomes the master: by sentinels, and in a cluster.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

mod slow {
    use super::support::cluster::Cluster;
    use super::support::drain::{SHARD, drain, lease, publish};
    use super::support::fixture::{Place, Stores, settings};
    use super::support::server::{Server, until};
    use hexlane_backend::conformance::Setup;
    use hexlane_backend::{Bell, FailureKind, Published, Queue};
    use hexlane_backend_redis::{RedisQueue, Settings, Topology};
    use std::time::Duration;

    const STREAM: &str = "spatial.events:{007}";

    /// Publishes until it works; says how often it did not. Each failure must be one that
    /// a repeat can mend.
    async fn publish_until(queue: &RedisQueue, key: &str) -> (Vec<Published>, u32) {
        let mut failures = 0;
        loop {
            match publish(queue, &[key]).await {
                Ok(words) => return (words, failures),
                Err(failure) => {
                    assert_eq!(failure.kind, FailureKind::Later, "{failure}");
                    failures += 1;
                    assert!(failures < 500, "{failure}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn replicated(master: &Server) {
        until("the replica has it", || {
            let acked: i64 = master.ask(&["WAIT", "1", "100"]);
            acked == 1
        });
    }

    #[tokio::test]
    async fn sentinels_name_the_next_master() {
        let mut master = Server::start();
        let port = master.port().to_string();
        let replica = Server::start_and(&["--replicaof", "127.0.0.1", &port]);
        until("the replica follows", || {
            let info: String = replica.ask(&["INFO", "replication"]);
            info.contains("master_link_status:up")
        });
        let sentinel = Server::start_sentinel(&master);
        until("the sentinel knows the replica", || {
            let master: Vec<String> = sentinel.ask(&["SENTINEL", "MASTER", "map"]);
            let place = master.iter().position(|word| word == "num-slaves");
            place.is_some_and(|place| master[place + 1] == "1")
        });
        let settings = Settings {
            response_ms: 1_000,
            ..settings(Topology::Sentinel {
                sentinels: vec![sentinel.address()],
                master: "map".to_owned(),
                login: None,
            })
        };
        let queue = RedisQueue::connect(settings, Setup::clock()).await.unwrap();
        let heard = queue.arrived(Bell::default()).await.unwrap();
        publish(&queue, &["a", "b"]).await.unwrap();
        replicated(&master);
        master.kill();
        let (words, failures) = publish_until(&queue, "c").await;
        assert!(failures > 0, "the master was killed");
        assert_eq!(words.len(), 1);
        let length: i64 = replica.ask(&["XLEN", STREAM]);
        assert_eq!(length, 3, "the replica is the master now");
        assert_eq!(drain(&queue, &lease(SHARD, 1)).await, ["a", "b", "c"]);
        // The bell is heard from the new master.
        let mut heard = heard;
        for key in ["d", "e", "f"] {
            publish(&queue, &[key]).await.unwrap();
            heard = loop {
                if let Ok(again) = queue.arrived(heard).await {
                    break again;
                }
            };
        }
    }

    #[tokio::test]
    async fn a_slot_that_moves_is_followed() {
        let cluster = Cluster::start();
        let stores = Stores::at(cluster).await;
        publish(&stores.queue, &["a"]).await.unwrap();
        let heard = stores.queue.arrived(Bell::default()).await.unwrap();
        let before = stores.place.master_of(STREAM);
        // Its replica takes over in order: nothing is lost, and the old one says MOVED.
        let _: () = stores.place.servers[before + 3].ask(&["CLUSTER", "FAILOVER"]);
        until("the replica has the slots", || {
            stores.place.try_master_of(STREAM) == Some(before + 3)
        });
        let (words, _) = publish_until(&stores.queue, "b").await;
        assert_eq!(words.len(), 1);
        let mut heard = heard;
        for _ in 0..2 {
            publish(&stores.queue, &["c"]).await.unwrap();
            heard = loop {
                if let Ok(again) = stores.queue.arrived(heard).await {
                    break again;
                }
            };
        }
        let came = drain(&stores.queue, &lease(SHARD, 1)).await;
        assert_eq!(came, ["a", "b", "c", "c"]);
    }

    #[tokio::test]
    async fn a_master_that_is_killed_is_replaced_and_the_others_work_on() {
        let cluster = Cluster::start_with_timeout("2000");
        let mut stores = Stores::at(cluster).await;
        publish(&stores.queue, &["a", "b"]).await.unwrap();
        let dead = stores.place.master_of(STREAM);
        replicated(&stores.place.servers[dead]);
        stores.place.servers[dead].kill();
        let (_, failures) = publish_until(&stores.queue, "c").await;
        eprintln!("{failures} refusals until the replica was the master");
        assert_eq!(
            drain(&stores.queue, &lease(SHARD, 1)).await,
            ["a", "b", "c"]
        );
        stores.place.servers[dead].start_again();
        stores.place.wait();
        publish(&stores.queue, &["d"]).await.unwrap();
        assert_eq!(drain(&stores.queue, &lease(SHARD, 1)).await, ["d"]);
    }

    #[tokio::test]
    async fn shards_are_spread_over_every_master() {
        let cluster = Cluster::start();
        let layout = super::support::fixture::layout();
        let masters: std::collections::BTreeSet<usize> = layout
            .shard_map()
            .all()
            .map(|shard| cluster.master_of(&layout.keys(shard).stream))
            .collect();
        assert_eq!(masters.len(), 3);
        assert!(matches!(cluster.topology(), Topology::Cluster(_)));
    }
}
