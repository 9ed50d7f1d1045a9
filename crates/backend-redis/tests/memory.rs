//! Acked entries are kept for a window of time and of memory, and what waits is never
//! trimmed.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Queue, RetryState};
use hexlane_backend_redis::{Replay, Settings};
use std::time::Duration;
use support::drain::{SHARD, ack, drain, fetch_all, ids, lease, publish, waiting};
use support::fixture::{Place, Stores, settings};
use support::server::Server;

const STREAM: &str = "spatial.events:{007}";

/// Shards share what may be kept: this much for one of them.
const SHARE: u64 = 20_000;

async fn stores(replay: Replay) -> Stores<Server> {
    let server = Server::start();
    let settings = Settings {
        replay,
        ..settings(server.topology())
    };
    Stores::with(server, settings).await
}

fn length(stores: &Stores<Server>) -> u64 {
    stores.place.ask(&["XLEN", STREAM])
}

/// A look at the backlog, after which a sweep was due.
async fn sweep(stores: &Stores<Server>) {
    stores.clock.advance(Duration::from_secs(11));
    stores.queue.backlog().await.unwrap();
}

#[tokio::test]
async fn acked_entries_stay_for_their_window_and_go_after_it() {
    let stores = stores(Replay::default()).await;
    publish(&stores.queue, &["a", "b", "c"]).await.unwrap();
    drain(&stores.queue, &lease(SHARD, 1)).await;
    sweep(&stores).await;
    assert_eq!(length(&stores), 3, "kept for reading again");
    stores.clock.advance(Duration::from_hours(25));
    publish(&stores.queue, &["d"]).await.unwrap();
    sweep(&stores).await;
    assert_eq!(length(&stores), 1, "the window is over");
    assert_eq!(drain(&stores.queue, &lease(SHARD, 1)).await, ["d"]);
}

#[tokio::test]
async fn acked_entries_are_kept_up_to_a_share_of_memory() {
    let replay = Replay {
        bytes_without_maxmemory: SHARE * 64,
        ..Replay::default()
    };
    let stores = stores(replay).await;
    let owner = lease(SHARD, 1);
    let mut longest = 0;
    for round in 0..40 {
        let sample = Sample::new(&round.to_string()).payload(&[b'x'; 2_000]);
        stores.queue.publish(vec![sample.envelope()]).await.unwrap();
        drain(&stores.queue, &owner).await;
        longest = longest.max(length(&stores));
    }
    let entry = Sample::new("0")
        .payload(&[b'x'; 2_000])
        .envelope()
        .encode()
        .len() as u64;
    assert!(
        longest * entry > SHARE / 2,
        "{longest} entries kept at most"
    );
    assert!(
        length(&stores) * entry <= SHARE + entry,
        "{} entries",
        length(&stores)
    );
}

#[tokio::test]
async fn what_waits_is_never_trimmed() {
    let nothing = Replay {
        window: Duration::ZERO,
        memory_percent: 0,
        bytes_without_maxmemory: 0,
    };
    let stores = stores(nothing).await;
    publish(&stores.queue, &["a", "b", "c", "d"]).await.unwrap();
    let first = lease(SHARD, 1);
    let mut handed = fetch_all(&stores.queue, &first).await;
    let (second, third) = (handed.remove(1), handed.remove(1));
    let deferral = handed.remove(0).defer(RetryState::default());
    let settlements = vec![deferral, ack(second), ack(third)];
    stores.queue.settle(&first, settlements).await.unwrap();
    publish(&stores.queue, &["e"]).await.unwrap();
    sweep(&stores).await;
    assert_eq!(length(&stores), 3, "`b` and `c` are acked behind `a`");
    assert_eq!(waiting(&stores.queue, SHARD).await, (1, 2));
    let again = fetch_all(&stores.queue, &lease(SHARD, 2)).await;
    assert_eq!(ids(&again), ["a", "d", "e"]);
    let settlements = again.into_iter().map(ack).collect();
    stores
        .queue
        .settle(&lease(SHARD, 2), settlements)
        .await
        .unwrap();
    sweep(&stores).await;
    assert_eq!(length(&stores), 0);
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 0));
}

#[tokio::test]
async fn an_entry_that_waits_long_pins_nothing_but_itself() {
    let replay = Replay {
        bytes_without_maxmemory: SHARE * 64,
        ..Replay::default()
    };
    let stores = stores(replay).await;
    let owner = lease(SHARD, 1);
    publish(&stores.queue, &["stuck"]).await.unwrap();
    let stuck = fetch_all(&stores.queue, &owner).await.remove(0);
    let deferral = stuck.defer(RetryState::default());
    let settled = stores.queue.settle(&owner, vec![deferral]).await.unwrap();
    assert_eq!(settled.len(), 1);
    for round in 0..600 {
        let sample = Sample::new(&round.to_string()).payload(&[b'x'; 500]);
        stores.queue.publish(vec![sample.envelope()]).await.unwrap();
        drain(&stores.queue, &owner).await;
    }
    assert!(length(&stores) < 60, "{} entries", length(&stores));
    assert_eq!(drain(&stores.queue, &lease(SHARD, 2)).await, ["stuck"]);
}

#[tokio::test]
async fn without_a_group_everything_waits() {
    let nothing = Replay {
        window: Duration::ZERO,
        memory_percent: 0,
        bytes_without_maxmemory: 0,
    };
    let stores = stores(nothing).await;
    publish(&stores.queue, &["a", "b"]).await.unwrap();
    sweep(&stores).await;
    assert_eq!(drain(&stores.queue, &lease(SHARD, 1)).await, ["a", "b"]);
}

#[tokio::test]
async fn keys_are_forgotten_a_generation_at_a_time() {
    let stores = stores(Replay::default()).await;
    let keys = |name: &str| -> u64 { stores.place.ask(&["HLEN", &format!("{STREAM}:{name}")]) };
    for round in 0..20 {
        publish(&stores.queue, &[&format!("k{round}")])
            .await
            .unwrap();
        drain(&stores.queue, &lease(SHARD, 1)).await;
        stores.clock.advance(Duration::from_secs(20));
    }
    // Known for 60 s: at most two generations of that, and the one that opens the next.
    let known = keys("keys") + keys("keys:old");
    assert!((3..=9).contains(&known), "{known} keys of 20");
}
