//! What a sink promises.

use super::fixture::{Fixture, SHARD, land, proof, take};
use super::sample::Sample;
use crate::failure::{Code, StoreError};
use crate::lease::Lease;
use crate::sink::{ClaimQuery, Landed, Sink};
use hexlane_core::Outcome;

async fn outcome<F: Fixture>(fixture: &F, lease: &Lease, sample: Sample) -> Outcome {
    proof(land(fixture, lease, sample.effect()).await).outcome()
}

async fn outcomes<F: Fixture>(
    fixture: &F,
    lease: &Lease,
    samples: &[Sample],
) -> Vec<Option<Outcome>> {
    let effects = samples.iter().map(Sample::effect).collect();
    let landed = fixture
        .sink()
        .apply(lease, effects)
        .await
        .expect("the batch lands");
    landed.iter().map(recorded).collect()
}

fn recorded(landed: &Landed) -> Option<Outcome> {
    match landed {
        Landed::Recorded(recorded) => Some(recorded.outcome()),
        Landed::Conflict => None,
    }
}

async fn found<F: Fixture>(fixture: &F, sample: Sample) -> Option<Landed> {
    let query = ClaimQuery::of(&sample.effect());
    fixture
        .sink()
        .lookup(vec![query])
        .await
        .expect("looked up")
        .remove(0)
}

/// Again and again, also with a newer state between.
pub async fn an_effect_lands_once<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let first = Sample::new("a");
    assert_eq!(
        outcome(&fixture, &lease, first.clone()).await,
        Outcome::Applied
    );
    assert_eq!(
        outcome(&fixture, &lease, first.clone()).await,
        Outcome::Duplicate
    );
    let newer = Sample::new("b").about("van-1", 2);
    assert_eq!(outcome(&fixture, &lease, newer).await, Outcome::Applied);
    assert_eq!(outcome(&fixture, &lease, first).await, Outcome::Duplicate);
}

/// The version decides, not the arrival.
pub async fn a_newer_version_wins_whatever_the_order<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    assert_eq!(
        outcome(&fixture, &lease, at("a", 5)).await,
        Outcome::Applied
    );
    assert_eq!(outcome(&fixture, &lease, at("b", 4)).await, Outcome::Stale);
    assert_eq!(outcome(&fixture, &lease, at("c", -9)).await, Outcome::Stale);
    assert_eq!(
        outcome(&fixture, &lease, at("d", 6)).await,
        Outcome::Applied
    );
}

/// Stale once, duplicate afterwards.
pub async fn a_stale_effect_is_claimed<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    outcome(&fixture, &lease, Sample::new("new").about("van-1", 2)).await;
    let old = Sample::new("old").about("van-1", 1);
    assert_eq!(outcome(&fixture, &lease, old.clone()).await, Outcome::Stale);
    assert_eq!(outcome(&fixture, &lease, old).await, Outcome::Duplicate);
}

/// The first of two in a batch.
pub async fn a_key_twice_in_one_batch_lands_once<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let batch = [Sample::new("a"), Sample::new("a")];
    let expected = [Some(Outcome::Applied), Some(Outcome::Duplicate)];
    assert_eq!(outcomes(&fixture, &lease, &batch).await, expected);
}

/// Rows of a batch are taken in order.
pub async fn an_entity_twice_in_one_batch_ends_at_the_newest<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    let batch = [at("z", 1), at("y", 3), at("x", 2)];
    let expected = [Outcome::Applied, Outcome::Applied, Outcome::Stale].map(Some);
    assert_eq!(outcomes(&fixture, &lease, &batch).await, expected);
    assert_eq!(outcome(&fixture, &lease, at("w", 2)).await, Outcome::Stale);
}

/// Only that row does nothing.
pub async fn a_reused_key_is_a_conflict_and_the_rest_lands<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    outcome(&fixture, &lease, Sample::new("a")).await;
    let reused = Sample::new("a").about("van-2", 9).payload(b"other");
    let batch = [reused.clone(), Sample::new("b").about("van-2", 1)];
    let landed = outcomes(&fixture, &lease, &batch).await;
    assert_eq!(landed, [None, Some(Outcome::Applied)]);
    assert_eq!(found(&fixture, reused).await, Some(Landed::Conflict));
}

/// What was deleted stays deleted for older news.
pub async fn a_tombstone_beats_a_late_update<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    outcome(&fixture, &lease, at("a", 1)).await;
    assert_eq!(
        outcome(&fixture, &lease, at("b", 3).delete()).await,
        Outcome::Applied
    );
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    assert_eq!(outcome(&fixture, &lease, at("c", 2)).await, Outcome::Stale);
}

/// A delete that overtook its create.
pub async fn a_delete_of_an_unknown_entity_leaves_a_tombstone<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let gone = Sample::new("a").about("van-9", 5).delete();
    assert_eq!(outcome(&fixture, &lease, gone).await, Outcome::Applied);
    let late = Sample::new("b").about("van-9", 4);
    assert_eq!(outcome(&fixture, &lease, late).await, Outcome::Stale);
}

