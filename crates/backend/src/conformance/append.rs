//! What appending raw bytes promises.

use super::fixture::{Fixture, SHARD, Setup, event_ids, fetch_all, take};
use super::sample::Sample;
use crate::delivery::{Body, Delivery};
use crate::failure::Code;
use crate::queue::{Bell, Published, Queue, RawEntry};
use hexlane_core::lane::Shard;

fn raw(bytes: &[u8]) -> RawEntry {
    RawEntry {
        shard: SHARD,
        bytes: bytes.to_vec(),
    }
}

async fn append<F: Fixture>(fixture: &F, entries: Vec<RawEntry>) {
    let appended = fixture.queue().append(entries).await;
    appended.expect("appended");
}

fn unreadable(delivery: &Delivery) -> Option<&[u8]> {
    match delivery.body() {
        Body::Unreadable { bytes, .. } => Some(bytes),
        Body::Event(_) | Body::Lost => None,
    }
}

/// What is no envelope is kept verbatim, in its place among the rest.
pub async fn appended_bytes_come_as_they_are_over_a_crash<F: Fixture>(fixture: F) {
    let event = Sample::new("a").envelope().encode();
    append(&fixture, vec![raw(b"\xff\x00no envelope"), raw(&event)]).await;
    append(&fixture, Vec::new()).await;
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    let deliveries = fetch_all(&fixture, &lease).await;
    let bytes: Vec<_> = deliveries.iter().map(unreadable).collect();
    assert_eq!(bytes, [Some(&b"\xff\x00no envelope"[..]), None]);
    assert_eq!(event_ids(&deliveries), ["a"]);
}

/// A known key with another payload is put there all the same; the key stays as it was.
pub async fn an_appended_event_asks_for_no_key_and_leaves_none<F: Fixture>(fixture: F) {
    let first = vec![Sample::new("a").envelope()];
    let published = fixture.queue().publish(first.clone()).await;
    assert_eq!(published.expect("published"), [Published::Enqueued]);
    let other = Sample::new("a").payload(b"other").envelope();
    append(&fixture, vec![raw(&other.encode())]).await;
    append(&fixture, vec![raw(&Sample::new("b").envelope().encode())]).await;
    let again = vec![first[0].clone(), other, Sample::new("b").envelope()];
    let again = fixture.queue().publish(again).await.expect("published");
    let expected = [
        Published::Duplicate,
        Published::Conflict,
        Published::Enqueued,
    ];
    assert_eq!(again, expected);
    let lease = take(&fixture, SHARD).await;
    let ids = event_ids(&fetch_all(&fixture, &lease).await);
    assert_eq!(ids, ["a", "a", "b", "a", "b"]);
}

/// Too large, or of a shard that is not there: nothing of the call is appended.
pub async fn an_append_over_a_limit_is_refused_whole_call<F: Fixture>(fixture: F) {
    let large = vec![b' '; Setup::LIMITS.envelope_bytes_max + 1];
    let refused = fixture.queue().append(vec![raw(b"x"), raw(&large)]).await;
    assert_eq!(refused.expect_err("refused").code, Code::EnvelopeTooLarge);
    let nowhere = RawEntry {
        shard: Shard::new(Setup::shard_map().shards()),
        bytes: Vec::new(),
    };
    let refused = fixture.queue().append(vec![raw(b"x"), nowhere]).await;
    assert_eq!(refused.expect_err("refused").code, Code::ShardMapMismatch);
    let many = vec![raw(b"x"); Setup::LIMITS.publish_events_max + 1];
    let refused = fixture.queue().append(many).await;
    assert_eq!(refused.expect_err("refused").code, Code::BatchTooLarge);
    let lease = take(&fixture, SHARD).await;
    assert!(fetch_all(&fixture, &lease).await.is_empty());
}

/// Nobody waits for the poll.
pub async fn the_bell_rings_for_what_was_appended<F: Fixture>(fixture: F) {
    append(&fixture, vec![raw(b"x")]).await;
    let heard = fixture.queue().arrived(Bell::default()).await;
    assert!(heard.expect("heard") > Bell::default());
}
