//! The join stage: what it costs, what it waits for, and what it may not hold up.

use crate::event::{Form, event, key_of};
use crate::world::World;
use hexlane_backend::fault::{Fault, Operation};
use hexlane_backend::{Code, Destination};
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Op;
use hexlane_core::{Envelope, FailureClass, Outcome, Stage};
use hexlane_engine::{Join, JoinFailure};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Layers that are watched: what they were asked, and what they were told to do.
#[derive(Debug, Default)]
struct Watched(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    calls: HashMap<String, usize>,
    is_away: bool,
    failing: HashSet<String>,
    panicking: HashSet<String>,
    version: u32,
}

impl Watched {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn calls(&self) -> usize {
        self.state().calls.values().sum()
    }
}

impl Join for Watched {
    fn wants(&self, source: &str) -> bool {
        source == "test"
    }

    fn join(&self, effect: &Effect) -> Result<String, JoinFailure> {
        let mut state = self.state();
        let key = effect.envelope.key.value.clone();
        *state.calls.entry(key.clone()).or_default() += 1;
        let layer = || "zones".to_owned();
        if state.is_away {
            return Err(JoinFailure::Away { layer: layer() });
        }
        assert!(!state.panicking.contains(&key), "as a geometry library may");
        if state.failing.contains(&key) {
            let message = "no answer".to_owned();
            return Err(JoinFailure::Failed {
                layer: layer(),
                message,
            });
        }
        Ok(format!(r#"{{"zones":["{key}",{}]}}"#, state.version))
    }
}

fn joined_world(shards: u16, seed: u64) -> (World, Arc<Watched>) {
    let mut world = World::new(shards, seed);
    let layers = Arc::new(Watched::default());
    world.join = layers.clone();
    (world, layers)
}

/// What stands on the map for a lane of ours.
fn joined(world: &World, lane: &str) -> Option<String> {
    let features = world.map.features().into_iter();
    let mut of_lane = features.filter(|((_, entity), _)| entity == lane);
    of_lane.next().and_then(|(_, feature)| feature.joined)
}

fn of_source(source: &str, mut envelope: Envelope) -> Envelope {
    source.clone_into(&mut envelope.source);
    envelope
}

#[tokio::test(start_paused = true)]
async fn what_was_joined_lands_with_the_event_and_a_later_layer_with_a_later_event() {
    let (mut world, layers) = joined_world(1, 1);
    let running = world.start();
    world.publish(world.events("lane", 0, 1)).await;
    world.until_empty().await;
    assert_eq!(joined(&world, "lane").unwrap(), r#"{"zones":["lane/0",0]}"#);
    layers.state().version = 1;
    world.publish(world.events("lane", 1, 1)).await;
    world.until_empty().await;
    running.stop().await;
    assert_eq!(joined(&world, "lane").unwrap(), r#"{"zones":["lane/1",1]}"#);
}

#[tokio::test(start_paused = true)]
async fn duplicates_cost_no_join_whether_they_come_later_or_in_one_batch() {
    let (mut world, layers) = joined_world(1, 2);
    let events = world.events("lane", 0, 40);
    let twice: Vec<_> = events
        .iter()
        .flat_map(|event| [event.clone(), event.clone()])
        .collect();
    world.publish(twice).await;
    let running = world.start();
    world.until_empty().await;
    for _ in 0..3 {
        world.publish(events.clone()).await;
    }
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    assert_eq!(world.tally.acked(Outcome::Applied), 40);
    assert_eq!(world.tally.acked(Outcome::Duplicate), 160);
    assert_eq!(layers.calls(), 40, "one a key");
    let counts = world.tally.counts();
    assert_eq!((counts.joined, counts.spared), (40, 160));
}

#[tokio::test(start_paused = true)]
async fn a_source_without_layers_has_no_claim_looked_up_and_a_delete_has_no_place() {
    let (mut world, layers) = joined_world(1, 3);
    let plain = world.events("plain", 0, 20).into_iter();
    world
        .publish(plain.map(|event| of_source("plain", event)).collect())
        .await;
    let mut gone = event("gone", 0, Form::Good, world.shard_map);
    gone.op = Op::Delete;
    world.publish(vec![gone]).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    assert_eq!(world.tally.acked(Outcome::Applied), 21);
    assert_eq!(
        (layers.calls(), world.plan.calls(Operation::Lookup)),
        (0, 0)
    );
    assert_eq!(joined(&world, "plain"), None);
}

#[tokio::test(start_paused = true)]
async fn a_layer_that_is_away_holds_up_its_events_alone_and_spends_nothing() {
    let (mut world, layers) = joined_world(2, 4);
    layers.state().is_away = true;
    let mut events = Vec::new();
    for lane in 0..6 {
        events.extend(world.events(&format!("lane-{lane}"), 0, 10));
    }
    world.publish(events).await;
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(world.waiting().await, 60);
    let plain = world.events("plain", 0, 10).into_iter();
    world
        .publish(plain.map(|event| of_source("plain", event)).collect())
        .await;
    let published_at = hexlane_backend::Clock::monotonic(&*world.clock);
    world.until_waiting(60).await;
    assert!(
        world.since(published_at) < Duration::from_secs(5),
        "others pass"
    );
    layers.state().is_away = false;
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert_eq!(world.tally.acked(Outcome::Applied), 70);
    let counts = world.tally.counts();
    assert!(counts.buried.is_empty(), "{:?}", counts.buried);
    assert_eq!(counts.deferred_at[&Stage::SpatialJoin], counts.deferred);
    let most = u32::try_from(counts.deferred).unwrap() / 6;
    assert!(
        most > world.settings.retry.failures_max,
        "{most} would have spent it"
    );
}

#[tokio::test(start_paused = true)]
async fn a_layer_that_never_comes_ends_at_the_age_limit_among_what_is_worth_a_retry() {
    let (mut world, layers) = joined_world(1, 5);
    layers.state().is_away = true;
    world.settings.retry.age_ms_max = 60_000;
    world.publish(world.events("lane", 0, 1)).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    let letters = world.letters(&key_of("lane", 0)).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (
            letter.destination,
            letter.class,
            letter.stage,
            letter.code.as_str()
        ),
        (
            Destination::Retry,
            FailureClass::Transient,
            Stage::SpatialJoin,
            "layer.away"
        )
    );
}

async fn one_cannot_be_joined(code: &str, told: impl FnOnce(&mut State) -> &mut HashSet<String>) {
    let (mut world, layers) = joined_world(1, 6);
    let bad = key_of("lane-1", 3);
    told(&mut layers.state()).insert(bad.clone());
    let mut events = Vec::new();
    for lane in 0..3 {
        events.extend(world.events(&format!("lane-{lane}"), 0, 8));
    }
    world.publish(events).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    assert_eq!(world.tally.acked(Outcome::Applied), 23);
    let letters = world.letters(&bad).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (
            letter.destination,
            letter.class,
            letter.stage,
            letter.code.as_str()
        ),
        (
            Destination::Retry,
            FailureClass::Unknown,
            Stage::SpatialJoin,
            code
        )
    );
    assert_eq!(letter.attempts, world.settings.retry.failures_max);
    assert_eq!(world.tally.counts().alerts, [code], "an operator is told");
}

#[tokio::test(start_paused = true)]
async fn a_geometry_that_cannot_be_joined_spends_its_own_budget_and_its_lane_keeps_its_order() {
    one_cannot_be_joined("join.failed", |state| &mut state.failing).await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_join_is_that_of_one_event() {
    one_cannot_be_joined("join.panicked", |state| &mut state.panicking).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_joined_stays_with_its_rows_while_a_bad_one_is_searched_and_commits_are_lost() {
    let (mut world, layers) = joined_world(1, 7);
    let lanes: Vec<String> = (0..9).map(|lane| format!("lane-{lane}")).collect();
    let events = lanes
        .iter()
        .flat_map(|lane| world.events(lane, 0, 1))
        .collect();
    world
        .sink
        .refuse(&key_of("lane-4", 0), Code::RowRefused, u32::MAX);
    world.plan.on_call(Operation::Apply, 2, Fault::LoseAnswer);
    world.publish(events).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    for lane in lanes.iter().filter(|lane| *lane != "lane-4") {
        let expected = format!(r#"{{"zones":["{lane}/0",0]}}"#);
        assert_eq!(joined(&world, lane), Some(expected));
    }
    assert_eq!(layers.calls(), 9, "a search joins nothing again");
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_is_away_is_waited_for_before_anything_is_joined() {
    let (mut world, layers) = joined_world(1, 8);
    world
        .plan
        .always(Operation::Lookup, Fault::Fail(Code::Unavailable));
    world.publish(world.events("lane", 0, 5)).await;
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!((layers.calls(), world.waiting().await), (0, 5));
    world.plan.heal(Operation::Lookup);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    assert_eq!(world.tally.counts().deferred, 0);
}
