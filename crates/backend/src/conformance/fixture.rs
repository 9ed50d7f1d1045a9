//! What a backend gives the suite.

use crate::clock::ManualClock;
use crate::dead_letters::DeadLetters;
use crate::lease::{Holder, Lease, Leases};
use crate::limits::QueueLimits;
use crate::queue::{Credit, Position, Queue};
use crate::sink::Sink;
use crate::tally::Tally;
use crate::{Delivery, Landed, Recorded};
use hexlane_core::effect::Effect;
use hexlane_core::lane::{Shard, ShardMap};
use std::future::Future;
use std::sync::Arc;

/// How the stores of a fixture are set up: small limits, so that they are reached.
#[derive(Clone, Copy, Debug)]
pub struct Setup;

impl Setup {
    /// Length of leases.
    pub const LEASE_MS: u64 = 15_000;
    /// Where the clock begins, µs since 1970.
    pub const START_US: i64 = 1_700_000_000_000_000;
    /// Limits of the queue.
    pub const LIMITS: QueueLimits = QueueLimits {
        envelope_bytes_max: 64 * 1024,
        publish_events_max: 100,
        key_retention_ms: 60_000,
    };

    /// The shard map.
    #[must_use]
    pub fn shard_map() -> ShardMap {
        ShardMap::default()
    }

    /// A clock at the start.
    #[must_use]
    pub fn clock() -> Arc<ManualClock> {
        Arc::new(ManualClock::at_us(Self::START_US))
    }
}

/// Stores of one backend, empty at first.
pub trait Fixture: Sized + Send + Sync {
    /// Its queue.
    type Queue: Queue;
    /// Its lease authority.
    type Leases: Leases;
    /// Its sink.
    type Sink: Sink;
    /// Its dead letters.
    type DeadLetters: DeadLetters;
    /// Its tally.
    type Tally: Tally;

    /// The clock that every store uses.
    fn clock(&self) -> &ManualClock;
    /// The queue.
    fn queue(&self) -> &Self::Queue;
    /// The lease authority.
    fn leases(&self) -> &Self::Leases;
    /// The sink.
    fn sink(&self) -> &Self::Sink;
    /// The dead letters.
    fn dead_letters(&self) -> &Self::DeadLetters;
    /// The tally.
    fn tally(&self) -> &Self::Tally;
    /// What was joined to an entity, as it stands on the map; asked past the seams, which
    /// do not read features.
    fn joined(&self, source: &str, entity: &str) -> impl Future<Output = Option<String>> + Send;
    /// The stores as another process finds them after this one was killed.
    fn reopen(self) -> impl Future<Output = Self> + Send;
}

/// A credit that is never the limit.
pub(super) const PLENTY: Credit = Credit {
    events_max: 1_000,
    bytes_max: 16 * 1024 * 1024,
};

/// The shard that most sentences use.
pub(super) const SHARD: Shard = Shard::new(7);

/// A lease of that shard, taken over from whoever has it.
pub(super) async fn take<F: Fixture>(fixture: &F, shard: Shard) -> Lease {
    let holder = Holder::new("suite");
    let lease = fixture
        .leases()
        .acquire(shard, &holder)
        .await
        .expect("the authority answers");
    lease.expect("the same holder may take its shard again")
}

/// Everything pending, then the first of the new ones.
pub(super) async fn fetch_all<F: Fixture>(fixture: &F, lease: &Lease) -> Vec<Delivery> {
    let mut all = Vec::new();
    loop {
        let pending = fixture
            .queue()
            .fetch(lease, Position::Pending, PLENTY)
            .await;
        let pending = pending.expect("pending entries");
        if pending.is_empty() {
            break;
        }
        all.extend(pending);
    }
    let new = fixture
        .queue()
        .fetch(lease, Position::New, PLENTY)
        .await
        .expect("new entries");
    all.extend(new);
    all
}

/// The event ids of deliveries, in order.
pub(super) fn event_ids(deliveries: &[Delivery]) -> Vec<String> {
    let id = |delivery: &Delivery| delivery.envelope().map(|event| event.event_id.clone());
    deliveries.iter().filter_map(id).collect()
}

/// Lands one effect.
pub(super) async fn land<F: Fixture>(fixture: &F, lease: &Lease, effect: Effect) -> Landed {
    let landed = fixture
        .sink()
        .apply(lease, vec![effect])
        .await
        .expect("the batch lands");
    landed
        .into_iter()
        .next()
        .expect("one answer for one effect")
}

/// The proof in an answer.
pub(super) fn proof(landed: Landed) -> Recorded {
    match landed {
        Landed::Recorded(recorded) => recorded,
        Landed::Conflict => panic!("a conflict where a proof was expected"),
    }
}
