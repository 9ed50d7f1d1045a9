//! Leases beside the map state, so that the epoch is checked in the commit it protects.
//! By the given clock; with one process per folder they are never contended.

use crate::failure::Stop;
use crate::map::{SqliteMap, admit};
use hexlane_backend::{Epoch, Failure, Holder, Lease, Leases, Part, StoreError};
use hexlane_core::lane::Shard;
use rusqlite::{Connection, OptionalExtension};

impl SqliteMap {
    fn end_us(&self, now_us: i64) -> i64 {
        let length_us = self.store.lease_ms.saturating_mul(1_000);
        now_us.saturating_add(i64::try_from(length_us).unwrap_or(i64::MAX))
    }

    /// Writes the lease's end; fenced once a higher epoch stands.
    async fn put_end(&self, lease: Lease, free: bool) -> Result<(), StoreError> {
        let work = move |connection: &Connection| {
            admit(connection, &lease)?;
            let holder = if free {
                None
            } else {
                Some(lease.holder.as_str())
            };
            connection
                .prepare_cached(
                    "UPDATE hexlane_leases SET holder = ?2, expires_at_us = ?3 WHERE shard = ?1",
                )?
                .execute((lease.shard.get(), holder, lease.expires_at_us))?;
            Ok(())
        };
        self.store.writer.run(Part::Leases, work, |()| {}).await
    }
}

/// Takes the shard when it is free, ended, or held by the same holder.
fn take(connection: &Connection, wanted: &Lease, now_us: i64) -> Result<Option<Epoch>, Stop> {
    let row: Option<(i64, Option<String>, i64)> = connection
        .prepare_cached("SELECT epoch, holder, expires_at_us FROM hexlane_leases WHERE shard = ?1")?
        .query_row([wanted.shard.get()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let (epoch, holder, expires_at_us) = row.unwrap_or((0, None, 0));
    let held = holder.is_some_and(|holder| holder != wanted.holder.as_str());
    if held && expires_at_us > now_us {
        return Ok(None);
    }
    let epoch = Epoch::new(epoch.unsigned_abs()).next();
    admit(
        connection,
        &Lease {
            epoch,
            ..wanted.clone()
        },
    )?;
    Ok(Some(epoch))
}

impl Leases for SqliteMap {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        let now_us = self.store.clock.now_us();
        let wanted = Lease {
            shard,
            holder: holder.clone(),
            epoch: Epoch::new(0),
            lease_ms: self.store.lease_ms,
            expires_at_us: self.end_us(now_us),
        };
        let asked = wanted.clone();
        let work = move |connection: &Connection| take(connection, &asked, now_us);
        match self.store.writer.run(Part::Leases, work, |_| {}).await {
            Ok(epoch) => Ok(epoch.map(|epoch| Lease { epoch, ..wanted })),
            // Somebody was quicker.
            Err(StoreError::Fenced { .. }) => Ok(None),
            Err(StoreError::Failed(failure)) => Err(failure),
        }
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        let expires_at_us = self.end_us(self.store.clock.now_us());
        let renewed = Lease {
            expires_at_us,
            lease_ms: self.store.lease_ms,
            ..lease.clone()
        };
        self.put_end(renewed.clone(), false).await?;
        Ok(renewed)
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.put_end(
            Lease {
                expires_at_us: 0,
                ..lease.clone()
            },
            true,
        )
        .await
    }
}
