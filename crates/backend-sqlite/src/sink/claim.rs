//! Claims: one row an idempotency key, with the digest of the payload it came with.

use hexlane_backend::KeyId;
use hexlane_backend::{ClaimQuery, EventKey, Landed, Recorded};
use hexlane_core::Outcome;
use hexlane_core::digest::Sha256Digest;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension};

/// What became of a claimed key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClaimState {
    Applied,
    Stale,
    Dead,
}

impl ClaimState {
    const ALL: [Self; 3] = [Self::Applied, Self::Stale, Self::Dead];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Stale => "stale",
            Self::Dead => "dead",
        }
    }
}

impl ToSql for ClaimState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for ClaimState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        let state = Self::ALL.into_iter().find(|state| state.as_str() == name);
        state.ok_or(FromSqlError::InvalidType)
    }
}

/// A claim to be written.
pub(crate) struct Claim<'a> {
    pub(crate) key: &'a EventKey,
    pub(crate) key_id: KeyId,
    pub(crate) event_id: &'a str,
    pub(crate) payload_sha256: Sha256Digest,
    pub(crate) state: ClaimState,
    pub(crate) version: Option<[u8; 24]>,
    pub(crate) now_us: i64,
}

/// The claim of a key: payload and state.
pub(crate) fn find(
    connection: &Connection,
    key_id: KeyId,
) -> rusqlite::Result<Option<(Sha256Digest, ClaimState)>> {
    connection
        .prepare_cached("SELECT payload_sha256, state FROM hexlane_claims WHERE key_id = ?1")?
        .query_row([key_id], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// Columns and values of a claim.
const INSERT: &str = "INSERT INTO hexlane_claims
    (key_id, source, key, event_id, payload_sha256, state, version, claimed_at_us)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (key_id) DO";

/// Writes a claim, unless there is one; whether it did.
pub(super) fn insert_new(connection: &Connection, claim: &Claim<'_>) -> rusqlite::Result<bool> {
    execute(connection, &format!("{INSERT} NOTHING"), claim).map(|written| written > 0)
}

/// Writes a claim; the one that is there, if any, becomes this one.
pub(crate) fn insert(connection: &Connection, claim: &Claim<'_>) -> rusqlite::Result<()> {
    let sql = format!(
        "{INSERT} UPDATE SET state = excluded.state, version = excluded.version,
           claimed_at_us = excluded.claimed_at_us"
    );
    execute(connection, &sql, claim).map(drop)
}

fn execute(connection: &Connection, sql: &str, claim: &Claim<'_>) -> rusqlite::Result<usize> {
    connection.prepare_cached(sql)?.execute((
        claim.key_id,
        &claim.key.source,
        &claim.key.key,
        claim.event_id,
        claim.payload_sha256,
        claim.state,
        claim.version,
        claim.now_us,
    ))
}

/// What the claim says of an effect; none when it is not there.
pub(super) fn look_up(
    connection: &Connection,
    query: &ClaimQuery,
) -> rusqlite::Result<Option<Landed>> {
    let outcome = match find(connection, query.key.id())? {
        None | Some((_, ClaimState::Dead)) => return Ok(None),
        Some((sha, _)) if sha != query.payload_sha256 => return Ok(Some(Landed::Conflict)),
        Some((_, ClaimState::Applied)) => Outcome::Applied,
        Some((_, ClaimState::Stale)) => Outcome::Stale,
    };
    let recorded = Recorded::by_store(query.key.clone(), outcome);
    Ok(Some(Landed::Recorded(recorded)))
}
