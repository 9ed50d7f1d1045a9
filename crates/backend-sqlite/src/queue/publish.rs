//! Publishing: conflict check, entry and key in one transaction with everybody else's.

use super::SqliteQueue;
use crate::failure::{Stop, unfenced};
use hexlane_backend::KeyId;
use hexlane_backend::{EventKey, Failure, Part, Published};
use hexlane_core::Envelope;
use hexlane_core::digest::Sha256Digest;
use hexlane_core::lane::Shard;
use rusqlite::{Connection, OptionalExtension};
use std::sync::Arc;

/// Keys looked at for trimming per call: more than a call adds, so that trimming keeps up,
/// and few enough not to be felt.
const KEYS_TRIMMED_MAX: usize = 2_000;

struct Row {
    key_id: KeyId,
    payload_sha256: Sha256Digest,
    shard: Shard,
    envelope: Vec<u8>,
}

struct Times {
    now_us: i64,
    keys_before_us: i64,
}

impl SqliteQueue {
    pub(super) async fn put(&self, envelopes: Vec<Envelope>) -> Result<Vec<Published>, Failure> {
        let encoded = self.store.limits.admit(&envelopes, self.store.shard_map)?;
        if encoded.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<Row> = envelopes.iter().zip(encoded).map(Row::of).collect();
        let sizes: Vec<_> = rows
            .iter()
            .map(|row| (row.shard, row.envelope.len() as u64))
            .collect();
        let now_us = self.store.clock.now_us();
        let keys_before_us = self.store.limits.keys_forgotten_before_us(now_us);
        let times = Times {
            now_us,
            keys_before_us,
        };
        let memory = Arc::clone(&self.store.memory);
        let count = move |answers: &Vec<Published>| {
            let mut state = memory.lock();
            for ((shard, bytes), answer) in sizes.into_iter().zip(answers) {
                if *answer != Published::Conflict {
                    state.counts.entry(shard).or_default().add(bytes);
                }
            }
            drop(state);
            memory.bell.send_modify(|rung| *rung += 1);
        };
        let work = move |connection: &Connection| insert_all(connection, &rows, &times);
        self.store
            .writer
            .run(Part::Queue, work, count)
            .await
            .map_err(unfenced(Part::Queue))
    }
}

impl Row {
    fn of((envelope, encoded): (&Envelope, Vec<u8>)) -> Self {
        Self {
            key_id: EventKey::of(envelope).id(),
            payload_sha256: envelope.payload_sha256,
            shard: envelope.shard,
            envelope: encoded,
        }
    }
}

fn insert_all(
    connection: &Connection,
    rows: &[Row],
    times: &Times,
) -> Result<Vec<Published>, Stop> {
    let answers = rows.iter().map(|row| insert(connection, row, times.now_us));
    let answers = answers.collect::<rusqlite::Result<Vec<_>>>()?;
    trim_keys(connection, times.keys_before_us)?;
    Ok(answers)
}

fn insert(connection: &Connection, row: &Row, now_us: i64) -> rusqlite::Result<Published> {
    let seen: Option<Sha256Digest> = connection
        .prepare_cached("SELECT payload_sha256 FROM keys WHERE key_id = ?1")?
        .query_row([row.key_id], |found| found.get(0))
        .optional()?;
    if seen.is_some_and(|sha| sha != row.payload_sha256) {
        return Ok(Published::Conflict);
    }
    connection
        .prepare_cached(
            "INSERT INTO entries (shard, enqueued_at_us, envelope) VALUES (?1, ?2, ?3)",
        )?
        .execute((row.shard.get(), now_us, &row.envelope))?;
    connection
        .prepare_cached(
            "INSERT INTO keys (key_id, payload_sha256, seen_at_us, last_seq)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (key_id) DO UPDATE
             SET seen_at_us = excluded.seen_at_us, last_seq = excluded.last_seq",
        )?
        .execute((
            row.key_id,
            row.payload_sha256,
            now_us,
            connection.last_insert_rowid(),
        ))?;
    Ok(if seen.is_some() {
        Published::Duplicate
    } else {
        Published::Enqueued
    })
}

/// Forgets the oldest keys past their time of which nothing waits: everything that waits
/// has a sequence number of at least the lowest.
fn trim_keys(connection: &Connection, before_us: i64) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "DELETE FROM keys WHERE key_id IN (
               SELECT key_id FROM (
                 SELECT key_id, last_seq FROM keys
                 WHERE seen_at_us < ?1 ORDER BY seen_at_us LIMIT ?2)
               WHERE last_seq < coalesce((SELECT min(seq) FROM entries), last_seq + 1))",
        )?
        .execute((
            before_us,
            i64::try_from(KEYS_TRIMMED_MAX).unwrap_or(i64::MAX),
        ))
}
