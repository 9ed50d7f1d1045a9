//! Dead letters in the file where the claims are: the record and the claim `dead` commit
//! together, and a later effect of the same key closes the record in its own commit.

mod row;

use crate::failure::{Stop, unfenced};
use crate::map::{SqliteMap, admit};
use crate::sink::{Claim, ClaimState, find_claim, insert_claim};
use crate::tally;
use hexlane_backend::KeyId;
use hexlane_backend::{
    Body, DeadCount, DeadLetter, DeadLetterState, DeadLetters, Destination, EventKey, Failure,
    Lease, OutcomeCounts, Part, Recorded, StoreError, StoredDeadLetter,
};
use hexlane_core::digest::Sha256Digest;
use hexlane_core::{FailureClass, Outcome};
use rusqlite::Connection;

/// Closes the record of a key and payload: its event had its effect.
pub(crate) fn supersede(
    connection: &Connection,
    key_id: KeyId,
    payload_sha256: &Sha256Digest,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE dead_letters SET state = ?3 WHERE key_id = ?1 AND payload_sha256 = ?2",
        )?
        .execute((key_id, payload_sha256, DeadLetterState::Superseded.as_str()))?;
    Ok(())
}

fn record(connection: &Connection, letter: &DeadLetter, now_us: i64) -> rusqlite::Result<Outcome> {
    let key_id = letter.key.id();
    let payload_sha256 = letter.payload_sha256();
    match find_claim(connection, key_id)? {
        Some((sha, ClaimState::Applied | ClaimState::Stale)) if sha == payload_sha256 => {
            tally::count(connection, OutcomeCounts::from_iter([Outcome::Duplicate]))?;
            return Ok(Outcome::Duplicate);
        }
        Some(_) => {}
        None => {
            let claim = Claim {
                key: &letter.key,
                key_id,
                event_id: event_id(letter),
                payload_sha256,
                state: ClaimState::Dead,
                version: None,
                now_us,
            };
            insert_claim(connection, &claim)?;
        }
    }
    put(connection, key_id, letter)?;
    Ok(Outcome::Dead)
}

/// Writes the record and counts the delivery that ended in it, once.
fn put(connection: &Connection, key_id: KeyId, letter: &DeadLetter) -> rusqlite::Result<()> {
    let earlier = row::find(connection, key_id, Some(&letter.payload_sha256()))?;
    let ended = if let Some(stored) = earlier.into_iter().next() {
        row::put(connection, key_id, &letter.clone().after(&stored.letter))?;
        letter.ends_another_delivery(&stored.letter)
    } else {
        row::put(connection, key_id, letter)?;
        true
    };
    let ended = ended.then_some(Outcome::Dead);
    tally::count(connection, ended.into_iter().collect())
}

fn event_id(letter: &DeadLetter) -> &str {
    match &letter.body {
        Body::Event(envelope) => &envelope.event_id,
        Body::Unreadable { .. } | Body::Lost => "",
    }
}

fn record_all(
    connection: &Connection,
    lease: &Lease,
    letters: &[DeadLetter],
    now_us: i64,
) -> Result<Vec<Outcome>, Stop> {
    admit(connection, lease)?;
    let outcomes = letters
        .iter()
        .map(|letter| record(connection, letter, now_us));
    Ok(outcomes.collect::<rusqlite::Result<_>>()?)
}

/// In the order of the enums; names that this build does not know are left out.
pub(crate) fn count(connection: &Connection) -> Result<Vec<DeadCount>, Stop> {
    let mut statement = connection.prepare_cached(
        "SELECT destination, failure_class, count(*) FROM dead_letters
         WHERE state = 'open' GROUP BY destination, failure_class",
    )?;
    let rows = statement.query_map([], |row| {
        let open: i64 = row.get(2)?;
        Ok(DeadCount {
            destination: row::named(row, "destination", Destination::from_name)?,
            class: row::named(row, "failure_class", FailureClass::from_name)?,
            open: open.unsigned_abs(),
        })
    })?;
    let mut counts = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    counts.sort_by_key(|count| (count.destination, count.class));
    Ok(counts)
}

impl DeadLetters for SqliteMap {
    async fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let keys: Vec<EventKey> = letters.iter().map(|letter| letter.key.clone()).collect();
        let lease = lease.clone();
        let now_us = self.store.clock.now_us();
        let work = move |connection: &Connection| record_all(connection, &lease, &letters, now_us);
        let outcomes = self
            .store
            .writer
            .run(Part::DeadLetters, work, |_| {})
            .await?;
        let recorded = keys.into_iter().zip(outcomes);
        Ok(recorded
            .map(|(key, outcome)| Recorded::by_store(key, outcome))
            .collect())
    }

    async fn find(&self, key: EventKey) -> Result<Vec<StoredDeadLetter>, Failure> {
        let work = move |connection: &Connection| Ok(row::find(connection, key.id(), None)?);
        self.store
            .reader
            .run(Part::DeadLetters, work, |_| {})
            .await
            .map_err(unfenced(Part::DeadLetters))
    }

    async fn count(&self) -> Result<Vec<DeadCount>, Failure> {
        self.store
            .reader
            .run(Part::DeadLetters, count, |_| {})
            .await
            .map_err(unfenced(Part::DeadLetters))
    }
}
