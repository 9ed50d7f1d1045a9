//! How fast the embedded backend takes, lands and acks small events, each answered after
//! its commit: `cargo run --release -p hexlane-backend-sqlite --example throughput`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement for a terminal"
)]

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{
    Clock, Credit, Delivery, Holder, Landed, Lease, Leases, Position, Queue, Sink,
};
use hexlane_backend_sqlite::{Embedded, Settings};
use hexlane_core::lane::Shard;
use std::sync::Arc;
use std::time::{Duration, Instant};

const EVENTS: usize = 20_000;
const SHARDS: usize = 64;
const CREDIT: Credit = Credit {
    events_max: 256,
    bytes_max: 4 * 1024 * 1024,
};

#[derive(Debug)]
struct RealClock(Instant);

impl Clock for RealClock {
    fn now_us(&self) -> i64 {
        1_700_000_000_000_000
    }
    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

fn sample(number: usize) -> Sample {
    let shard = u16::try_from(number % SHARDS).unwrap();
    let x = f64::from(i32::try_from(number % 3_600).unwrap()) / 10.0 - 180.0;
    Sample::new(&format!("event-{number}"))
        .about(
            &format!("entity-{}", number % 5_000),
            i64::try_from(number).unwrap(),
        )
        .shard(shard)
        .place(Some([x, 47.0]))
}

fn number_of(delivery: &Delivery) -> usize {
    delivery
        .key()
        .key
        .trim_start_matches("event-")
        .parse()
        .unwrap()
}

async fn publish(stores: &Embedded, callers: usize, batch: usize) {
    let mut tasks = Vec::new();
    for caller in 0..callers {
        let queue = stores.queue.clone();
        tasks.push(tokio::spawn(async move {
            let own: Vec<usize> = (caller..EVENTS).step_by(callers).collect();
            for numbers in own.chunks(batch) {
                let envelopes = numbers.iter().map(|number| sample(*number).envelope());
                queue.publish(envelopes.collect()).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

async fn drain_shard(stores: Embedded, lease: Lease) -> usize {
    let mut drained = 0;
    for position in [Position::Pending, Position::New] {
        loop {
            let handed = stores.queue.fetch(&lease, position, CREDIT).await.unwrap();
            if handed.is_empty() {
                break;
            }
            drained += handed.len();
            let effects = handed
                .iter()
                .map(|each| sample(number_of(each)).effect())
                .collect();
            let landed = stores.map.apply(&lease, effects).await.unwrap();
            let settlements = handed
                .into_iter()
                .zip(landed)
                .filter_map(|(delivery, landed)| match landed {
                    Landed::Recorded(proof) => delivery.ack(proof).ok(),
                    Landed::Conflict => None,
                });
            let settled = stores
                .queue
                .settle(&lease, settlements.collect())
                .await
                .unwrap();
            assert!(!settled.is_empty());
        }
    }
    drained
}

async fn drain(stores: &Embedded) -> usize {
    let holder = Holder::new("bench");
    let mut tasks = Vec::new();
    for shard in 0..u16::try_from(SHARDS).unwrap() {
        let lease = stores
            .map
            .acquire(Shard::new(shard), &holder)
            .await
            .unwrap()
            .unwrap();
        tasks.push(tokio::spawn(drain_shard(stores.clone(), lease)));
    }
    let mut drained = 0;
    for task in tasks {
        drained += task.await.unwrap();
    }
    drained
}

fn rate(name: &str, took: Duration) {
    let events = f64::from(i32::try_from(EVENTS).unwrap());
    println!(
        "{name}: {took:.2?}, {:.0} events/s",
        events / took.as_secs_f64()
    );
}

#[tokio::main]
#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
async fn main() {
    for (callers, batch) in [(1, 100), (8, 100), (64, 1)] {
        let dir = tempfile::tempdir_in(".").unwrap();
        let clock = Arc::new(RealClock(Instant::now()));
        let stores = Embedded::open(&Settings::in_folder(dir.path()), clock).unwrap();
        let start = Instant::now();
        publish(&stores, callers, batch).await;
        rate(
            &format!("publish, {callers} callers of {batch}"),
            start.elapsed(),
        );
        let start = Instant::now();
        assert_eq!(drain(&stores).await, EVENTS);
        rate(
            &format!("drain, {SHARDS} shards of {}", CREDIT.events_max),
            start.elapsed(),
        );
        stores.stop().await.unwrap();
    }
}
