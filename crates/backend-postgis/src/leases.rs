//! Leases by the database's clock. A new epoch raises the shard's fence in the same
//! statement, which waits for the batch in flight: no old apply is half-way afterwards.

use crate::map::{PostgisMap, fenced, shard_number, to_its_end};
use crate::sql::Names;
use crate::text::to_stored;
use hexlane_backend::{Epoch, Failure, Holder, Lease, Leases, Part, StoreError};
use hexlane_core::lane::Shard;
use std::sync::Arc;

/// An epoch from elsewhere may stand in the fence: ours goes beyond it.
const ACQUIRE: &str = "
    WITH taken AS (
      INSERT INTO @schema.leases AS l (shard, epoch, holder, expires_at)
      VALUES ($1, 1 + coalesce((SELECT f.epoch FROM @schema.fences f WHERE f.shard = $1), 0),
        $2, @schema.authority_now() + $3::bigint * interval '1 millisecond')
      ON CONFLICT (shard) DO UPDATE SET epoch = greatest(l.epoch + 1, excluded.epoch),
        holder = excluded.holder, expires_at = excluded.expires_at
        WHERE l.holder IS NULL OR l.holder = excluded.holder
          OR l.expires_at <= @schema.authority_now()
      RETURNING l.epoch, l.expires_at
    ), raised AS (
      INSERT INTO @schema.fences AS f (shard, epoch) SELECT $1, t.epoch FROM taken t
      ON CONFLICT (shard) DO UPDATE SET epoch = greatest(f.epoch, excluded.epoch)
      RETURNING 1
    )
    SELECT t.epoch, (extract(epoch FROM t.expires_at) * 1000000)::bigint AS expires_at_us
    FROM taken t, raised";

/// Nothing when a higher epoch stands. Without a holder the lease ends.
const PUT: &str = "
    INSERT INTO @schema.leases AS l (shard, epoch, holder, expires_at)
    VALUES ($1, $2, $3, @schema.authority_now() + $4::bigint * interval '1 millisecond')
    ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder,
      expires_at = excluded.expires_at
      WHERE l.epoch <= excluded.epoch
    RETURNING (extract(epoch FROM l.expires_at) * 1000000)::bigint AS expires_at_us";

const EPOCH: &str = "SELECT epoch FROM @schema.leases WHERE shard = $1";

/// The statements with names in them.
#[derive(Debug)]
pub(crate) struct Texts {
    acquire: String,
    put: String,
    epoch: String,
}

impl Texts {
    pub(crate) fn new(names: &Names) -> Self {
        Self {
            acquire: names.fill(ACQUIRE),
            put: names.fill(PUT),
            epoch: names.fill(EPOCH),
        }
    }
}

impl PostgisMap {
    fn lease_ms(&self) -> i64 {
        i64::try_from(self.store.lease_ms).unwrap_or(i64::MAX)
    }

    /// Writes who has the lease and for how long; tells its end.
    async fn put(&self, lease: &Lease, held: bool, lease_ms: i64) -> Result<i64, StoreError> {
        let (store, lease) = (Arc::clone(&self.store), lease.clone());
        to_its_end(Part::Leases, async move {
            let shard = shard_number(&lease);
            let epoch = lease.epoch.get().cast_signed();
            let holder = held.then(|| to_stored(lease.holder.as_str()));
            let (connections, texts) = (&store.lease_connections, &store.leases);
            let rows = connections
                .write(
                    Part::Leases,
                    &texts.put,
                    &[&shard, &epoch, &holder, &lease_ms],
                )
                .await?;
            if let Some(row) = rows.first() {
                return Ok(row.get("expires_at_us"));
            }
            let rows = connections
                .read(Part::Leases, &texts.epoch, &[&shard])
                .await?;
            let current = rows.first().map_or(epoch, |row| row.get(0));
            Err(fenced(&lease, current))
        })
        .await
    }
}

impl Leases for PostgisMap {
    async fn acquire(&self, shard: Shard, holder: &Holder) -> Result<Option<Lease>, Failure> {
        let number = shard.get().cast_signed();
        let name = to_stored(holder.as_str());
        let (connections, texts) = (&self.store.lease_connections, &self.store.leases);
        let rows = connections
            .write(
                Part::Leases,
                &texts.acquire,
                &[&number, &name, &self.lease_ms()],
            )
            .await?;
        Ok(rows.first().map(|row| Lease {
            shard,
            holder: holder.clone(),
            epoch: Epoch::new(row.get::<_, i64>("epoch").unsigned_abs()),
            lease_ms: self.store.lease_ms,
            expires_at_us: row.get("expires_at_us"),
        }))
    }

    async fn renew(&self, lease: &Lease) -> Result<Lease, StoreError> {
        let expires_at_us = self.put(lease, true, self.lease_ms()).await?;
        Ok(Lease {
            lease_ms: self.store.lease_ms,
            expires_at_us,
            ..lease.clone()
        })
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.put(lease, false, 0).await.map(drop)
    }
}
