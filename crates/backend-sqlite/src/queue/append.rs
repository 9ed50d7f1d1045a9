//! Appending: bytes to their shards as they are, in one transaction with everybody else's.
//! No key is looked at and none is remembered.

use super::SqliteQueue;
use crate::failure::{Stop, unfenced};
use hexlane_backend::{Failure, Part, RawEntry};
use rusqlite::Connection;
use std::sync::Arc;

impl SqliteQueue {
    pub(super) async fn put_raw(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        self.store
            .limits
            .admit_raw(&entries, self.store.shard_map)?;
        if entries.is_empty() {
            return Ok(());
        }
        let sizes = entries.iter().map(|entry| (entry.shard, entry.bytes.len()));
        let sizes: Vec<_> = sizes.collect();
        let now_us = self.store.clock.now_us();
        let memory = Arc::clone(&self.store.memory);
        let count = move |(): &()| {
            let mut state = memory.lock();
            for (shard, bytes) in sizes {
                state.counts.entry(shard).or_default().add(bytes as u64);
            }
            drop(state);
            memory.bell.send_modify(|rung| *rung += 1);
        };
        let work = move |connection: &Connection| insert_all(connection, &entries, now_us);
        self.store
            .writer
            .run(Part::Queue, work, count)
            .await
            .map_err(unfenced(Part::Queue))
    }
}

fn insert_all(connection: &Connection, entries: &[RawEntry], now_us: i64) -> Result<(), Stop> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO entries (shard, enqueued_at_us, envelope) VALUES (?1, ?2, ?3)",
    )?;
    for entry in entries {
        insert.execute((entry.shard.get(), now_us, &entry.bytes))?;
    }
    Ok(())
}
