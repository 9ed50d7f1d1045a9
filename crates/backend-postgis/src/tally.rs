//! The tally, a row a shard: counted where the outcomes are, added up when it is read.

use crate::map::PostgisMap;
use hexlane_backend::{Code, Failure, OutcomeCounts, Part, Tally};
use tokio_postgres::Row;

pub(crate) const QUERY: &str = "
    SELECT coalesce(sum(applied), 0)::bigint, coalesce(sum(stale), 0)::bigint,
      coalesce(sum(duplicate), 0)::bigint, coalesce(sum(dead), 0)::bigint
    FROM @schema.tally";

/// The counts of that query.
pub(crate) fn counts(rows: &[Row]) -> Result<OutcomeCounts, Failure> {
    let row = rows
        .first()
        .ok_or_else(|| Failure::new(Part::Sink, Code::Internal).with_detail("no tally"))?;
    let count = |column| row.get::<usize, i64>(column).unsigned_abs();
    Ok(OutcomeCounts {
        applied: count(0),
        stale: count(1),
        duplicate: count(2),
        dead: count(3),
    })
}

impl Tally for PostgisMap {
    async fn tally(&self) -> Result<OutcomeCounts, Failure> {
        let (connections, sql) = (&self.store.connections, &self.store.tally);
        counts(&connections.read(Part::Sink, sql, &[]).await?)
    }
}
