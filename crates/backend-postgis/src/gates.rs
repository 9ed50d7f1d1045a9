//! One call at a time a shard. Two that hold the fence's row together would make PostgreSQL
//! write a multixact for each, and those run out before anything else does.

use hexlane_backend::{Code, Failure, Lease, Part};
use hexlane_core::lane::ShardMap;
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// A turn on a shard; the next one comes when it is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

/// A gate a shard.
#[derive(Debug)]
pub(crate) struct Gates(Box<[Arc<Mutex<()>>]>);

impl Gates {
    /// The gates of a shard map, and one for the shard after its last: a stream of other
    /// producers, which the map does not spread.
    pub(crate) fn new(shard_map: ShardMap) -> Self {
        let gates = usize::from(shard_map.shards()) + 1;
        Self(std::iter::repeat_with(Arc::default).take(gates).collect())
    }

    /// Waits for the shard's turn.
    pub(crate) async fn enter(&self, part: Part, lease: &Lease) -> Result<Turn, Failure> {
        let gate = self.0.get(usize::from(lease.shard.get())).ok_or_else(|| {
            let detail = format!("shard {} of {}", lease.shard, self.0.len());
            Failure::new(part, Code::ShardMapMismatch).with_detail(detail)
        })?;
        Ok(Arc::clone(gate).lock_owned().await)
    }

    /// Waits until nothing is in flight.
    pub(crate) async fn drained(&self) {
        for gate in &self.0 {
            drop(gate.lock().await);
        }
    }
}
