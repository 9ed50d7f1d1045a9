//! Outages and lost answers: waited out, spending nothing.

use crate::event::key_of;
use crate::world::World;
use hexlane_backend::fault::{Fault, Operation};
use hexlane_backend::{Clock, Code};
use hexlane_core::Outcome;
use hexlane_engine::PauseReason;
use std::time::Duration;

async fn world_with(shards: u16, lanes: u32, each: u32) -> World {
    let mut world = World::new(shards, 11);
    let mut envelopes = Vec::new();
    for lane in 0..lanes {
        envelopes.extend(world.events(&format!("lane-{lane}"), 0, each));
    }
    world.publish(envelopes).await;
    world
}

#[tokio::test(start_paused = true)]
async fn invariant_14_ten_minutes_without_a_sink_cost_no_attempt_and_no_dead_letter() {
    let world = world_with(2, 10, 20).await;
    world
        .plan
        .always(Operation::Apply, Fault::Fail(Code::Unavailable));
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(world.waiting().await, 200);
    world.plan.heal(Operation::Apply);
    let healed_at = world.clock.monotonic();
    world.until_empty().await;
    let recovery = world.since(healed_at);
    running.stop().await;
    world.account().await;
    world.check_order();
    assert!(recovery < Duration::from_secs(5), "{recovery:?}");
    let counts = world.tally.counts();
    assert_eq!((counts.deferred, counts.buried.len()), (0, 0));
    assert_eq!(
        (
            counts.paused[&PauseReason::Sink],
            counts.resumed[&PauseReason::Sink]
        ),
        (2, 2)
    );
    assert!(counts.alerts.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_is_busy_for_everyone_spends_nothing() {
    let world = world_with(1, 4, 5).await;
    world.plan.always(Operation::Apply, Fault::Fail(Code::Busy));
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(2)).await;
    world.plan.heal(Operation::Apply);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    let counts = world.tally.counts();
    assert_eq!((counts.deferred, counts.buried.len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_single_event_that_is_busy_while_others_land_is_deferred_alone() {
    let world = world_with(1, 4, 5).await;
    world.sink.refuse(&key_of("lane-0", 0), Code::Busy, 200);
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert!(world.tally.counts().deferred > 0);
}

#[tokio::test(start_paused = true)]
async fn a_wrongly_set_up_sink_is_an_alert_and_waited_for() {
    let world = world_with(1, 1, 3).await;
    world
        .plan
        .always(Operation::Apply, Fault::Fail(Code::ReadOnly));
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(5)).await;
    world.plan.heal(Operation::Apply);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    let counts = world.tally.counts();
    assert!(
        (2..40).contains(&counts.alerts.len()),
        "{}",
        counts.alerts.len()
    );
    assert_eq!((counts.deferred, counts.buried.len()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn invariant_2_and_3_a_commit_whose_answer_was_lost_is_looked_up_and_has_one_effect() {
    let world = world_with(1, 5, 10).await;
    for call in [1, 2, 4] {
        world
            .plan
            .on_call(Operation::Apply, call, Fault::LoseAnswer);
    }
    world
        .plan
        .on_call(Operation::Lookup, 1, Fault::Fail(Code::Unavailable));
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert!(world.tally.counts().looked_up > 0);
    assert_eq!(
        (
            world.tally.acked(Outcome::Applied),
            world.tally.acked(Outcome::Duplicate)
        ),
        (50, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn lost_answers_of_acks_and_fetches_heal_without_a_second_effect() {
    for call in 1..12 {
        for operation in [Operation::Settle, Operation::Fetch] {
            for fault in [Fault::LoseAnswer, Fault::Fail(Code::Unavailable)] {
                let mut world = world_with(1, 3, 30).await;
                world.settings.batch.events_max = 10;
                world.plan.on_call(operation, call, fault);
                let running = world.start();
                world.until_empty().await;
                running.stop().await;
                world.check_order();
                let effects = world
                    .sink
                    .log()
                    .commits
                    .iter()
                    .filter(|commit| commit.outcome == Some(Outcome::Applied))
                    .count();
                assert_eq!(effects, 90, "{operation:?} {call} {fault:?}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_takes_no_acks_for_a_minute_holds_back_nothing_but_itself() {
    let world = world_with(1, 5, 20).await;
    world
        .plan
        .always(Operation::Settle, Fault::Fail(Code::Unavailable));
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(world.sink.log().commits.len(), 100, "applied, not acked");
    assert_eq!(world.waiting().await, 100);
    world.plan.heal(Operation::Settle);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    assert_eq!(world.tally.acked(Outcome::Applied), 100);
    assert_eq!(world.tally.counts().resumed[&PauseReason::Queue], 1);
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_answers_no_fetch_is_waited_for_and_hands_out_everything_again() {
    let mut world = world_with(1, 5, 20).await;
    world.settings.batch.events_max = 10;
    world.plan.on_call(Operation::Fetch, 3, Fault::LoseAnswer);
    let running = world.start();
    world.until_waiting(80).await;
    world
        .plan
        .always(Operation::Fetch, Fault::Fail(Code::Unavailable));
    tokio::time::sleep(Duration::from_mins(2)).await;
    let fetches = world.plan.calls(Operation::Fetch);
    assert!(
        fetches < 150,
        "{fetches} fetches in two minutes of an outage"
    );
    world.plan.heal(Operation::Fetch);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert_eq!(world.tally.acked(Outcome::Applied), 100);
    let counts = world.tally.counts();
    assert_eq!(
        counts.paused[&PauseReason::Queue],
        counts.resumed[&PauseReason::Queue]
    );
}
