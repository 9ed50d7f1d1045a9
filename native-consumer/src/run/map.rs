//! The map of this deployment, whichever it is: leases, map state, dead letters and tally
//! commit together, so they stand in one place.

use hexlane_backend::{
    Authority, ClaimQuery, DeadCount, DeadLetter, DeadLetters, EventKey, Failure, Holder, Landed,
    Lease, Leases, OutcomeCounts, Recorded, Sink, StoreError, StoredDeadLetter, Tally,
};
use hexlane_backend_postgis::PostgisMap;
use hexlane_backend_sqlite::SqliteMap;
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;

/// Where map state lands.
#[derive(Clone, Debug)]
pub(super) enum AnyMap {
    /// `map.gpkg`.
    Embedded(SqliteMap),
    /// PostgreSQL with PostGIS.
    Postgis(PostgisMap),
}

impl AnyMap {
    /// The name of this map.
    pub(super) async fn authority(&self) -> Result<Authority, Failure> {
        match self {
            Self::Embedded(map) => map.authority().await,
            Self::Postgis(map) => map.authority().await,
        }
    }

    /// Finishes what was asked and closes it.
    pub(super) async fn stop(&self) -> Result<(), Failure> {
        match self {
            Self::Embedded(map) => map.stop().await,
            Self::Postgis(map) => {
                map.stop().await;
                Ok(())
            }
        }
    }
}

impl Leases for AnyMap {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        match self {
            Self::Embedded(map) => map.acquire(shard, holder).await,
            Self::Postgis(map) => map.acquire(shard, holder).await,
        }
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        match self {
            Self::Embedded(map) => map.renew(lease).await,
            Self::Postgis(map) => map.renew(lease).await,
        }
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        match self {
            Self::Embedded(map) => map.release(lease).await,
            Self::Postgis(map) => map.release(lease).await,
        }
    }
}

impl Sink for AnyMap {
    async fn apply(&self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        match self {
            Self::Embedded(map) => map.apply(lease, effects).await,
            Self::Postgis(map) => map.apply(lease, effects).await,
        }
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        match self {
            Self::Embedded(map) => map.lookup(claims).await,
            Self::Postgis(map) => map.lookup(claims).await,
        }
    }
}

impl DeadLetters for AnyMap {
    async fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> Result<Vec<Recorded>, StoreError> {
        match self {
            Self::Embedded(map) => map.record(lease, letters).await,
            Self::Postgis(map) => map.record(lease, letters).await,
        }
    }

    async fn find(&self, key: EventKey) -> Result<Vec<StoredDeadLetter>, Failure> {
        match self {
            Self::Embedded(map) => map.find(key).await,
            Self::Postgis(map) => map.find(key).await,
        }
    }

    async fn count(&self) -> Result<Vec<DeadCount>, Failure> {
        match self {
            Self::Embedded(map) => map.count().await,
            Self::Postgis(map) => map.count().await,
        }
    }
}

impl Tally for AnyMap {
    async fn tally(&self) -> Result<OutcomeCounts, Failure> {
        match self {
            Self::Embedded(map) => map.tally().await,
            Self::Postgis(map) => map.tally().await,
        }
    }
}
