//! Leases: fenced, lapsed, too short, held by another.

use crate::world::{LEASE_MS, World};
use hexlane_backend::fault::{Fault, Operation};
use hexlane_backend::{Clock, Code, Holder};
use hexlane_core::Outcome;
use hexlane_engine::EngineError;
use std::time::Duration;

async fn world_of(lanes: u32) -> World {
    let mut world = World::new(1, 21);
    let mut envelopes = Vec::new();
    for lane in 0..lanes {
        envelopes.extend(world.events(&format!("lane-{lane}"), 0, 10));
    }
    world.publish(envelopes).await;
    world
}

#[tokio::test(start_paused = true)]
async fn invariant_8_a_fenced_owner_settles_nothing_and_the_next_epoch_does() {
    for operation in [
        Operation::Apply,
        Operation::Settle,
        Operation::Fetch,
        Operation::Renew,
    ] {
        let world = world_of(5).await;
        world.plan.on_call(operation, 1, Fault::Fenced);
        let running = world.start();
        if operation == Operation::Renew {
            tokio::time::sleep(Duration::from_millis(LEASE_MS)).await;
        }
        world.until_empty().await;
        let tally = world.tally.clone();
        world.until(|| tally.counts().fenced == 1).await;
        running.stop().await;
        world.account().await;
        world.check_order();
    }
}

#[tokio::test(start_paused = true)]
async fn invariant_9_an_owner_whose_lease_is_not_renewed_starts_nothing() {
    let mut world = world_of(1).await;
    let running = world.start();
    world.until_empty().await;
    world
        .plan
        .always(Operation::Renew, Fault::Fail(Code::Unavailable));
    world
        .plan
        .always(Operation::Acquire, Fault::Fail(Code::Unavailable));
    tokio::time::sleep(Duration::from_millis(LEASE_MS)).await;
    let applies = world.sink.log().applies;
    let more = world.events("lane-9", 0, 10);
    world.publish(more).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(world.waiting().await, 10);
    assert_eq!(world.sink.log().applies, applies);
    assert_eq!(world.tally.counts().fenced, 1);
    world.plan.heal(Operation::Renew);
    world.plan.heal(Operation::Acquire);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
}

#[tokio::test(start_paused = true)]
async fn a_shard_of_a_dead_holder_is_taken_within_its_lease_and_two_seconds() {
    let mut world = world_of(1).await;
    let running = world.start();
    world.until_empty().await;
    running.crash().await;
    let died_at = world.clock.monotonic();
    let more = world.events("lane-1", 0, 10);
    world.publish(more).await;
    world.settings.holder = Holder::new("two");
    let running = world.start();
    world.until_empty().await;
    let gap = world.since(died_at);
    running.stop().await;
    world.account().await;
    world.check_order();
    assert!(gap < Duration::from_millis(LEASE_MS + 2_000), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn a_lease_shorter_than_a_call_under_it_is_refused_at_the_start() {
    let mut world = World::new(1, 1);
    world.settings.store_call_ms_max = 6_000;
    let ended = world.start().task.await.unwrap();
    assert_eq!(
        ended,
        Err(EngineError::LeaseTooShort {
            lease_ms: LEASE_MS,
            call_ms_max: 6_000
        })
    );
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_kept_over_hours_of_work() {
    let mut world = World::new(1, 1);
    let running = world.start();
    for number in 0..60 {
        let envelopes = world.events("lane", number, 1);
        world.publish(envelopes).await;
        tokio::time::sleep(Duration::from_mins(3)).await;
    }
    running.stop().await;
    world.account().await;
    assert_eq!(world.tally.acked(Outcome::Applied), 60);
    assert!(
        world
            .sink
            .log()
            .commits
            .iter()
            .all(|commit| commit.epoch == 1)
    );
}
