//! Order per key, one attempt per key, and fairness between keys.

use crate::event::key_of;
use crate::world::World;
use hexlane_backend::{Clock, Code};
use hexlane_core::Outcome;
use hexlane_delivery::Destination;
use hexlane_engine::{Chance, SeededChance};

/// Events of eight lanes on two shards, a tenth of which fail once to five times.
async fn shaky_world(seed: u64) -> World {
    let mut world = World::new(2, seed);
    let chance = SeededChance::new(seed);
    let mut envelopes = Vec::new();
    for number in 0..40 {
        for lane in 0..8 {
            let lane = format!("lane-{lane}");
            envelopes.extend(world.events(&lane, number, 1));
            if chance.draw().within(0, 9) == 0 {
                let times = u32::try_from(chance.draw().within(1, 5)).unwrap();
                world
                    .sink
                    .refuse(&key_of(&lane, number), Code::Internal, times);
            }
        }
    }
    world.publish(envelopes).await;
    world
}

#[tokio::test(start_paused = true)]
async fn invariant_5_and_6_events_of_a_key_land_in_order_one_attempt_at_a_time_under_retries() {
    for seed in 0..40 {
        let world = shaky_world(seed).await;
        let running = world.start();
        world.until_empty().await;
        running.stop().await;
        world.account().await;
        world.check_order();
        assert!(
            world.tally.counts().deferred > 0,
            "seed {seed}: nothing was retried"
        );
        assert!(world.tally.acked(Outcome::Applied) >= 300, "seed {seed}");
    }
}

/// Batches that carried rows of other lanes, and when the last of those was done.
async fn drain_beside_a_failing_key(failing: bool) -> usize {
    let mut world = World::new(1, 7);
    world.settings.batch.events_max = 50;
    let mut envelopes = Vec::new();
    for number in 0..100 {
        envelopes.extend(world.events("failing", number, 1));
        for lane in 0..10 {
            envelopes.extend(world.events(&format!("lane-{lane}"), number, 1));
        }
    }
    if failing {
        world
            .sink
            .refuse(&key_of("failing", 0), Code::Internal, u32::MAX);
    }
    world.publish(envelopes).await;
    let running = world.start();
    let sink = world.sink.clone();
    let others = |sink: &crate::watched_sink::WatchedSink| {
        sink.log()
            .commits
            .iter()
            .filter(|commit| commit.lane != "failing")
            .count()
    };
    world.until(|| others(&sink) == 1_000).await;
    let last = world
        .sink
        .log()
        .commits
        .iter()
        .filter(|commit| commit.lane != "failing")
        .map(|commit| commit.apply)
        .max();
    running.crash().await;
    world.check_order();
    last.unwrap()
}

#[tokio::test(start_paused = true)]
async fn invariant_11_a_key_that_fails_for_ever_costs_the_others_a_bounded_number_of_applies() {
    let alone = drain_beside_a_failing_key(false).await;
    let beside = drain_beside_a_failing_key(true).await;
    // Six attempts at most, each found by bisection: ⌈log2 50⌉ + 1 further applies.
    assert!(
        beside <= alone + 6 * 7,
        "{beside} applies beside a failing key, {alone} without"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failing_key_goes_to_retry_after_its_budget_and_its_successors_go_on() {
    let mut world = World::new(1, 3);
    let envelopes = world.events("lane", 0, 5);
    world.publish(envelopes).await;
    world
        .sink
        .refuse(&key_of("lane", 1), Code::Internal, u32::MAX);
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert_eq!(world.tally.counts().deferred, 5);
    let retry = (Destination::Retry, "store.internal".to_owned());
    assert_eq!(world.tally.counts().buried[&retry], 1);
    let letters = world.letters(&key_of("lane", 1)).await;
    assert_eq!(
        (
            letters.len(),
            letters[0].letter.attempts,
            letters[0].letter.history.len()
        ),
        (1, 6, 6)
    );
    assert_eq!(world.tally.acked(Outcome::Applied), 4);
}

#[tokio::test(start_paused = true)]
async fn invariant_16_no_retry_starts_before_its_due_time_also_after_a_restart() {
    let mut world = World::new(1, 5);
    world.settings.retry.jitter = hexlane_delivery::Jitter::None;
    world.settings.retry.base_ms = 10_000;
    let envelopes = world.events("lane", 0, 2);
    world.publish(envelopes).await;
    world.sink.refuse(&key_of("lane", 0), Code::Internal, 1);
    let running = world.start();
    let tally = world.tally.clone();
    world.until(|| tally.counts().deferred == 1).await;
    let deferred_at = world.clock.monotonic();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    running.crash().await;
    let running = world.start();
    world.until_empty().await;
    let waited = world.since(deferred_at);
    running.stop().await;
    world.check_order();
    assert!((9_990..11_000).contains(&waited.as_millis()), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_due_time_written_by_a_clock_an_hour_ahead_parks_no_key_for_longer_than_the_policy() {
    let mut world = World::new(1, 5);
    world.settings.retry.jitter = hexlane_delivery::Jitter::None;
    world.settings.retry.retry_after_ms_max = 60_000;
    let envelopes = world.events("lane", 0, 2);
    world.publish(envelopes).await;
    world.sink.refuse(&key_of("lane", 0), Code::Internal, 1);
    world.clock.step(3_600_000_000);
    let running = world.start();
    let tally = world.tally.clone();
    world.until(|| tally.counts().deferred == 1).await;
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    running.crash().await;
    world.clock.step(-3_600_000_000);
    let restarted_at = world.clock.monotonic();
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    assert!(world.since(restarted_at).as_millis() < 61_000);
}
