//! What fetching and settling promise.

use super::fixture::{Fixture, PLENTY, SHARD, Setup, event_ids, fetch_all, land, proof, take};
use super::sample::Sample;
use crate::failure::{Code, StoreError};
use crate::lease::Lease;
use crate::queue::{Credit, Position, Queue};
use crate::retry_state::{Attempt, RetryState};
use crate::{Delivery, Receipt, Settled, Settlement};
use hexlane_core::FailureClass;

async fn publish<F: Fixture>(fixture: &F, keys: &[&str]) {
    let envelopes = keys.iter().map(|key| Sample::new(key).envelope()).collect();
    let answers = fixture.queue().publish(envelopes).await.expect("published");
    assert_eq!(answers.len(), keys.len());
}

async fn fetch<F: Fixture>(fixture: &F, lease: &Lease, position: Position) -> Vec<Delivery> {
    fixture
        .queue()
        .fetch(lease, position, PLENTY)
        .await
        .expect("fetched")
}

async fn acked<F: Fixture>(fixture: &F, lease: &Lease, delivery: Delivery) -> Settlement {
    let effect = Sample::new(&delivery.key().key).effect();
    let recorded = proof(land(fixture, lease, effect).await);
    delivery.ack(recorded).expect("of the same key")
}

async fn settle<F: Fixture>(fixture: &F, lease: &Lease, all: Vec<Settlement>) -> Vec<Settled> {
    fixture.queue().settle(lease, all).await.expect("settled")
}

fn tried() -> RetryState {
    RetryState {
        attempts: 3,
        failures: 2,
        due_at_us: Setup::START_US + 5_000_000,
        previous_delay_ms: 1_234,
        first_attempt_at_us: Some(Setup::START_US - 9),
        last_code: Some("sink.timeout".to_owned()),
        history: vec![Attempt {
            at_us: Setup::START_US,
            class: FailureClass::Transient,
            code: "sink.timeout".to_owned(),
        }],
    }
}

/// Publication order within a shard; other shards stay out of sight.
pub async fn entries_of_a_shard_come_in_order_and_of_no_other<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let elsewhere = Sample::new("x").shard(8).envelope();
    fixture
        .queue()
        .publish(vec![elsewhere])
        .await
        .expect("published");
    publish(&fixture, &["c"]).await;
    let lease = take(&fixture, SHARD).await;
    assert_eq!(
        event_ids(&fetch_all(&fixture, &lease).await),
        ["a", "b", "c"]
    );
}

/// Under one epoch nothing is handed out twice.
pub async fn an_entry_is_handed_out_once_per_epoch<F: Fixture>(fixture: F) {
    publish(&fixture, &["a"]).await;
    let lease = take(&fixture, SHARD).await;
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 1);
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 0);
    publish(&fixture, &["b"]).await;
    assert_eq!(
        event_ids(&fetch(&fixture, &lease, Position::New).await),
        ["b"]
    );
    assert_eq!(fetch(&fixture, &lease, Position::New).await.len(), 0);
}

/// Nothing new before everything pending is loaded.
pub async fn pending_comes_before_new<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let first = take(&fixture, SHARD).await;
    assert_eq!(fetch_all(&fixture, &first).await.len(), 2);
    let second = take(&fixture, SHARD).await;
    let one = Credit {
        events_max: 1,
        ..PLENTY
    };
    let page = fixture
        .queue()
        .fetch(&second, Position::Pending, one)
        .await
        .expect("a page");
    assert_eq!(event_ids(&page), ["a"]);
    publish(&fixture, &["c"]).await;
    assert_eq!(fetch(&fixture, &second, Position::New).await.len(), 0);
    assert_eq!(
        event_ids(&fetch(&fixture, &second, Position::Pending).await),
        ["b"]
    );
    assert_eq!(event_ids(&fetch_all(&fixture, &second).await), ["c"]);
}

