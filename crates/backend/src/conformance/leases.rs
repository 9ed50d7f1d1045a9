//! What a lease authority promises.

use super::fixture::{Fixture, SHARD, Setup, take};
use crate::failure::StoreError;
use crate::lease::{Holder, Lease, Leases};
use std::time::Duration;

async fn acquire<F: Fixture>(fixture: &F, name: &str) -> Option<Lease> {
    fixture
        .leases()
        .acquire(SHARD, &Holder::new(name))
        .await
        .expect("the authority answers")
}

fn past_the_end() -> Duration {
    Duration::from_millis(Setup::LEASE_MS + 1)
}

/// Over holders, releases and ends.
pub async fn an_epoch_only_grows<F: Fixture>(fixture: F) {
    let first = acquire(&fixture, "one").await.expect("free");
    assert!(first.epoch.get() > 0);
    fixture.leases().release(&first).await.expect("released");
    let second = acquire(&fixture, "two").await.expect("released before");
    fixture.clock().advance(past_the_end());
    let third = acquire(&fixture, "one").await.expect("ended before");
    let again = acquire(&fixture, "one").await.expect("the same holder");
    assert!(first.epoch < second.epoch && second.epoch < third.epoch);
    assert!(third.epoch < again.epoch);
}

/// One holder at a time.
pub async fn a_held_shard_is_not_given_to_another<F: Fixture>(fixture: F) {
    let first = acquire(&fixture, "one").await.expect("free");
    assert_eq!(first.lease_ms, Setup::LEASE_MS);
    fixture
        .clock()
        .advance(Duration::from_millis(Setup::LEASE_MS - 1));
    assert_eq!(acquire(&fixture, "two").await, None);
}

/// By the authority's clock.
pub async fn an_ended_lease_can_be_taken<F: Fixture>(fixture: F) {
    acquire(&fixture, "one").await.expect("free");
    fixture.clock().advance(past_the_end());
    assert!(acquire(&fixture, "two").await.is_some());
}

/// Late, and still sole: no harm.
pub async fn an_ended_lease_that_nobody_took_is_renewed<F: Fixture>(fixture: F) {
    let lease = acquire(&fixture, "one").await.expect("free");
    fixture.clock().advance(past_the_end());
    let renewed = fixture.leases().renew(&lease).await.expect("renewed");
    assert_eq!(renewed.epoch, lease.epoch);
    assert_eq!(acquire(&fixture, "two").await, None);
}

/// A later end, nothing else.
pub async fn a_renewed_lease_keeps_its_epoch<F: Fixture>(fixture: F) {
    let lease = acquire(&fixture, "one").await.expect("free");
    fixture.clock().advance(Duration::from_secs(5));
    let renewed = fixture.leases().renew(&lease).await.expect("renewed");
    assert_eq!(renewed.expires_at_us, lease.expires_at_us + 5_000_000);
    assert_eq!(
        (renewed.epoch, &renewed.holder),
        (lease.epoch, &lease.holder)
    );
}

/// Released, and released again.
pub async fn a_released_shard_is_free_at_once<F: Fixture>(fixture: F) {
    let lease = acquire(&fixture, "one").await.expect("free");
    fixture.leases().release(&lease).await.expect("released");
    fixture
        .leases()
        .release(&lease)
        .await
        .expect("released again");
    assert!(acquire(&fixture, "two").await.is_some());
}

/// It can neither renew nor release what another has.
pub async fn an_old_holder_is_fenced<F: Fixture>(fixture: F) {
    let old = acquire(&fixture, "one").await.expect("free");
    fixture.clock().advance(past_the_end());
    let new = acquire(&fixture, "two").await.expect("ended");
    let renewed = fixture.leases().renew(&old).await;
    assert!(
        matches!(renewed, Err(StoreError::Fenced { .. })),
        "{renewed:?}"
    );
    let released = fixture.leases().release(&old).await;
    assert!(
        matches!(released, Err(StoreError::Fenced { .. })),
        "{released:?}"
    );
    fixture
        .leases()
        .renew(&new)
        .await
        .expect("the new holder is not disturbed");
}

/// The epoch is durable before the lease is given.
pub async fn an_epoch_survives_a_crash<F: Fixture>(fixture: F) {
    let before = take(&fixture, SHARD).await;
    let fixture = fixture.reopen().await;
    let after = take(&fixture, SHARD).await;
    assert!(before.epoch < after.epoch);
}
