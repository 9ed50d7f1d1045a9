//! The queue: keeps envelopes, in order within a shard, until they are settled.
//!
//! # What every queue holds
//! - `publish` answers after the entries survive a crash; entries of one call and shard
//!   stand in the order given, calls in the order answered.
//! - Under one epoch each entry is handed out once, in queue order: first all that an
//!   earlier holder may have had ([`Position::Pending`], loaded when a fetch answers
//!   none), then the rest ([`Position::New`]). A `New` fetch before that answers none.
//! - The first call with a higher epoch installs it; from then on a lower one is fenced
//!   and changes nothing. The first fetch under a new epoch starts over.
//! - Settling is idempotent. An acked entry never comes again; its key and payload digest
//!   are known for a retention window, to answer `Duplicate` or `Conflict`.
//! - `append` takes any bytes and remembers no key; they are handed out like the rest.
//! - Nothing is ever dropped unsettled.
//!
//! Not here: when to retry, which lane may run, how many shards one may hold.

use crate::delivery::Delivery;
use crate::failure::{Failure, StoreError};
use crate::lease::Lease;
use crate::settlement::{Settlement, Unsettled};
use hexlane_core::Envelope;
use hexlane_core::lane::Shard;
use std::future::Future;

/// What publishing an envelope gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Published {
    /// On the queue, durably.
    Enqueued,
    /// On the queue, durably; the same key with the same payload was seen before. The
    /// sink's claim decides.
    Duplicate,
    /// Not on the queue: the same key was seen with another payload
    /// (`idempotency.key_reused`).
    Conflict,
}

/// Which entries of a shard to hand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Those an earlier holder may have had, with their retry state, due or not.
    Pending,
    /// Those nobody had.
    New,
}

/// How much may be handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credit {
    /// At most that many entries.
    pub events_max: usize,
    /// Stop before the entry that goes over; the first is always handed out, so that a
    /// large envelope cannot stand in the way for ever.
    pub bytes_max: usize,
}

/// Bytes for a shard, as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEntry {
    /// The shard.
    pub shard: Shard,
    /// An encoded envelope, or what is none.
    pub bytes: Vec<u8>,
}

/// How often the doorbell was heard. The default is "never".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bell(pub u64);

/// What waits in one shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardBacklog {
    /// The shard.
    pub shard: Shard,
    /// Not handed out under the present epoch.
    pub ready: u64,
    /// Handed out and not acked.
    pub in_flight: u64,
    /// Age of the oldest entry that is not acked, by the queue's clock.
    pub oldest_age_ms: Option<u64>,
    /// Encoded size of everything not acked.
    pub bytes: u64,
}

/// Keeps envelopes until they are settled.
pub trait Queue: Send + Sync + 'static {
    /// Puts envelopes on their shards and answers for each, in order, once all of them
    /// are durable. Of one key twice in a call the first is seen before the second.
    /// A failure with `may_have_happened` leaves it open; publishing again is safe.
    fn publish(
        &self,
        envelopes: Vec<Envelope>,
    ) -> impl Future<Output = Result<Vec<Published>, Failure>> + Send;

    /// Puts bytes on their shards as they are, durably, all or none. Neither what they are
    /// nor their key is looked at: for an event that was promised to its sender already,
    /// whose conflict only the sink can tell, and for bytes that are no envelope. Both end
    /// in poison and not in silence. Appending again is safe.
    fn append(&self, entries: Vec<RawEntry>) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Hands out entries of the lease's shard. Never waits for new ones. A fetch that is
    /// dropped or fails may have handed out entries: they come under the next epoch.
    fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> impl Future<Output = Result<Vec<Delivery>, StoreError>> + Send;

    /// Carries out settlements, durably, all or none, and answers for each in order. A
    /// receipt in a form that is not this queue's fails the call with `Internal`.
    fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> impl Future<Output = Result<Vec<crate::settlement::Settled>, Unsettled>> + Send;

    /// Waits until the bell has rung more often than `heard`, and answers how often.
    /// Something may be there then, in any shard; changes nothing; may be dropped at any
    /// time. Keep a slow poll beside it: a store may lose a ring.
    fn arrived(&self, heard: Bell) -> impl Future<Output = Result<Bell, Failure>> + Send;

    /// Whether events would be taken now, as far as a write that changes nothing can tell: a
    /// store that can be read may be full or read-only. For whoever asks before sending.
    fn writable(&self) -> impl Future<Output = Result<(), Failure>> + Send;

    /// What waits, by shard; shards without entries may be left out.
    fn backlog(&self) -> impl Future<Output = Result<Vec<ShardBacklog>, Failure>> + Send;
}

/// Conveniences over any queue.
pub trait QueueExt: Queue {
    /// Publishes one envelope.
    fn publish_one(
        &self,
        envelope: Envelope,
    ) -> impl Future<Output = Result<Published, Failure>> + Send {
        async move {
            let answers = self.publish(vec![envelope]).await?;
            answers.first().copied().ok_or_else(|| {
                Failure::new(crate::failure::Part::Queue, crate::failure::Code::Internal)
            })
        }
    }
}

impl<Q: Queue> QueueExt for Q {}
