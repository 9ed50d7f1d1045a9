//! A drain makes no multixact: not by many shards at once, not by many calls on one shard,
//! not by movers that change shards, not by renewals and takeovers in between. They run
//! out before transaction ids do, and make a server vacuum in haste.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{DeadLetters, Holder, Leases, Sink, Tally};
use hexlane_backend_postgis::PostgisMap;
use support::server::Server;
use support::{lease, settings};

/// The next multixact id, as the control file has it after a checkpoint.
async fn next_multixact(server: &Server) -> i64 {
    server.sql("map", "CHECKPOINT").await;
    server
        .number("SELECT next_multixact_id::text::bigint FROM pg_control_checkpoint()")
        .await
}

const SHARDS: u16 = 8;
const BATCHES: u16 = 12;
const ROWS: u16 = 40;

/// Movers that every shard touches, resent keys, deletes, dead letters.
async fn drain(map: PostgisMap, shard: u16) {
    let lease = lease(&map, shard).await;
    for batch in 0..BATCHES {
        let row = |row: u16| {
            let number = batch * ROWS + row;
            let key = format!("{shard}-{}", number - number % 3);
            let sample = Sample::new(&key).shard(shard);
            let sample = sample.about(&format!("mover-{}", number % 50), i64::from(number));
            if number.is_multiple_of(11) {
                sample.delete()
            } else {
                sample
            }
        };
        let samples: Vec<Sample> = (0..ROWS).map(row).collect();
        // Two calls of one shard at once, and a renewal beside them: all must take turns.
        let (half, rest) = samples.split_at(samples.len() / 2);
        let effects = |part: &[Sample]| part.iter().map(Sample::effect).collect();
        let dead = Sample::new(&format!("dead-{shard}-{batch}")).shard(shard);
        let (one, two, three, four) = tokio::join!(
            map.apply(&lease, effects(half)),
            map.apply(&lease, effects(rest)),
            map.record(&lease, vec![dead.dead_letter()]),
            map.renew(&lease),
        );
        assert_eq!(one.unwrap().len() + two.unwrap().len(), samples.len());
        assert_eq!(
            (three.unwrap().len(), four.unwrap().epoch),
            (1, lease.epoch)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_drain_makes_no_multixact() {
    let server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let before = next_multixact(&server).await;
    let drains: Vec<_> = (0..SHARDS)
        .map(|shard| tokio::spawn(drain(map.clone(), shard)))
        .collect();
    for drain in drains {
        drain.await.unwrap();
    }
    assert_eq!(next_multixact(&server).await, before);
    let counts = map.tally().await.unwrap();
    let landed = counts.applied + counts.stale + counts.duplicate;
    assert_eq!(landed, u64::from(SHARDS * BATCHES * ROWS));
    assert_eq!(counts.dead, u64::from(SHARDS * BATCHES));
    assert!(counts.stale > 0 && counts.duplicate > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn takeovers_in_the_middle_make_none_either() {
    let server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let other = PostgisMap::connect(&settings(&server)).await.unwrap();
    let before = next_multixact(&server).await;
    let holder = Holder::new("test");
    let mut fenced = 0;
    for round in 0..40 {
        let old = lease(&map, 1).await;
        let batch = |map: &PostgisMap, name: &str| {
            let sample = |row: u16| {
                Sample::new(&format!("{name}-{round}-{row}"))
                    .shard(1)
                    .about(&format!("e-{row}"), i64::from(round))
                    .effect()
            };
            let (map, effects) = (map.clone(), (0..ROWS).map(sample).collect());
            let old = old.clone();
            tokio::spawn(async move { map.apply(&old, effects).await })
        };
        let (one, two) = (batch(&map, "a"), batch(&map, "b"));
        other.acquire(old.shard, &holder).await.unwrap().unwrap();
        for call in [one, two] {
            fenced += u32::from(call.await.unwrap().is_err());
        }
    }
    assert!(fenced > 0, "no takeover came between");
    assert_eq!(next_multixact(&server).await, before);
}

/// The measure itself: two that share a row do make one.
#[tokio::test]
async fn the_measure_notices_a_shared_row() {
    let server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    lease(&map, 1).await;
    let before = next_multixact(&server).await;
    let share = "BEGIN; SELECT 1 FROM hexlane.fences FOR SHARE";
    let (one, two) = (server.client("map").await, server.client("map").await);
    one.batch_execute(share).await.unwrap();
    two.batch_execute(share).await.unwrap();
    drop((one, two));
    assert!(next_multixact(&server).await > before);
}