/// A tombstone is no end.
pub async fn a_deleted_entity_comes_back_with_a_newer_version<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    let batch = [
        at("a", 1),
        at("b", 2).delete(),
        at("c", 3),
        at("d", 4).delete(),
    ];
    assert_eq!(
        outcomes(&fixture, &lease, &batch).await,
        [Some(Outcome::Applied); 4]
    );
}

/// An entity is named within its source.
pub async fn the_same_entity_of_two_sources_are_two<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let boats = Sample::new("a").source("boats").about("van-1", 1);
    outcome(&fixture, &lease, Sample::new("a").about("van-1", 9)).await;
    assert_eq!(outcome(&fixture, &lease, boats).await, Outcome::Applied);
}

/// Properties without a place.
pub async fn a_null_geometry_lands<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    let batch = [at("a", 1).place(None), at("b", 2), at("c", 3).place(None)];
    assert_eq!(
        outcomes(&fixture, &lease, &batch).await,
        [Some(Outcome::Applied); 3]
    );
}

/// Bisection can find the row because nothing of the batch stays.
pub async fn a_refused_row_leaves_nothing_of_its_batch<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let good = Sample::new("a");
    let mut refused = Sample::new("b").about("van-2", 1).effect();
    refused.wkb = Some(vec![1]);
    let batch = vec![
        good.effect(),
        refused,
        Sample::new("c").about("van-3", 1).effect(),
    ];
    let error = fixture
        .sink()
        .apply(&lease, batch)
        .await
        .expect_err("refused");
    let StoreError::Failed(failure) = error else {
        panic!("not fenced: {error}")
    };
    assert_eq!(failure.code, Code::RowRefused);
    assert_eq!(found(&fixture, good.clone()).await, None);
    assert_eq!(outcome(&fixture, &lease, good).await, Outcome::Applied);
}

/// Fenced where the effect lands.
pub async fn an_old_epoch_lands_nothing<F: Fixture>(fixture: F) {
    let old = take(&fixture, SHARD).await;
    outcome(&fixture, &old, Sample::new("a")).await;
    let new = take(&fixture, SHARD).await;
    outcome(&fixture, &new, Sample::new("b").about("van-2", 1)).await;
    let late = Sample::new("c").about("van-3", 1);
    let fenced = fixture.sink().apply(&old, vec![late.effect()]).await;
    assert!(
        matches!(fenced, Err(StoreError::Fenced { .. })),
        "{fenced:?}"
    );
    assert_eq!(found(&fixture, late).await, None);
}

/// An empty batch is fine.
pub async fn no_effects_give_no_answers<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    assert_eq!(outcomes(&fixture, &lease, &[]).await, []);
    assert_eq!(
        fixture.sink().lookup(Vec::new()).await.expect("looked up"),
        []
    );
}

/// In order, for what landed and what did not.
pub async fn lookup_says_what_landed<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    outcomes(&fixture, &lease, &[at("a", 2), at("b", 1)]).await;
    let asked = [at("b", 1), at("never", 1), at("a", 2)];
    let claims = asked
        .iter()
        .map(|sample| ClaimQuery::of(&sample.effect()))
        .collect();
    let found = fixture.sink().lookup(claims).await.expect("looked up");
    let found: Vec<_> = found
        .iter()
        .map(|each| each.as_ref().and_then(recorded))
        .collect();
    assert_eq!(found, [Some(Outcome::Stale), None, Some(Outcome::Applied)]);
}

/// Claim and effect are as durable as the answer.
pub async fn claims_survive_a_crash<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    outcome(&fixture, &lease, Sample::new("a").about("van-1", 2)).await;
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    let again = Sample::new("a").about("van-1", 2);
    assert_eq!(outcome(&fixture, &lease, again).await, Outcome::Duplicate);
    let older = Sample::new("b").about("van-1", 1);
    assert_eq!(outcome(&fixture, &lease, older).await, Outcome::Stale);
}

/// With the effect, as text, until an effect that was not joined replaces it.
pub async fn what_was_joined_is_stored_and_read_back<F: Fixture>(fixture: F) {
    const JOINED: &str = r#"{"countries":[{"name":"Côte d'Ivoire"}],"rivers":[]}"#;
    let lease = take(&fixture, SHARD).await;
    let at = |key: &str, version| Sample::new(key).about("van-1", version);
    outcome(&fixture, &lease, at("a", 1).joined(JOINED)).await;
    let stale = at("b", 0).joined("{}");
    assert_eq!(outcome(&fixture, &lease, stale).await, Outcome::Stale);
    let fixture = fixture.reopen().await;
    let found = fixture.joined("fleet", "van-1").await;
    assert_eq!(found.as_deref().map(value), Some(value(JOINED)));
    let lease = take(&fixture, SHARD).await;
    outcome(&fixture, &lease, at("c", 2)).await;
    assert_eq!(fixture.joined("fleet", "van-1").await, None);
}

/// A store may keep JSON in a form of its own.
fn value(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("what was joined is JSON")
}