/// A takeover, with and without a crash, finds everything that was not acked.
pub async fn the_next_epoch_gets_what_was_not_acked<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b", "c"]).await;
    let first = take(&fixture, SHARD).await;
    let mut handed = fetch_all(&fixture, &first).await;
    let second_delivery = handed.remove(1);
    let settlement = acked(&fixture, &first, second_delivery).await;
    assert_eq!(
        settle(&fixture, &first, vec![settlement]).await,
        [Settled::Acked]
    );
    let second = take(&fixture, SHARD).await;
    assert_eq!(event_ids(&fetch_all(&fixture, &second).await), ["a", "c"]);
    let fixture = fixture.reopen().await;
    let third = take(&fixture, SHARD).await;
    assert_eq!(event_ids(&fetch_all(&fixture, &third).await), ["a", "c"]);
}

/// Never more events or bytes than the credit.
pub async fn a_credit_bounds_events_and_bytes<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b", "c", "d"]).await;
    let lease = take(&fixture, SHARD).await;
    let size = Sample::new("a").envelope().encode().len();
    let none = Credit {
        events_max: 0,
        ..PLENTY
    };
    let two = Credit {
        events_max: 10,
        bytes_max: size * 2 + 1,
    };
    let mut seen = Vec::new();
    for credit in [none, two, two, two] {
        let page = fixture
            .queue()
            .fetch(&lease, Position::Pending, credit)
            .await
            .expect("page");
        seen.push(page.len());
    }
    let rest = fixture
        .queue()
        .fetch(&lease, Position::New, PLENTY)
        .await
        .expect("rest")
        .len();
    assert_eq!((seen[0], seen[1..].iter().sum::<usize>() + rest), (0, 4));
    assert!(seen.iter().all(|count| *count <= 2));
}

/// A large envelope does not stand in the way for ever.
pub async fn the_first_entry_comes_whatever_its_size<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let lease = take(&fixture, SHARD).await;
    let tiny = Credit {
        events_max: 10,
        bytes_max: 1,
    };
    let pending = fixture
        .queue()
        .fetch(&lease, Position::Pending, tiny)
        .await
        .expect("page");
    assert!(pending.len() <= 1);
    let rest = fetch_all(&fixture, &lease).await;
    assert_eq!(pending.len() + rest.len(), 2);
}

/// Not under the same epoch, not under the next, not after a crash.
pub async fn an_acked_entry_never_comes_again<F: Fixture>(fixture: F) {
    publish(&fixture, &["a"]).await;
    let lease = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &lease).await.remove(0);
    let settlement = acked(&fixture, &lease, delivery).await;
    assert_eq!(
        settle(&fixture, &lease, vec![settlement]).await,
        [Settled::Acked]
    );
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 0);
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 0);
}

/// An ack whose answer was lost may be sent again.
pub async fn acking_again_changes_nothing<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let lease = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &lease).await.remove(0);
    let settlement = acked(&fixture, &lease, delivery).await;
    let again = settlement.twin();
    assert_eq!(
        settle(&fixture, &lease, vec![settlement]).await,
        [Settled::Acked]
    );
    assert_eq!(
        settle(&fixture, &lease, vec![again]).await,
        [Settled::Acked]
    );
    let backlog = fixture.queue().backlog().await.expect("backlog");
    let own = backlog.iter().find(|row| row.shard == SHARD).expect("own");
    assert_eq!((own.ready, own.in_flight), (0, 1));
}

/// It is answered as a failure, never as acked, and what was beside it is as before.
pub async fn a_receipt_that_is_not_the_queues_settles_nothing<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let lease = take(&fixture, SHARD).await;
    let mut deliveries = fetch_all(&fixture, &lease).await;
    let (first, second) = (deliveries.remove(0), deliveries.remove(0));
    let (body, retry) = (second.body().clone(), RetryState::default());
    let foreign = Delivery::new(Receipt::new("not ours"), body, retry, second.size_bytes());
    let settlements = vec![first.defer(tried()), acked(&fixture, &lease, foreign).await];
    let settled = fixture.queue().settle(&lease, settlements).await;
    let unsettled = settled.expect_err("not the queue's");
    let StoreError::Failed(failure) = &unsettled.error else {
        panic!("{unsettled}")
    };
    assert_eq!(failure.code, Code::Internal);
    assert_eq!(unsettled.settlements.len(), 2);
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    let again = fetch_all(&fixture, &lease).await;
    assert_eq!(event_ids(&again), ["a", "b"]);
    assert_eq!(again[0].retry(), &RetryState::default());
}

