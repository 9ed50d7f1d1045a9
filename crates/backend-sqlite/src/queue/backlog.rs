//! The backlog: counted as entries come and go; only the oldest is asked of the file.

use super::{SqliteQueue, unfenced};
use crate::failure::Stop;
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
            let row = |(shard, count): (Shard, ShardCount)| {
                let age_ms = oldest_us(connection, shard)?.map(|since_us| {
                    u64::try_from(now_us.saturating_sub(since_us) / 1_000).unwrap_or(0)
                });
                Ok(count.report(shard, age_ms))
            };
            counts
                .into_iter()
                .map(row)
                .collect::<Result<Vec<_>, Stop>>()
        };
        self.store
            .reader
            .run(Part::Queue, work, |_| {})
            .await
            .map_err(unfenced)
    }
}

fn oldest_us(connection: &Connection, shard: Shard) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT enqueued_at_us FROM entries WHERE shard = ?1 ORDER BY seq LIMIT 1")?
        .query_row([shard.get()], |row| row.get(0))
        .optional()
}
