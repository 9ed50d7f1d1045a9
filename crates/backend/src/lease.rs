//! Leases: the time-bound sole right to a shard, and the epoch that fences an old holder.
//!
//! The authority's clock decides when a lease ends; the holder counts `lease_ms` from the
//! moment it *sent* the request, on its monotonic clock, and stops earlier than that.
//! An epoch only grows and is never the attempt number. Not said here: who should hold
//! which shard, or when to renew.

use crate::failure::{Failure, StoreError};
use hexlane_core::lane::Shard;
use std::fmt;
use std::future::Future;

/// Fences: only grows, per shard, over all holders and restarts. The first is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(u64);

impl Epoch {
    /// The epoch of that number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The one after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Who has a lease: one name per running process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Holder(String);

impl Holder {
    /// A holder of that name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The sole right to a shard until it ends or a higher epoch exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The shard.
    pub shard: Shard,
    /// Who has it.
    pub holder: Holder,
    /// Goes with every call; a store that has seen a higher one refuses.
    pub epoch: Epoch,
    /// How long the authority gave, from when it decided.
    pub lease_ms: u64,
    /// When it ends by the authority's clock, µs since 1970; for display.
    pub expires_at_us: i64,
}

/// The authority over shards.
pub trait Leases: Send + Sync + 'static {
    /// A lease with a new, higher epoch when the shard is free, its lease has ended, or
    /// this holder has it already; none while another holds it.
    fn acquire(
        &self,
        shard: Shard,
        holder: &Holder,
    ) -> impl Future<Output = Result<Option<Lease>, Failure>> + Send;

    /// The same lease, same epoch, with a new end. Fenced once a higher epoch exists;
    /// one that ended and that nobody took is renewed.
    fn renew(&self, lease: &Lease) -> impl Future<Output = Result<Lease, StoreError>> + Send;

    /// Ends the lease; the epoch stays where it is. Releasing twice is fine; fenced once
    /// a higher epoch exists.
    fn release(&self, lease: &Lease) -> impl Future<Output = Result<(), StoreError>> + Send;
}
