//! The four stores an engine runs on, as one type.

use hexlane_backend::{DeadLetters, Leases, Queue, Sink};

/// What an engine runs on.
pub trait Backends: Send + Sync + 'static {
    /// The authority over shards.
    type Leases: Leases;
    /// Where envelopes wait.
    type Queue: Queue;
    /// Where map state lands.
    type Sink: Sink;
    /// Where dead letters are kept.
    type DeadLetters: DeadLetters;

    /// The authority over shards.
    fn leases(&self) -> &Self::Leases;
    /// Where envelopes wait.
    fn queue(&self) -> &Self::Queue;
    /// Where map state lands.
    fn sink(&self) -> &Self::Sink;
    /// Where dead letters are kept.
    fn dead_letters(&self) -> &Self::DeadLetters;
}

/// Four stores side by side.
#[derive(Clone, Debug)]
pub struct Stores<L, Q, S, D> {
    /// The authority over shards.
    pub leases: L,
    /// Where envelopes wait.
    pub queue: Q,
    /// Where map state lands.
    pub sink: S,
    /// Where dead letters are kept.
    pub dead_letters: D,
}

impl<L: Leases, Q: Queue, S: Sink, D: DeadLetters> Backends for Stores<L, Q, S, D> {
    type Leases = L;
    type Queue = Q;
    type Sink = S;
    type DeadLetters = D;

    fn leases(&self) -> &L {
        &self.leases
    }

    fn queue(&self) -> &Q {
        &self.queue
    }

    fn sink(&self) -> &S {
        &self.sink
    }

    fn dead_letters(&self) -> &D {
        &self.dead_letters
    }
}
