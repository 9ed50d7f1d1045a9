//! Envelopes that were judged under another contract.

use crate::event::{Form, event, key_of};
use crate::world::World;
use hexlane_core::Outcome;
use hexlane_core::envelope::{CONTRACT, Kind};
use hexlane_engine::PauseReason;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn an_envelope_of_another_contract_that_is_good_here_too_is_applied() {
    let mut world = World::new(1, 1);
    let mut envelopes = world.events("lane", 0, 2);
    envelopes[0].verdict.contract = CONTRACT + 1;
    world.publish(envelopes).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    assert_eq!(world.tally.acked(Outcome::Applied), 2);
}

#[tokio::test(start_paused = true)]
async fn a_disagreement_of_contracts_pauses_the_shard_with_an_alert_and_kills_nothing() {
    let mut world = World::new(1, 1);
    let mut envelopes = world.events("lane", 0, 3);
    envelopes[1] = event("lane", 1, Form::Quarantined, world.shard_map);
    envelopes[1].kind = Kind::Accepted;
    envelopes[1].verdict.contract = CONTRACT + 1;
    world.publish(envelopes).await;
    let running = world.start();
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!(world.waiting().await, 3);
    assert!(world.letters(&key_of("lane", 1)).await.is_empty());
    running.stop().await;
    let counts = world.tally.counts();
    assert_eq!(counts.alerts, ["verdict.skew"]);
    assert_eq!(counts.paused[&PauseReason::VerdictSkew], 1);
    assert_eq!(
        (counts.deferred, counts.buried.len(), counts.released),
        (0, 0, 1)
    );
}
