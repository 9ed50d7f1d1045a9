//! Leases in memory, by the given clock.

use super::lock;
use crate::clock::Clock;
use crate::failure::{Failure, StoreError};
use crate::fence::Fence;
use crate::lease::{Epoch, Holder, Lease, Leases};
use hexlane_core::lane::Shard;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A lease authority in memory. Clones share it.
#[derive(Clone, Debug)]
pub struct MemoryLeases {
    clock: Arc<dyn Clock>,
    lease_ms: u64,
    rows: Arc<Mutex<HashMap<Shard, Row>>>,
}

#[derive(Clone, Debug)]
struct Row {
    epoch: Epoch,
    holder: Option<Holder>,
    expires_at_us: i64,
}

impl MemoryLeases {
    /// An authority that gives leases of that length.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, lease_ms: u64) -> Self {
        Self {
            clock,
            lease_ms,
            rows: Arc::default(),
        }
    }

    fn end_us(&self) -> i64 {
        let length_us = i64::try_from(self.lease_ms.saturating_mul(1_000)).unwrap_or(i64::MAX);
        self.clock.now_us().saturating_add(length_us)
    }

    fn lease(&self, shard: Shard, row: &Row, holder: &Holder) -> Lease {
        Lease {
            shard,
            holder: holder.clone(),
            epoch: row.epoch,
            lease_ms: self.lease_ms,
            expires_at_us: row.expires_at_us,
        }
    }

    fn take(&self, shard: Shard, holder: &Holder) -> Option<Lease> {
        let mut rows = lock(&self.rows);
        let row = rows.entry(shard).or_insert(Row {
            epoch: Epoch::new(0),
            holder: None,
            expires_at_us: 0,
        });
        let held = row.holder.as_ref().is_some_and(|other| other != holder);
        if held && row.expires_at_us > self.clock.now_us() {
            return None;
        }
        *row = Row {
            epoch: row.epoch.next(),
            holder: Some(holder.clone()),
            expires_at_us: self.end_us(),
        };
        Some(self.lease(shard, row, holder))
    }

    fn prolong(
        &self,
        lease: &Lease,
        holder: Option<Holder>,
        end_us: i64,
    ) -> Result<Lease, StoreError> {
        let mut rows = lock(&self.rows);
        let stored = rows.get(&lease.shard).map(|row| (lease.shard, row.epoch));
        Fence::of(stored).admit(lease)?;
        let row = Row {
            epoch: lease.epoch,
            holder,
            expires_at_us: end_us,
        };
        let renewed = self.lease(lease.shard, &row, &lease.holder);
        rows.insert(lease.shard, row);
        Ok(renewed)
    }
}

impl Leases for MemoryLeases {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        Ok(self.take(shard, holder))
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        self.prolong(lease, Some(lease.holder.clone()), self.end_us())
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.prolong(lease, None, 0).map(drop)
    }
}
