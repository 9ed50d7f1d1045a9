//! The production path on real servers: the queue in Redis, the map in PostGIS. kill -9 of
//! each part in turn; what was answered 202 takes effect once.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_tests::chance::Chance;
use hexlane_tests::deployment::{self, Deployment};
use hexlane_tests::edge::Edge;
use hexlane_tests::flood::{batch, deliver};
use hexlane_tests::wait;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

const EVENTS: u64 = 50_000;
/// Of each part.
const KILLS: u64 = 10;
/// Features in a request.
const BATCH: u64 = 50;
const SENDERS: u64 = 4;
/// A recovery of PostgreSQL, the end of a dead process's leases, a busy machine.
const RECOVERY_LIMIT: Duration = Duration::from_mins(2);
const DRAIN_LIMIT: Duration = Duration::from_mins(3);

/// Kills one part and brings it back.
fn crash(deployment: &mut Deployment, part: u64) {
    match part % 3 {
        0 => {
            deployment.consumer.kill();
            deployment.consumer.restart();
        }
        1 => {
            deployment.redis.kill();
            deployment.redis.start_again();
        }
        _ => {
            deployment.postgis.server.kill();
            deployment.postgis.server.resume();
        }
    }
}

fn assert_each_once(deployment: &Deployment, events: u64) {
    let (consumer, postgis) = (&deployment.consumer, &deployment.postgis);
    deployment::assert_each_once(consumer, postgis, events, DRAIN_LIMIT);
    let strays =
        "SELECT count(*) FROM hexlane.features WHERE entity <> 'entity-' || substr(event_id, 7)";
    assert_eq!(postgis.number(strays), 0);
}

#[test]
fn events_by_route_redis_land_in_postgis() {
    const SENT: u64 = 500;
    let deployment = Deployment::start();
    let edge = Edge::start_on_redis(&format!("redis://{}", deployment.redis.address()));
    for first in (0..SENT).step_by(50) {
        assert_eq!(
            deliver(edge.port, &batch(first, BATCH), RECOVERY_LIMIT).status,
            202
        );
    }
    assert_each_once(&deployment, SENT);
}

#[test]
fn slow_ten_kills_of_each_part_in_a_run_of_50_000_events_leave_each_event_once() {
    let mut chance = Chance::seeded();
    let mut deployment = Deployment::start();
    let port = deployment.consumer.port;
    let (next, released, taken) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let send_all = || {
        loop {
            let first = next.fetch_add(BATCH, Ordering::AcqRel);
            if first >= EVENTS {
                return;
            }
            wait::until("leave to send", DRAIN_LIMIT, || {
                (first < released.load(Ordering::Acquire)).then_some(())
            });
            assert_eq!(
                deliver(port, &batch(first, BATCH), RECOVERY_LIMIT).status,
                202
            );
            taken.fetch_add(BATCH, Ordering::AcqRel);
        }
    };
    let windows = KILLS * 3;
    let window = EVENTS / windows;
    thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(send_all);
        }
        for kill in 0..windows {
            released.store((kill + 1) * window, Ordering::Release);
            let moment = kill * window + chance.below(window - SENDERS * BATCH);
            wait::until("events taken in", DRAIN_LIMIT, || {
                (taken.load(Ordering::Acquire) >= moment).then_some(())
            });
            crash(&mut deployment, kill);
        }
        released.store(EVENTS, Ordering::Release);
    });
    assert_eq!(taken.into_inner(), EVENTS);
    assert_each_once(&deployment, EVENTS);
    eprintln!("{EVENTS} answered 202 over {windows} kills, each applied once");
}