/// Deferred: same place in order, every value of its state back after a crash.
pub async fn a_deferred_entry_keeps_its_place_and_its_state_over_a_crash<F: Fixture>(fixture: F) {
    publish(&fixture, &["a", "b"]).await;
    let lease = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &lease).await.remove(0);
    let _settled = settle(&fixture, &lease, vec![delivery.defer(tried())]).await;
    let fixture = fixture.reopen().await;
    let lease = take(&fixture, SHARD).await;
    let again = fetch_all(&fixture, &lease).await;
    assert_eq!(event_ids(&again), ["a", "b"]);
    assert_eq!(again[0].retry(), &tried());
    assert_eq!(again[1].retry(), &RetryState::default());
}

/// The deferred delivery comes back in the answer, and by no fetch of this epoch.
pub async fn a_deferred_delivery_is_in_hand_again<F: Fixture>(fixture: F) {
    publish(&fixture, &["a"]).await;
    let lease = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &lease).await.remove(0);
    let settled = settle(&fixture, &lease, vec![delivery.defer(tried())]).await;
    assert_eq!(fetch_all(&fixture, &lease).await.len(), 0);
    let Some(Settled::Deferred(delivery)) = settled.into_iter().next() else {
        panic!("deferred entries come back");
    };
    assert_eq!(delivery.retry(), &tried());
    let settlement = acked(&fixture, &lease, delivery).await;
    assert_eq!(
        settle(&fixture, &lease, vec![settlement]).await,
        [Settled::Acked]
    );
}

/// The queue fences by itself; what was asked comes back with the refusal.
pub async fn an_old_epoch_cannot_fetch_or_settle<F: Fixture>(fixture: F) {
    publish(&fixture, &["a"]).await;
    let old = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &old).await.remove(0);
    let new = take(&fixture, SHARD).await;
    assert_eq!(fetch_all(&fixture, &new).await.len(), 1);
    let fetched = fixture.queue().fetch(&old, Position::Pending, PLENTY).await;
    assert!(
        matches!(fetched, Err(StoreError::Fenced { .. })),
        "{fetched:?}"
    );
    let settled = fixture
        .queue()
        .settle(&old, vec![delivery.defer(tried())])
        .await;
    let unsettled = settled.expect_err("fenced");
    assert!(matches!(unsettled.error, StoreError::Fenced { .. }));
    assert_eq!(unsettled.settlements.len(), 1);
    let newer = take(&fixture, SHARD).await;
    assert_eq!(
        fetch_all(&fixture, &newer).await[0].retry(),
        &RetryState::default()
    );
}

/// An empty call is fine.
pub async fn settling_nothing_is_fine<F: Fixture>(fixture: F) {
    let lease = take(&fixture, SHARD).await;
    assert_eq!(settle(&fixture, &lease, Vec::new()).await, []);
}

/// A proof of another event does not ack.
pub async fn an_ack_needs_the_proof_of_the_same_key<F: Fixture>(fixture: F) {
    publish(&fixture, &["a"]).await;
    let lease = take(&fixture, SHARD).await;
    let delivery = fetch_all(&fixture, &lease).await.remove(0);
    let other = proof(land(&fixture, &lease, Sample::new("b").effect()).await);
    let mismatch = delivery.ack(other).expect_err("another key");
    assert_eq!(mismatch.delivery.key().key, "a");
    assert_eq!(mismatch.proof.key().key, "b");
}
