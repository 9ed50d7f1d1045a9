//! The queue of this deployment, whichever it is: the engine and the routes are compiled
//! once, not once a combination.

use hexlane_backend::{
    Authority, Bell, Credit, Delivery, Failure, Lease, Position, Published, Queue, RawEntry,
    Settled, Settlement, ShardBacklog, StoreError, Unsettled,
};
use hexlane_backend_redis::RedisQueue;
use hexlane_backend_sqlite::SqliteQueue;
use hexlane_core::Envelope;
use hexlane_core::lane::{Shard, ShardMap};

/// Where events wait.
#[derive(Clone, Debug)]
pub(super) enum AnyQueue {
    /// `queue.db`.
    Embedded(SqliteQueue),
    /// Redis Streams.
    Redis(RedisQueue),
}

impl AnyQueue {
    /// The shards that it has; more than the map spreads over where other producers have a
    /// stream of their own.
    pub(super) fn shards(&self, shard_map: ShardMap) -> Vec<Shard> {
        match self {
            Self::Embedded(_) => shard_map.all().collect(),
            Self::Redis(queue) => queue.shards().to_vec(),
        }
    }

    /// Holds the queue to that map. An embedded one stands in its folder.
    pub(super) async fn bind(&self, map: &Authority) -> Result<(), Failure> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Redis(queue) => queue.bind(map).await,
        }
    }

    /// Takes the queue from one map to another. An embedded one stands in its folder.
    pub(super) async fn rebind(&self, from: &Authority, to: &Authority) -> Result<(), Failure> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Redis(queue) => queue.rebind(from, to).await,
        }
    }

    /// Finishes what was asked and closes what can be closed.
    pub(super) async fn stop(&self) -> Result<(), Failure> {
        match self {
            Self::Embedded(queue) => queue.stop().await,
            Self::Redis(_) => Ok(()),
        }
    }
}

impl Queue for AnyQueue {
    async fn publish(&self, envelopes: Vec<Envelope>) -> Result<Vec<Published>, Failure> {
        match self {
            Self::Embedded(queue) => queue.publish(envelopes).await,
            Self::Redis(queue) => queue.publish(envelopes).await,
        }
    }

    async fn append(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        match self {
            Self::Embedded(queue) => queue.append(entries).await,
            Self::Redis(queue) => queue.append(entries).await,
        }
    }

    async fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        match self {
            Self::Embedded(queue) => queue.fetch(lease, position, credit).await,
            Self::Redis(queue) => queue.fetch(lease, position, credit).await,
        }
    }

    async fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>, Unsettled> {
        match self {
            Self::Embedded(queue) => queue.settle(lease, settlements).await,
            Self::Redis(queue) => queue.settle(lease, settlements).await,
        }
    }

    async fn arrived(&self, heard: Bell) -> Result<Bell, Failure> {
        match self {
            Self::Embedded(queue) => queue.arrived(heard).await,
            Self::Redis(queue) => queue.arrived(heard).await,
        }
    }

    async fn writable(&self) -> Result<(), Failure> {
        match self {
            Self::Embedded(queue) => queue.writable().await,
            Self::Redis(queue) => queue.writable().await,
        }
    }

    async fn backlog(&self) -> Result<Vec<ShardBacklog>, Failure> {
        match self {
            Self::Embedded(queue) => queue.backlog().await,
            Self::Redis(queue) => queue.backlog().await,
        }
    }
}
