//! Dead letters beside the claims: the record and the claim `dead` commit together, and a
//! later effect of the same key closes the record in its own commit.

mod columns;
mod history;
mod row;

use crate::map::{PostgisMap, shard_number, to_its_end, unfenced};
use crate::sql::Names;
use columns::Columns;
use hexlane_backend::{
    Code, DeadCount, DeadLetter, DeadLetters, Destination, EventKey, Failure, Lease, Part,
    Recorded, StoreError, StoredDeadLetter,
};
use hexlane_core::{FailureClass, Outcome};
use std::sync::Arc;
use tokio_postgres::Row;
use uuid::Uuid;

const RECORD: &str = "
    SELECT fenced_by, duplicates FROM @schema.record_v1(
      $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
      $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)";

pub(crate) const COUNT: &str = "
    SELECT destination, failure_class, count(*) FROM @schema.dead_letters
    WHERE state = 'open' GROUP BY destination, failure_class";

/// The statements with names in them.
#[derive(Debug)]
pub(crate) struct Texts {
    record: String,
    find: String,
    count: String,
}

impl Texts {
    pub(crate) fn new(names: &Names) -> Self {
        Self {
            record: names.fill(RECORD),
            find: names.fill(row::FIND),
            count: names.fill(COUNT),
        }
    }
}

/// In the order of the enums.
pub(crate) fn counts(rows: &[Row]) -> Result<Vec<DeadCount>, Failure> {
    let count = |row: &Row| {
        Some(DeadCount {
            destination: Destination::from_name(row.get(0))?,
            class: FailureClass::from_name(row.get(1))?,
            open: row.get::<_, i64>(2).unsigned_abs(),
        })
    };
    let unknown = || {
        Failure::new(Part::DeadLetters, Code::Corrupt)
            .with_detail("a dead letter of an unknown destination or class")
    };
    let counts = rows.iter().map(|row| count(row).ok_or_else(unknown));
    let mut counts = counts.collect::<Result<Vec<_>, _>>()?;
    counts.sort_by_key(|count| (count.destination, count.class));
    Ok(counts)
}

fn recorded(row: &Row, keys: Vec<EventKey>) -> Vec<Recorded> {
    let duplicates: Vec<i64> = row.get("duplicates");
    let recorded = keys.into_iter().zip(1i64..).map(|(key, number)| {
        let outcome = if duplicates.contains(&number) {
            Outcome::Duplicate
        } else {
            Outcome::Dead
        };
        Recorded::by_store(key, outcome)
    });
    recorded.collect()
}

impl DeadLetters for PostgisMap {
    async fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let keys = letters.iter().map(|letter| letter.key.clone()).collect();
        let columns = Columns::of(&letters);
        let (store, lease) = (Arc::clone(&self.store), lease.clone());
        to_its_end(Part::DeadLetters, async move {
            let _turn = store.gates.enter(Part::DeadLetters, &lease).await?;
            let shard = shard_number(&lease);
            let epoch = lease.epoch.get().cast_signed();
            let parameters = columns.parameters(&shard, &epoch);
            let sql = &store.dead_letters.record;
            let rows = store
                .connections
                .write(Part::DeadLetters, sql, &parameters)
                .await?;
            let row = unfenced(Part::DeadLetters, &lease, rows)?;
            Ok(recorded(&row, keys))
        })
        .await
    }

    async fn find(&self, key: EventKey) -> Result<Vec<StoredDeadLetter>, Failure> {
        let key_id = Uuid::from_bytes(key.id());
        let (connections, texts) = (&self.store.connections, &self.store.dead_letters);
        let rows = connections
            .read(Part::DeadLetters, &texts.find, &[&key_id])
            .await?;
        rows.iter().map(row::stored).collect()
    }

    async fn count(&self) -> Result<Vec<DeadCount>, Failure> {
        let (connections, texts) = (&self.store.connections, &self.store.dead_letters);
        let rows = connections
            .read(Part::DeadLetters, &texts.count, &[])
            .await?;
        counts(&rows)
    }
}
