//! The seams between deciding and storing: what the engine asks of a queue, of leases,
//! of a sink and of the dead letters, and what it may rely on in return.
//!
//! | seam | job |
//! |---|---|
//! | [`Leases`] | sole right to a shard, with an epoch that only grows |
//! | [`Queue`] | keeps envelopes in order per shard until they are settled |
//! | [`Sink`] | lands effects on the map, each idempotency key once |
//! | [`DeadLetters`] | keeps what could not be delivered, with its exact bytes |
//! | [`Tally`] | knows how many deliveries ended how |
//! | [`Clock`] | the time, as an argument |
//!
//! The in-memory backends ([`memory`]) are real ones that forget on exit; the decorators
//! in [`fault`] fail on order; `conformance` (a feature) is the suite that each backend
//! runs. Ordered so that the type system holds the rule "ack only with a receipt": a
//! [`Settlement`] that acks can only be made of a [`Delivery`] and a [`Recorded`] of the
//! same key, and a `Recorded` comes from a sink or from dead letters.
//!
//! No vendor type, no retry policy, no runtime: futures here need a waker and nothing else.

pub mod authority;
pub mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod dead_letters;
pub mod delivery;
pub mod failure;
pub mod fault;
pub mod fence;
pub mod hand_over;
pub mod key;
pub mod layer;
pub mod lease;
pub mod limits;
pub mod memory;
pub mod queue;
pub mod recorded;
pub mod retry_state;
pub mod settlement;
pub mod sink;
pub mod tally;

pub use authority::Authority;
pub use clock::Clock;
pub use dead_letters::{
    DeadCount, DeadLetter, DeadLetterState, DeadLetters, Destination, GeometryError,
    StoredDeadLetter,
};
pub use delivery::{Body, Delivery, Receipt};
pub use failure::{Code, Failure, FailureKind, Part, StoreError};
pub use key::{EventKey, KeyId};
pub use layer::{LayerContent, LayerFeature, LayerRead, LayerSource, LayerStamp};
pub use lease::{Epoch, Holder, Lease, Leases};
pub use limits::QueueLimits;
pub use queue::{Bell, Credit, Position, Published, Queue, QueueExt, RawEntry, ShardBacklog};
pub use recorded::Recorded;
pub use retry_state::{Attempt, RetryState};
pub use settlement::{Mismatch, Settled, Settlement, Unsettled};
pub use sink::{ClaimQuery, Landed, Sink, SinkExt};
pub use tally::{OutcomeCounts, Tally};
