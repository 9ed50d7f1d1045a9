//! What publishing promises.

use super::fixture::{Fixture, PLENTY, SHARD, Setup, event_ids, fetch_all, land, proof, take};
use super::sample::Sample;
use crate::failure::{Code, Failure};
use crate::queue::{Bell, Position, Published, Queue};
use hexlane_core::lane::ShardMap;
use std::time::Duration;

async fn publish<F: Fixture>(fixture: &F, samples: &[Sample]) -> Vec<Published> {
    let envelopes = samples.iter().map(Sample::envelope).collect();
    fixture.queue().publish(envelopes).await.expect("published")
}

async fn refusal<F: Fixture>(fixture: &F, samples: Vec<Sample>) -> Failure {
    let envelopes = samples.iter().map(Sample::envelope).collect();
    let refused = fixture.queue().publish(envelopes).await;
    assert_eq!(
        waiting(fixture).await,
        0,
        "nothing of a refused call is enqueued"
    );
    refused.expect_err("refused")
}

async fn waiting<F: Fixture>(fixture: &F) -> u64 {
    let backlog = fixture.queue().backlog().await.expect("backlog");
    backlog
        .iter()
        .map(|shard| shard.ready + shard.in_flight)
        .sum()
}

async fn ack_all<F: Fixture>(fixture: &F) {
    let lease = take(fixture, SHARD).await;
    let mut settlements = Vec::new();
    for delivery in fetch_all(fixture, &lease).await {
        let effect = Sample::new(&delivery.key().key).effect();
        let recorded = proof(land(fixture, &lease, effect).await);
        settlements.push(delivery.ack(recorded).expect("of the same key"));
    }
    let settled = fixture
        .queue()
        .settle(&lease, settlements)
        .await
        .expect("settled");
    assert!(!settled.is_empty());
}

/// What was answered is there after the process is killed.
pub async fn an_answered_publish_survives_a_crash<F: Fixture>(fixture: F) {
    let answers = publish(&fixture, &[Sample::new("a"), Sample::new("b")]).await;
    assert_eq!(answers, [Published::Enqueued; 2]);
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    assert_eq!(event_ids(&fetch_all(&fixture, &lease).await), ["a", "b"]);
}

/// Same key, same payload: enqueued, and said to be a duplicate.
pub async fn a_key_seen_before_is_a_duplicate_and_still_enqueued<F: Fixture>(fixture: F) {
    let first = publish(&fixture, &[Sample::new("a"), Sample::new("a")]).await;
    assert_eq!(first, [Published::Enqueued, Published::Duplicate]);
    assert_eq!(
        publish(&fixture, &[Sample::new("a")]).await,
        [Published::Duplicate]
    );
    assert_eq!(waiting(&fixture).await, 3);
}

/// Same key, other payload: refused, before and after a crash.
pub async fn a_key_with_another_payload_is_a_conflict_and_not_enqueued<F: Fixture>(fixture: F) {
    let other = Sample::new("a").payload(b"other");
    let first = publish(&fixture, &[Sample::new("a"), other.clone()]).await;
    assert_eq!(first, [Published::Enqueued, Published::Conflict]);
    let fixture = fixture.reopen().await;
    let mixed = publish(&fixture, &[other, Sample::new("b")]).await;
    assert_eq!(mixed, [Published::Conflict, Published::Enqueued]);
    assert_eq!(waiting(&fixture).await, 2);
}

/// Two sources may use one key.
pub async fn a_key_is_scoped_by_its_source<F: Fixture>(fixture: F) {
    let other = Sample::new("a").source("boats").payload(b"other");
    let answers = publish(&fixture, &[Sample::new("a"), other]).await;
    assert_eq!(answers, [Published::Enqueued; 2]);
}

/// A key outlives its entry for the retention window, and no longer.
pub async fn a_key_is_known_after_ack_until_its_retention_ends<F: Fixture>(fixture: F) {
    publish(&fixture, &[Sample::new("a")]).await;
    ack_all(&fixture).await;
    let other = Sample::new("a").payload(b"other");
    assert_eq!(
        publish(&fixture, std::slice::from_ref(&other)).await,
        [Published::Conflict]
    );
    fixture
        .clock()
        .advance(Duration::from_millis(Setup::LIMITS.key_retention_ms + 1));
    publish(&fixture, &[Sample::new("b")]).await;
    assert_eq!(publish(&fixture, &[other]).await, [Published::Enqueued]);
}

/// However long an entry waits, its key stays known.
pub async fn a_key_of_a_waiting_entry_is_never_forgotten<F: Fixture>(fixture: F) {
    publish(&fixture, &[Sample::new("a")]).await;
    fixture
        .clock()
        .advance(Duration::from_millis(Setup::LIMITS.key_retention_ms * 2));
    publish(&fixture, &[Sample::new("b")]).await;
    assert_eq!(
        publish(&fixture, &[Sample::new("a")]).await,
        [Published::Duplicate]
    );
}

