//! The backlog: counted as entries come and go; only the oldest is asked of the file.

use super::SqliteQueue;
use crate::failure::{Stop, unfenced};
use hexlane_backend::hand_over::ShardCount;
use hexlane_backend::{Failure, Part, ShardBacklog};
use hexlane_core::lane::Shard;
use rusqlite::{Connection, OptionalExtension};

impl SqliteQueue {
    pub(super) async fn report(&self) -> Result<Vec<ShardBacklog>, Failure> {
        let counts: Vec<(Shard, ShardCount)> = {
            let state = self.store.memory.lock();
            state
                .counts
                .iter()
                .map(|(shard, count)| (*shard, *count))
                .collect()
        };
        let now_us = self.store.clock.now_us();
        let work = move |connection: &Connection| {
            let row = |(shard, count): &(Shard, ShardCount)| {
                let since_us = oldest_us(connection, *shard)?;
                Ok(count.report(*shard, since_us.map(|since_us| age_ms(now_us, since_us))))
            };
            counts.iter().map(row).collect::<Result<Vec<_>, Stop>>()
        };
        self.store
            .reader
            .run(Part::Queue, work, |_| {})
            .await
            .map_err(unfenced(Part::Queue))
    }
}

/// The backlog of a file alone, without the process that may have some of it in hand.
pub(crate) fn of_file(connection: &Connection, now_us: i64) -> Result<Vec<ShardBacklog>, Stop> {
    let mut statement = connection.prepare(
        "SELECT shard, count(*), sum(length(envelope)), min(enqueued_at_us) FROM entries
         GROUP BY shard",
    )?;
    let rows = statement.query_map([], |row| {
        let (waiting, bytes): (i64, i64) = (row.get(1)?, row.get(2)?);
        let count = ShardCount {
            waiting: waiting.unsigned_abs(),
            handed: 0,
            bytes: bytes.unsigned_abs(),
        };
        let age_ms = age_ms(now_us, row.get(3)?);
        Ok(count.report(Shard::new(row.get(0)?), Some(age_ms)))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn age_ms(now_us: i64, since_us: i64) -> u64 {
    u64::try_from(now_us.saturating_sub(since_us) / 1_000).unwrap_or(0)
}

fn oldest_us(connection: &Connection, shard: Shard) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT enqueued_at_us FROM entries WHERE shard = ?1 ORDER BY seq LIMIT 1")?
        .query_row([shard.get()], |row| row.get(0))
        .optional()
}
