//! kill -9 of the server, again and again in the middle of a drain: each event has its
//! effect once and none is missing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{ClaimQuery, Landed, Lease, Sink, StoreError, Tally};
use hexlane_backend_postgis::PostgisMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use support::server::Server;
use support::{lease, settings, until};

const SHARDS: u16 = 3;
const BATCHES: u64 = 60;
const ROWS: u64 = 40;
const KILLS: u64 = 10;

fn batch(shard: u16, number: u64) -> Vec<Sample> {
    let sample = |row: u64| {
        let version = i64::try_from(number * ROWS + row).unwrap();
        Sample::new(&format!("{shard}-{number}-{row}"))
            .shard(shard)
            .about(&format!("{shard}-{}", row % 30), version)
    };
    (0..ROWS).map(sample).collect()
}

/// As an engine does it: what was not answered is looked up before it is sent again.
async fn land(map: &PostgisMap, lease: &Lease, samples: &[Sample]) -> Vec<Landed> {
    loop {
        let effects = samples.iter().map(Sample::effect).collect();
        let failure = match map.apply(lease, effects).await {
            Ok(landed) => return landed,
            Err(StoreError::Failed(failure)) => failure,
            Err(fenced) => panic!("{fenced}"),
        };
        if failure.may_have_happened()
            && let Some(landed) = look_up(map, samples).await
        {
            return landed;
        }
        pause().await;
    }
}

/// What the claims say, once there is a server to ask; none when the batch is not there.
async fn look_up(map: &PostgisMap, samples: &[Sample]) -> Option<Vec<Landed>> {
    loop {
        let queries = samples.iter().map(|each| ClaimQuery::of(&each.effect()));
        if let Ok(found) = map.lookup(queries.collect()).await {
            return found.into_iter().collect();
        }
        pause().await;
    }
}

/// Between two tries while the server is down.
async fn pause() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_ten_kills_in_a_drain_lose_nothing_and_repeat_nothing() {
    let mut server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let landed = Arc::new(AtomicU64::new(0));
    let mut drains = Vec::new();
    for shard in 0..SHARDS {
        let (map, landed) = (map.clone(), Arc::clone(&landed));
        let lease = lease(&map, shard).await;
        drains.push(tokio::spawn(async move {
            for number in 0..BATCHES {
                land(&map, &lease, &batch(shard, number)).await;
                landed.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
    let batches = u64::from(SHARDS) * BATCHES;
    for kill in 1..=KILLS {
        let due = batches * kill / (KILLS + 1);
        until("the next kill", async || {
            (landed.load(Ordering::SeqCst) >= due).then_some(())
        })
        .await;
        assert!(
            landed.load(Ordering::SeqCst) < batches,
            "over before the kill"
        );
        server.kill();
        server.resume();
    }
    for drain in drains {
        tokio::time::timeout(Duration::from_mins(2), drain)
            .await
            .unwrap()
            .unwrap();
    }
    let counts = map.tally().await.unwrap();
    assert_eq!((counts.applied, counts.duplicate), (batches * ROWS, 0));
    let claims = server.number("SELECT count(*) FROM hexlane.claims").await;
    assert_eq!(claims, i64::try_from(batches * ROWS).unwrap());
    let features = server.number("SELECT count(*) FROM hexlane.features").await;
    assert_eq!(features, i64::from(SHARDS) * 30);
    let newest = "SELECT count(*) FROM hexlane.features WHERE version >= 59 * 40";
    assert_eq!(server.number(newest).await, i64::from(SHARDS) * 30);
}
