//! An engine with nothing to do does nothing, and hears what arrives.

use crate::world::World;
use hexlane_backend::Clock;
use hexlane_backend::Code;
use hexlane_backend::fault::{Fault, Operation};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn an_idle_shard_asks_the_queue_once_a_poll_and_no_more() {
    let world = World::new(4, 1);
    let running = world.start();
    tokio::time::sleep(Duration::from_secs(10)).await;
    let before = world.plan.calls(Operation::Fetch);
    tokio::time::sleep(Duration::from_mins(10)).await;
    let fetches = world.plan.calls(Operation::Fetch) - before;
    running.stop().await;
    assert!(
        (1_100..=1_210).contains(&fetches),
        "{fetches} fetches of 4 shards in 600 s, polled every 2 s"
    );
    assert_eq!(world.plan.calls(Operation::Apply), 0);
}

#[tokio::test(start_paused = true)]
async fn the_doorbell_wakes_an_idle_shard_at_once() {
    let mut world = World::new(1, 1);
    let running = world.start();
    tokio::time::sleep(Duration::from_millis(60_500)).await;
    let before = world.clock.monotonic();
    let envelopes = world.events("lane", 0, 1);
    world.publish(envelopes).await;
    world.until_empty().await;
    assert!(world.since(before) < Duration::from_millis(20));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn fault_42_without_a_doorbell_an_event_waits_for_the_poll_at_most() {
    let mut world = World::new(1, 1);
    world
        .plan
        .always(Operation::Arrived, Fault::Fail(Code::Unavailable));
    let running = world.start();
    tokio::time::sleep(Duration::from_millis(60_500)).await;
    let before = world.clock.monotonic();
    let envelopes = world.events("lane", 0, 1);
    world.publish(envelopes).await;
    world.until_empty().await;
    assert!(world.since(before) < Duration::from_millis(2_100));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_held_stays_under_its_credits_whatever_the_backlog() {
    let mut world = World::new(4, 1);
    world.settings.credits.entries_max = 300;
    world.settings.credits.shard_entries_max = 100;
    world.settings.batch.events_max = 64;
    let mut envelopes = Vec::new();
    for lane in 0..40 {
        envelopes.extend(world.events(&format!("lane-{lane}"), 0, 100));
    }
    world.publish(envelopes).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert!(
        world.tally.counts().held_max <= 100,
        "{}",
        world.tally.counts().held_max
    );
}

#[tokio::test(start_paused = true)]
async fn a_trickle_over_one_shard_does_not_make_the_others_ask() {
    let mut world = World::new(64, 1);
    world.settings.poll_ms = 600_000;
    let running = world.start();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = world.plan.calls(Operation::Fetch);
    for number in 0..100 {
        let envelopes = world.events("lane", number, 1);
        world.publish(envelopes).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let fetches = world.plan.calls(Operation::Fetch) - before;
    running.stop().await;
    world.account().await;
    assert_eq!(world.waiting().await, 0);
    assert!(
        fetches <= 300,
        "{fetches} fetches for 100 events over one shard of 64"
    );
}