/// An empty call is fine.
pub async fn nothing_published_is_nothing_answered<F: Fixture>(fixture: F) {
    assert_eq!(publish(&fixture, &[]).await, []);
    assert_eq!(waiting(&fixture).await, 0);
}

/// One envelope too large refuses its whole call, for ever.
pub async fn an_envelope_over_the_limit_is_refused_whole_call<F: Fixture>(fixture: F) {
    let large = Sample::new("a").payload(&vec![b' '; Setup::LIMITS.envelope_bytes_max + 1]);
    let failure = refusal(&fixture, vec![Sample::new("b"), large]).await;
    assert_eq!(failure.code, Code::EnvelopeTooLarge);
}

/// More envelopes than the limit are refused.
pub async fn too_many_envelopes_are_refused<F: Fixture>(fixture: F) {
    let many = Setup::LIMITS.publish_events_max + 1;
    let samples = (0..many)
        .map(|number| Sample::new(&number.to_string()))
        .collect();
    assert_eq!(refusal(&fixture, samples).await.code, Code::BatchTooLarge);
}

/// An envelope whose shard was found by another map is refused.
pub async fn an_envelope_of_another_shard_map_is_refused<F: Fixture>(fixture: F) {
    let mut envelope = Sample::new("a").envelope();
    envelope.shard_map = ShardMap::new(8).expect("eight shards");
    let refused = fixture.queue().publish(vec![envelope]).await;
    assert_eq!(refused.expect_err("refused").code, Code::ShardMapMismatch);
}

/// The doorbell is heard for what came after, and only waits.
pub async fn the_bell_rings_for_what_was_published<F: Fixture>(fixture: F) {
    let waits = fixture.queue().arrived(Bell::default());
    let (heard, _) = futures_join(waits, publish(&fixture, &[Sample::new("a")])).await;
    let heard = heard.expect("heard");
    assert!(heard > Bell::default());
    let lease = take(&fixture, SHARD).await;
    let none = fixture
        .queue()
        .fetch(&lease, Position::Pending, PLENTY)
        .await;
    let fetched = none.expect("fetched").len();
    let rest = fetch_all(&fixture, &lease).await.len();
    assert_eq!(fetched + rest, 1, "the bell took nothing away");
}

/// Two futures together, without a runtime's help.
async fn futures_join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (std::pin::pin!(a), std::pin::pin!(b));
    let (mut a_done, mut b_done) = (None, None);
    std::future::poll_fn(move |context| {
        if a_done.is_none()
            && let std::task::Poll::Ready(value) = a.as_mut().poll(context)
        {
            a_done = Some(value);
        }
        if b_done.is_none()
            && let std::task::Poll::Ready(value) = b.as_mut().poll(context)
        {
            b_done = Some(value);
        }
        match (a_done.take(), b_done.take()) {
            (Some(a), Some(b)) => std::task::Poll::Ready((a, b)),
            (a, b) => {
                (a_done, b_done) = (a, b);
                std::task::Poll::Pending
            }
        }
    })
    .await
}

/// It is asked often, beside everything else.
pub async fn asking_whether_events_would_be_taken_changes_nothing<F: Fixture>(fixture: F) {
    fixture.queue().writable().await.expect("empty");
    publish(&fixture, &[Sample::new("a")]).await;
    let before = fixture.queue().backlog().await.expect("backlog");
    for _ in 0..3 {
        fixture.queue().writable().await.expect("writable");
    }
    assert_eq!(fixture.queue().backlog().await.expect("backlog"), before);
    let fixture = fixture.reopen().await;
    fixture.queue().writable().await.expect("opened again");
    let lease = take(&fixture, SHARD).await;
    assert_eq!(event_ids(&fetch_all(&fixture, &lease).await), ["a"]);
}

/// Ready, in flight, bytes and age, by shard.
pub async fn the_backlog_counts_what_is_not_acked<F: Fixture>(fixture: F) {
    let first = [
        Sample::new("a"),
        Sample::new("b"),
        Sample::new("c").shard(9),
    ];
    publish(&fixture, &first).await;
    fixture.clock().advance(Duration::from_secs(2));
    let lease = take(&fixture, SHARD).await;
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 2);
    publish(&fixture, &[Sample::new("d")]).await;
    let backlog = fixture.queue().backlog().await.expect("backlog");
    let of_shard = |number| {
        backlog
            .iter()
            .find(|row| row.shard.get() == number)
            .copied()
    };
    let (own, other) = (
        of_shard(SHARD.get()).expect("own"),
        of_shard(9).expect("other"),
    );
    assert_eq!(
        (own.ready, own.in_flight, own.oldest_age_ms),
        (1, 2, Some(2_000))
    );
    assert_eq!((other.ready, other.in_flight), (1, 0));
    assert_eq!(
        other.bytes,
        Sample::new("c").shard(9).envelope().encode().len() as u64
    );
    ack_all(&fixture).await;
    assert_eq!(waiting(&fixture).await, 1);
}
