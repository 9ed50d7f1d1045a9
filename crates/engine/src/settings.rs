//! What an engine is told before it starts. Resolved values; no defaults for what only
//! the program knows.

use hexlane_backend::Holder;
use hexlane_core::lane::{Shard, ShardMap};
use hexlane_delivery::{BatchLimits, CreditLimits, Jitter, RetryPolicy};
use std::time::Duration;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// The name of this process at the lease authority.
    pub holder: Holder,
    /// The shards this process tries to own.
    pub shards: Vec<Shard>,
    /// What one apply may carry.
    pub batch: BatchLimits,
    /// What may be held in memory.
    pub credits: CreditLimits,
    /// When a failed event is tried again.
    pub retry: RetryPolicy,
    /// Bytes of one fetch: a batch's worth.
    pub fetch_bytes_max: usize,
    /// How often an idle shard looks for itself: a doorbell may be lost.
    pub poll_ms: u64,
    /// How often a shard that another holds is asked for.
    pub acquire_poll_ms: u64,
    /// What is in flight may take so long to finish after a stop; supervisors kill at 30 s.
    pub drain_ms_max: u64,
    /// The longest a call to a store takes before the store itself gives up. Must fit
    /// between the moment a holder stops dispatching and the end of its lease.
    pub store_call_ms_max: u64,
    /// Immediate repeats when another transaction is in the way.
    pub busy_repeats_max: u32,
}

impl EngineSettings {
    /// The usual settings for a process that owns every shard of a map.
    #[must_use]
    pub fn for_all(holder: Holder, shard_map: ShardMap) -> Self {
        Self {
            holder,
            shards: shard_map.all().collect(),
            batch: BatchLimits::default(),
            credits: CreditLimits::default(),
            retry: RetryPolicy::default(),
            fetch_bytes_max: 4 << 20,
            poll_ms: 2_000,
            acquire_poll_ms: 1_000,
            drain_ms_max: 25_000,
            store_call_ms_max: 5_000,
            busy_repeats_max: 5,
        }
    }

    /// Credits that are worth a fetch when more will come free: a batch, and never much
    /// of all there are.
    pub(crate) fn fetch_events_least(&self) -> usize {
        let batch = self.batch.events_max;
        batch.min(self.credits.entries_max / 16).max(1)
    }
}

/// Waits for more than a sliver of credits: a few batches' time. What holds them may itself
/// wait for hours.
pub(crate) const CREDITS_PATIENCE: Duration = Duration::from_millis(50);

/// Waits for a store that is away: soon enough to be back within 5 s of its return, slow
/// enough not to keep it down.
pub(crate) const OUTAGE: RetryPolicy = waiting(100, 2_000);
/// Waits for a transaction that is in the way.
pub(crate) const BUSY: RetryPolicy = waiting(5, 50);
/// Waits for an operator.
pub(crate) const OPERATOR: RetryPolicy = waiting(1_000, 30_000);

const fn waiting(base_ms: u64, cap_ms: u64) -> RetryPolicy {
    RetryPolicy {
        jitter: Jitter::Equal,
        base_ms,
        cap_ms,
        failures_max: u32::MAX,
        age_ms_max: u64::MAX,
        retry_after_ms_max: cap_ms,
    }
}
