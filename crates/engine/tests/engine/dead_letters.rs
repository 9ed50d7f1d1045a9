//! Dead letters: which events, where to, and never acked before they are durable.

use crate::event::{Form, event, key_of};
use crate::garbled::Damage;
use crate::world::World;
use hexlane_backend::fault::{Fault, Operation};
use hexlane_backend::{Body, Code, Destination};
use hexlane_core::{FailureClass, Outcome, Stage};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn invariant_18_a_payload_that_gives_no_effect_goes_to_poison_and_never_to_the_sink() {
    let mut world = World::new(1, 1);
    let mut envelopes = world.events("lane", 0, 3);
    envelopes[1] = event("lane", 1, Form::NotJson, world.shard_map);
    world.publish(envelopes.clone()).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    world.check_order();
    let letters = world.letters(&key_of("lane", 1)).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (letters.len(), letter.attempts, letter.destination),
        (1, 1, Destination::Poison)
    );
    assert_eq!(
        (letter.class, letter.stage),
        (FailureClass::SchemaViolation, Stage::Parse)
    );
    assert!(
        letter.violations.starts_with("[{\"code\":"),
        "{}",
        letter.violations
    );
    assert_eq!(
        letter.body,
        Body::Event(Box::new(envelopes[1].clone())),
        "invariant 19: the exact bytes"
    );
    assert_eq!(world.tally.counts().deferred, 0);
    assert!(
        world
            .sink
            .log()
            .commits
            .iter()
            .all(|commit| commit.key != key_of("lane", 1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_quarantined_envelope_is_filed_under_the_doors_own_words() {
    let mut world = World::new(1, 1);
    let mut envelope = event("lane", 0, Form::Quarantined, world.shard_map);
    let warning = r#"{"code":"geometry.winding","message":"w"}"#;
    let error = r#"{"code":"contract.member_missing","message":"the source requires it"}"#;
    let report = format!("[{warning},{error}]");
    envelope.report = Some(report.clone());
    world.publish(vec![envelope]).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    let letters = world.letters(&key_of("lane", 0)).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (letter.destination, letter.code.as_str(), letter.stage),
        (
            Destination::Poison,
            "contract.member_missing",
            Stage::Schema
        )
    );
    assert_eq!(letter.error_message, "the source requires it");
    assert_eq!(letter.violations, report);
}

#[tokio::test(start_paused = true)]
async fn a_quarantined_envelope_is_only_written_to_poison() {
    let mut world = World::new(1, 1);
    let envelope = event("lane", 0, Form::Quarantined, world.shard_map);
    world.publish(vec![envelope]).await;
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    let letters = world.letters(&key_of("lane", 0)).await;
    assert_eq!(letters[0].letter.destination, Destination::Poison);
    assert_ne!(
        letters[0].letter.code, "door.quarantined",
        "the door's reason is told"
    );
    assert_eq!(world.sink.log().applies, 0);
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_used_again_with_another_payload_is_poison_and_no_silent_duplicate() {
    let mut first = World::new(1, 1);
    let envelopes = first.events("lane", 0, 1);
    first.publish(envelopes.clone()).await;
    let running = first.start();
    first.until_empty().await;
    running.stop().await;
    // Another queue to the same sink: it has not seen the key.
    let mut second = World::on(first.map.clone(), 1, 2);
    let mut reusing = second.events("lane", 1, 2);
    reusing[0].key = envelopes[0].key.clone();
    second.publish(reusing).await;
    let running = second.start();
    second.until_empty().await;
    running.stop().await;
    second.account().await;
    let letters = second.letters(&key_of("lane", 0)).await;
    let letter = &letters[0].letter;
    assert_eq!(
        (letters.len(), letter.destination),
        (1, Destination::Poison)
    );
    assert_eq!(
        (letter.code.as_str(), letter.class),
        ("idempotency.key_reused", FailureClass::SchemaViolation)
    );
    assert_eq!(
        (
            second.tally.acked(Outcome::Applied),
            second.tally.acked(Outcome::Dead)
        ),
        (1, 1)
    );
}

#[tokio::test(start_paused = true)]
async fn entries_whose_bytes_are_lost_or_garbled_are_dead_letters_and_never_skipped() {
    let mut world = World::new(1, 1);
    let envelopes = world.events("lane", 0, 4);
    world.publish(envelopes).await;
    world.queue.damage(&key_of("lane", 1), Damage::Lost);
    world.queue.damage(&key_of("lane", 2), Damage::Garbled);
    let running = world.start();
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    let counts = world.tally.counts();
    let poison = hexlane_delivery::Destination::Poison;
    assert_eq!(counts.buried[&(poison, "body_lost".to_owned())], 1);
    assert_eq!(
        counts.buried[&(poison, "envelope.unreadable".to_owned())],
        1
    );
    assert_eq!(counts.alerts, ["body_lost"]);
    assert_eq!(counts.acked[&Outcome::Applied], 2);
}

#[tokio::test(start_paused = true)]
async fn invariant_19_nothing_is_acked_while_its_dead_letter_is_not_durable() {
    let mut world = World::new(1, 1);
    let mut envelopes = world.events("lane", 0, 3);
    envelopes[0] = event("lane", 0, Form::NotJson, world.shard_map);
    world.publish(envelopes).await;
    world
        .plan
        .always(Operation::Record, Fault::Fail(Code::DiskFull));
    let running = world.start();
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert_eq!(world.waiting().await, 3, "nor does its key go on");
    assert_eq!(world.sink.log().applies, 0);
    world.plan.heal(Operation::Record);
    world.plan.on_next(Operation::Record, Fault::LoseAnswer);
    world.until_empty().await;
    running.stop().await;
    world.account().await;
    assert_eq!(
        world.letters(&key_of("lane", 0)).await.len(),
        1,
        "recorded twice, one record"
    );
    assert_eq!(
        (
            world.tally.acked(Outcome::Dead),
            world.tally.acked(Outcome::Applied)
        ),
        (1, 2)
    );
}
