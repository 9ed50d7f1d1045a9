//! What a tally promises.

use super::fixture::{Fixture, SHARD, take};
use super::sample::Sample;
use crate::dead_letters::{DeadLetter, DeadLetters};
use crate::lease::Lease;
use crate::sink::{ClaimQuery, Sink};
use crate::tally::{OutcomeCounts, Tally};
use std::slice::from_ref;

/// Applied, stale, duplicate, dead.
async fn counts<F: Fixture>(fixture: &F) -> [u64; 4] {
    let counts = fixture.tally().tally().await.expect("a tally");
    let OutcomeCounts {
        applied,
        stale,
        duplicate,
        dead,
    } = counts;
    [applied, stale, duplicate, dead]
}

async fn apply<F: Fixture>(fixture: &F, lease: &Lease, samples: &[Sample]) {
    let effects = samples.iter().map(Sample::effect).collect();
    let landed = fixture.sink().apply(lease, effects).await;
    assert_eq!(landed.expect("the batch lands").len(), samples.len());
}

async fn record<F: Fixture>(fixture: &F, lease: &Lease, letter: DeadLetter) {
    let recorded = fixture.dead_letters().record(lease, vec![letter]).await;
    assert_eq!(recorded.expect("recorded").len(), 1);
}

/// Also several in one batch; a conflict has not ended.
pub async fn every_end_is_counted_by_its_outcome<F: Fixture>(fixture: F) {
    assert_eq!(counts(&fixture).await, [0; 4]);
    let lease = take(&fixture, SHARD).await;
    let newer = Sample::new("b").about("van-1", 2);
    let reused = Sample::new("a").payload(b"other");
    let batch = [
        Sample::new("a"),
        newer.clone(),
        Sample::new("c"),
        newer.clone(),
        reused.clone(),
    ];
    apply(&fixture, &lease, &batch).await;
    assert_eq!(counts(&fixture).await, [2, 1, 1, 0]);
    apply(&fixture, &lease, from_ref(&newer)).await;
    record(&fixture, &lease, newer.dead_letter()).await;
    assert_eq!(counts(&fixture).await, [2, 1, 3, 0], "no record is made");
    record(&fixture, &lease, reused.dead_letter()).await;
    assert_eq!(counts(&fixture).await, [2, 1, 3, 1]);
}

/// A refused row, an old epoch, nothing asked.
pub async fn what_did_not_commit_is_not_counted<F: Fixture>(fixture: F) {
    let old = take(&fixture, SHARD).await;
    let lease = take(&fixture, SHARD).await;
    apply(&fixture, &lease, &[]).await;
    let mut refused = Sample::new("b").effect();
    refused.wkb = Some(b"no".to_vec());
    let batch = vec![Sample::new("a").effect(), refused];
    assert!(fixture.sink().apply(&lease, batch).await.is_err());
    let fenced = vec![Sample::new("c").effect()];
    assert!(fixture.sink().apply(&old, fenced).await.is_err());
    let fenced = vec![Sample::new("d").dead_letter()];
    assert!(fixture.dead_letters().record(&old, fenced).await.is_err());
    assert_eq!(counts(&fixture).await, [0; 4]);
}

/// So that an apply whose answer was lost counts once.
pub async fn looking_up_counts_nothing<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    apply(&fixture, &lease, &[Sample::new("a")]).await;
    let query = ClaimQuery::of(&Sample::new("a").effect());
    let found = fixture.sink().lookup(vec![query]).await;
    assert!(found.expect("looked up")[0].is_some());
    assert_eq!(counts(&fixture).await, [1, 0, 0, 0]);
}

/// Recorded again for the same entry it is a repeat after a lost answer.
pub async fn a_dead_letter_counts_once_for_each_delivery<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let mut letter = Sample::new("a").dead_letter();
    record(&fixture, &lease, letter.clone()).await;
    record(&fixture, &lease, letter.clone()).await;
    assert_eq!(counts(&fixture).await, [0, 0, 0, 1]);
    letter.entry_ids = vec!["2-2".to_owned()];
    record(&fixture, &lease, letter).await;
    assert_eq!(counts(&fixture).await, [0, 0, 0, 2]);
}

/// `dead → applied`: two deliveries of one event, each with its end.
pub async fn a_dead_event_that_lands_later_is_two_ends<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let sample = Sample::new("a");
    record(&fixture, &lease, sample.dead_letter()).await;
    apply(&fixture, &lease, from_ref(&sample)).await;
    assert_eq!(counts(&fixture).await, [1, 0, 0, 1]);
    let open = fixture.dead_letters().count().await.expect("counted");
    assert_eq!(open, [], "none is dead still");
}

/// All four, and they go on from there.
pub async fn counts_survive_a_crash<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let newer = Sample::new("a").about("van-1", 2);
    apply(
        &fixture,
        &lease,
        &[newer.clone(), Sample::new("b"), newer.clone()],
    )
    .await;
    record(&fixture, &lease, Sample::new("c").dead_letter()).await;
    let fixture = fixture.reopen().await;
    assert_eq!(counts(&fixture).await, [1; 4]);
    let lease = take(&fixture, SHARD).await;
    apply(&fixture, &lease, &[newer]).await;
    assert_eq!(counts(&fixture).await, [1, 1, 2, 1]);
}
