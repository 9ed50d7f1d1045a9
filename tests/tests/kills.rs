//! kill -9 of the consumer: what was answered 202 is there, and each event takes effect
//! once.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_tests::chance::Chance;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use hexlane_tests::flood::{batch, deliver};
use hexlane_tests::http::Request;
use hexlane_tests::{geopackage, http, wait};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const EVENTS: u64 = 20_000;
const KILLS: u64 = 10;
/// Events sent before each kill.
const WINDOW: u64 = EVENTS / KILLS;
/// Features in a request.
const BATCH: u64 = 20;
const SENDERS: u64 = 4;
/// A restart, and a busy machine.
const RECOVERY_LIMIT: Duration = Duration::from_mins(1);
const DRAIN_LIMIT: Duration = Duration::from_mins(2);

/// Events applied by the consumer's own count.
fn applied(port: u16) -> Option<u64> {
    let status = http::send(port, &Request::get("/v1/status")).ok()?;
    status.json()["settled"]["applied"].as_u64()
}

/// What senders and the killer share.
#[derive(Default)]
struct Progress {
    /// The next batch starts there.
    next: AtomicU64,
    /// Events that may be sent so far.
    released: AtomicU64,
    /// Events answered 202.
    taken: AtomicU64,
    /// Of those, new to the queue by its own word.
    new: AtomicU64,
}

impl Progress {
    fn send_all(&self, port: u16) {
        loop {
            let first = self.next.fetch_add(BATCH, Ordering::AcqRel);
            if first >= EVENTS {
                return;
            }
            wait::until("leave to send", DRAIN_LIMIT, || {
                (first < self.released.load(Ordering::Acquire)).then_some(())
            });
            let answer = deliver(port, &batch(first, BATCH), RECOVERY_LIMIT).json();
            assert_eq!(answer["accepted"], BATCH, "{answer}");
            let duplicates = answer["duplicates"]
                .as_u64()
                .expect("a count of duplicates");
            self.new.fetch_add(BATCH - duplicates, Ordering::AcqRel);
            self.taken.fetch_add(BATCH, Ordering::AcqRel);
        }
    }

    /// Kills by turns while events are taken in and while they are applied, each at a
    /// moment of chance within its window.
    fn kill_at_random(&self, consumer: &mut Consumer, chance: &mut Chance) {
        for window in 0..KILLS {
            self.released
                .store((window + 1) * WINDOW, Ordering::Release);
            let moment = chance.below(WINDOW - 200);
            if window % 2 == 0 {
                let taken = window * WINDOW + moment;
                wait::until("events taken in", DRAIN_LIMIT, || {
                    (self.taken.load(Ordering::Acquire) >= taken).then_some(())
                });
            } else {
                let before = applied(consumer.port).expect("it answers");
                wait::until("events applied", DRAIN_LIMIT, || {
                    (applied(consumer.port)? > before + moment).then_some(())
                });
            }
            consumer.kill();
            consumer.restart();
        }
    }
}

fn assert_each_once(consumer: &mut Consumer, events: u64) {
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["dead_letters"], serde_json::json!([]), "{status}");
    let settled = |outcome: &str| status["settled"][outcome].as_u64();
    assert_eq!(settled("applied"), Some(events), "{status}");
    assert_eq!(
        (settled("stale"), settled("dead")),
        (Some(0), Some(0)),
        "{status}"
    );
    consumer.stop();
    let file = consumer.geopackage();
    assert_eq!(geopackage::count(&file, "features"), events);
    let number = |sql: &str| geopackage::number(&file, sql);
    assert_eq!(
        number("SELECT COUNT(DISTINCT event_id) AS n FROM features"),
        events
    );
    assert_eq!(number("SELECT COUNT(*) AS n FROM hexlane_claims"), events);
    assert_eq!(
        number("SELECT COUNT(*) AS n FROM hexlane_claims WHERE state = 'applied'"),
        events
    );
    assert_eq!(
        number("SELECT COUNT(*) AS n FROM rtree_features_geom"),
        events
    );
    let sound = geopackage::query(&file, "SELECT integrity_check FROM pragma_integrity_check");
    assert_eq!(sound[0]["properties"]["integrity_check"], "ok", "{sound:?}");
    let strays =
        "SELECT COUNT(*) AS n FROM features WHERE entity <> 'entity-' || substr(event_id, 7)";
    assert_eq!(number(strays), 0);
}

#[test]
fn slow_ten_kills_in_a_run_of_20_000_events_leave_each_event_once() {
    let mut chance = Chance::seeded();
    let mut consumer = Consumer::start();
    let edge = Edge::start(consumer.port);
    let progress = Progress::default();
    thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| progress.send_all(edge.port));
        }
        progress.kill_at_random(&mut consumer, &mut chance);
    });
    let (taken, new) = (progress.taken.into_inner(), progress.new.into_inner());
    assert_eq!(taken, EVENTS);
    assert!(new <= EVENTS, "{new} were new to the queue");
    assert_each_once(&mut consumer, EVENTS);
    eprintln!("{taken} answered 202, {new} of them new by the queue's word, {EVENTS} applied once");
}

#[test]
fn slow_what_was_answered_202_is_there_after_a_kill_at_once() {
    let mut consumer = Consumer::start();
    let edge = Edge::start(consumer.port);
    let mut sent = 0;
    for front in [consumer.port, edge.port, consumer.port, edge.port] {
        let answer = deliver(front, &batch(sent, BATCH), RECOVERY_LIMIT);
        consumer.kill();
        assert_eq!(answer.json()["accepted"], BATCH);
        sent += BATCH;
        consumer.restart();
    }
    assert_each_once(&mut consumer, sent);
}

#[test]
fn a_graceful_stop_with_events_in_hand_loses_none_and_leaves_one_file() {
    let mut consumer = Consumer::start();
    for first in (0..400).step_by(20) {
        assert_eq!(
            deliver(consumer.port, &batch(first, BATCH), RECOVERY_LIMIT).status,
            202
        );
    }
    consumer.stop();
    let beside =
        ["-wal", "-shm", "-journal"].map(|end| format!("{}{end}", consumer.geopackage().display()));
    let left: Vec<_> = beside
        .iter()
        .filter(|path| std::path::Path::new(path).exists())
        .collect();
    assert!(left.is_empty(), "{left:?}");
    consumer.restart();
    assert_each_once(&mut consumer, 400);
}

#[test]
fn after_a_kill_the_next_process_applies_at_once_what_the_dead_one_held() {
    let mut consumer = Consumer::start();
    for first in (0..2_000).step_by(20) {
        assert_eq!(
            deliver(consumer.port, &batch(first, BATCH), RECOVERY_LIMIT).status,
            202
        );
    }
    consumer.kill();
    consumer.restart();
    // The file lock proves that the former owner is dead: no lease of 15 s is waited for.
    drop(consumer.drained(Duration::from_secs(10)));
    assert_each_once(&mut consumer, 2_000);
}
