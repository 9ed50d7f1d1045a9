//! One map a queue: who comes with another one is refused, and a change is asked for.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Setup;
use hexlane_backend::{Authority, Code, FailureKind, Part, Position, Queue, StoreError};
use hexlane_backend_redis::RedisQueue;
use support::cluster::Cluster;
use support::drain::{PLENTY, SHARD, drain, fetch_all, lease, publish};
use support::fixture::{Place, settings};
use support::server::Server;

fn map(digit: char) -> Authority {
    Authority::parse(&digit.to_string().repeat(Authority::DIGITS)).unwrap()
}

async fn queue(server: &Server) -> RedisQueue {
    let settings = settings(server.topology());
    RedisQueue::connect(settings, Setup::clock()).await.unwrap()
}

#[tokio::test]
async fn a_queue_is_bound_to_the_first_map_and_refuses_another_by_both_names() {
    let server = Server::start();
    let first = queue(&server).await;
    first.bind(&map('a')).await.unwrap();
    let again = queue(&server).await;
    again.bind(&map('a')).await.unwrap();
    let failure = again.bind(&map('b')).await.unwrap_err();
    assert_eq!(
        (failure.part, failure.code, failure.kind),
        (Part::Queue, Code::AuthorityMismatch, FailureKind::Never)
    );
    let told = failure.to_string();
    for name in [map('a'), map('b')] {
        assert!(told.contains(name.as_str()), "{told}");
    }
    let stored: String = server.ask(&["HGET", "spatial.events:meta", "authority"]);
    assert_eq!(stored, map('a').as_str());
}

#[tokio::test]
async fn of_maps_that_come_at_once_one_is_bound() {
    for _ in 0..20 {
        let server = Server::start();
        let queue = queue(&server).await;
        let binds = ('a'..='f').map(|digit| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.bind(&map(digit)).await })
        });
        let mut bound = 0;
        for bind in binds.collect::<Vec<_>>() {
            match bind.await.unwrap() {
                Ok(()) => bound += 1,
                Err(failure) => assert_eq!(failure.code, Code::AuthorityMismatch),
            }
        }
        assert_eq!(bound, 1);
    }
}

/// The epochs of the other map begin anew, and what waits is handed to its holders.
async fn rebind(queue: &RedisQueue, of_new: &RedisQueue) {
    queue.bind(&map('a')).await.unwrap();
    publish(queue, &["one", "two"]).await.unwrap();
    let old = lease(SHARD, 900);
    assert_eq!(fetch_all(queue, &old).await.len(), 2);
    let new = lease(SHARD, 1);
    let fenced = queue.fetch(&new, Position::Pending, PLENTY).await;
    assert!(matches!(fenced, Err(StoreError::Fenced { .. })));

    let failure = queue.rebind(&map('c'), &map('b')).await.unwrap_err();
    assert_eq!(
        failure.code,
        Code::AuthorityMismatch,
        "it is not bound to c"
    );
    queue.bind(&map('a')).await.unwrap();
    let fenced = queue.fetch(&new, Position::Pending, PLENTY).await;
    assert!(fenced.is_err(), "nothing was changed by that");

    queue.rebind(&map('a'), &map('b')).await.unwrap();
    queue.rebind(&map('a'), &map('b')).await.unwrap();
    let failure = queue.bind(&map('a')).await.unwrap_err();
    assert_eq!(failure.code, Code::AuthorityMismatch);
    of_new.bind(&map('b')).await.unwrap();
    assert_eq!(drain(of_new, &new).await, ["one", "two"]);
}

#[tokio::test]
async fn a_queue_is_taken_to_another_map_with_what_waits() {
    let server = Server::start();
    rebind(&queue(&server).await, &queue(&server).await).await;
}

#[tokio::test]
async fn a_full_server_is_taken_to_another_map_too() {
    let server = Server::start();
    let queue = queue(&server).await;
    queue.bind(&map('a')).await.unwrap();
    publish(&queue, &["one"]).await.unwrap();
    for option in [["maxmemory-policy", "noeviction"], ["maxmemory", "1"]] {
        let set: String = server.ask(&["CONFIG", "SET", option[0], option[1]]);
        assert_eq!(set, "OK");
    }
    let full = publish(&queue, &["two"]).await.unwrap_err();
    assert_eq!(full.code, Code::DiskFull);
    queue.rebind(&map('a'), &map('b')).await.unwrap();
    queue.bind(&map('b')).await.unwrap();
    assert_eq!(drain(&queue, &lease(SHARD, 1)).await, ["one"]);
}

mod slow {
    use super::{Cluster, Place, RedisQueue, Setup, rebind, settings};

    #[tokio::test]
    async fn a_cluster_is_taken_to_another_map_with_what_waits() {
        let cluster = Cluster::start();
        let connect = async || {
            let settings = settings(cluster.topology());
            RedisQueue::connect(settings, Setup::clock()).await.unwrap()
        };
        rebind(&connect().await, &connect().await).await;
    }
}
