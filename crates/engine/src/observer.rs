//! What an engine tells about itself, as values. Who counts them is not its business.
//!
//! The engine itself logs leases, pauses, alerts and dead letters, so that nobody who counts
//! needs to; batches and single events it only tells.

use hexlane_core::lane::Shard;
use hexlane_core::{FailureClass, Outcome, Stage};
use hexlane_delivery::{Code, Destination};
use std::time::Duration;

/// Something that happened in a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The shard is held, under that epoch.
    Leased {
        /// Goes with every call.
        epoch: u64,
    },
    /// The shard was given back.
    Released,
    /// A higher epoch was met: nothing more is done for the shard under this one.
    Fenced,
    /// Deliveries were handed out.
    Fetched {
        /// How many.
        events: usize,
        /// Their encoded size.
        bytes: usize,
        /// Whether an earlier epoch may have had them.
        pending: bool,
    },
    /// Events were joined with reference layers, or could not be.
    Joined {
        /// How many were asked about.
        events: usize,
        /// How many had their effect already and cost no join.
        spared: usize,
        /// How long it took.
        took: Duration,
    },
    /// The sink committed a batch.
    Landed {
        /// How many rows.
        events: usize,
        /// How long the call took.
        took: Duration,
    },
    /// The sink refused a batch, which is now searched for the bad row.
    Refused {
        /// How many rows.
        events: usize,
    },
    /// A commit whose answer was lost was found by its claims.
    LookedUp {
        /// How many rows.
        events: usize,
    },
    /// A dead letter is durable.
    Buried {
        /// Retry or poison.
        destination: Destination,
        /// Its class.
        class: FailureClass,
        /// Where on its way the event stood.
        stage: Stage,
        /// Its code.
        code: Code,
    },
    /// An event waits for another attempt; the wait is durable.
    Deferred {
        /// The class of the failure.
        class: FailureClass,
        /// Where on its way the event stood.
        stage: Stage,
        /// The wait drawn.
        delay_ms: u64,
    },
    /// A delivery was acknowledged: the one door out.
    Acked {
        /// What became of the event.
        outcome: Outcome,
        /// Since it was fetched.
        latency: Duration,
    },
    /// What the shard holds now.
    Held {
        /// Deliveries in memory.
        events: usize,
        /// Of those, out for an attempt or not yet acknowledged.
        in_flight: usize,
        /// Keys that wait for a due time.
        parked_keys: usize,
    },
    /// Nothing moves until further notice.
    Paused {
        /// Why.
        reason: PauseReason,
        /// The code of the failure.
        code: Code,
    },
    /// What was paused moves again.
    Resumed {
        /// What it had waited for.
        reason: PauseReason,
    },
    /// An operator is needed.
    Alert {
        /// The stable code.
        code: Code,
    },
}

/// What a shard waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PauseReason {
    /// The sink is away.
    Sink,
    /// The dead letters are away.
    DeadLetters,
    /// The queue is away.
    Queue,
    /// The lease authority is away.
    Leases,
    /// This build judges otherwise than the door.
    VerdictSkew,
    /// A store does what it never should.
    Defect,
}

impl PauseReason {
    /// Every reason, in the order of the declaration.
    pub const ALL: [Self; 6] = [
        Self::Sink,
        Self::DeadLetters,
        Self::Queue,
        Self::Leases,
        Self::VerdictSkew,
        Self::Defect,
    ];

    /// The fixed name in metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sink => "sink",
            Self::DeadLetters => "dead_letters",
            Self::Queue => "queue",
            Self::Leases => "leases",
            Self::VerdictSkew => "verdict_skew",
            Self::Defect => "defect",
        }
    }

    /// The same in words, for a log.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Sink => "the map",
            Self::DeadLetters => "the store of dead letters",
            Self::Queue => "the queue",
            Self::Leases => "the database of the leases, which is the map's,",
            Self::VerdictSkew => "the judgement of this build",
            Self::Defect => "a store",
        }
    }
}

/// Is told what happens. Called on the engine's threads: it must not block.
pub trait Observer: Send + Sync + 'static {
    /// Something happened in a shard.
    fn observe(&self, shard: Shard, observation: Observation);
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _shard: Shard, _observation: Observation) {}
}
