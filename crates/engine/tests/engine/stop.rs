//! Stopping: gracefully, at once, and within the drain limit.

use crate::world::World;
use hexlane_backend::Clock;
use hexlane_backend::fault::{Fault, Operation};
use hexlane_core::Outcome;
use hexlane_engine::Stopped;
use std::time::Duration;

async fn loaded(seed: u64) -> World {
    let mut world = World::new(2, seed);
    world.settings.batch.events_max = 20;
    let mut envelopes = Vec::new();
    for lane in 0..10 {
        envelopes.extend(world.events(&format!("lane-{lane}"), 0, 60));
    }
    world.publish(envelopes).await;
    world
}

#[tokio::test(start_paused = true)]
async fn invariant_34_a_graceful_stop_repeats_no_effect_and_hands_out_nothing_acked_again() {
    for seed in 0..30 {
        let world = loaded(seed).await;
        let running = world.start();
        world
            .until_waiting(550 - usize::try_from(seed).unwrap() * 15)
            .await;
        assert_eq!(running.stop().await, Stopped::Drained, "seed {seed}");
        let acked = world.tally.acked_in_all();
        assert_eq!(
            acked,
            world.sink.log().commits.len(),
            "seed {seed}: applied and acked are the same"
        );
        assert_eq!(world.tally.counts().released, 2, "seed {seed}");
        let running = world.start();
        world.until_empty().await;
        running.stop().await;
        world.account().await;
        world.check_order();
        assert_eq!(
            (
                world.tally.acked(Outcome::Applied),
                world.tally.acked(Outcome::Duplicate)
            ),
            (600, 0)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_in_an_outage_is_graceful_too_and_loses_nothing() {
    let world = loaded(1).await;
    world.plan.always(
        Operation::Apply,
        Fault::Fail(hexlane_backend::Code::Unavailable),
    );
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(1)).await;
    let before = world.clock.monotonic();
    assert_eq!(running.stop().await, Stopped::Drained);
    assert!(world.since(before) < Duration::from_secs(1));
    assert_eq!(world.waiting().await, 600);
    world.account().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_hangs_is_cut_off_at_the_drain_limit() {
    let world = loaded(2).await;
    world.plan.always(Operation::Apply, Fault::Hold);
    let running = world.start();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let before = world.clock.monotonic();
    assert_eq!(running.stop().await, Stopped::CutOff);
    assert_eq!(world.since(before).as_secs(), 25);
    world.account().await;
}

#[tokio::test(start_paused = true)]
async fn a_second_stop_ends_at_once() {
    let world = loaded(3).await;
    world.plan.always(Operation::Apply, Fault::Hold);
    let running = world.start();
    tokio::time::sleep(Duration::from_secs(5)).await;
    running.stop.stop();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!running.task.is_finished());
    let before = world.clock.monotonic();
    assert_eq!(running.stop().await, Stopped::CutOff);
    assert!(world.since(before) < Duration::from_millis(10));
    world.account().await;
}
