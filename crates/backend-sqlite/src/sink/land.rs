//! Landing one effect: its claim and its entity's version, then its feature.

use super::Row;
use super::claim::{Claim, ClaimState, find, insert, insert_new};
use crate::dead_letters::supersede;
use hexlane_backend::EventKey;
use hexlane_core::Outcome;
use hexlane_core::envelope::{Envelope, Op};
use rusqlite::Connection;

/// The outcome; none when the key is claimed with another payload. What applies is not on
/// the map yet: [`put`] puts the last row of an entity. The claim is written
/// first, as of an event that applies, because nearly every one is new and does.
pub(super) fn land(
    connection: &Connection,
    row: &Row,
    now_us: i64,
) -> rusqlite::Result<Option<Outcome>> {
    let envelope = &row.effect.envelope;
    let key = EventKey::of(envelope);
    let mut claim = Claim {
        key: &key,
        key_id: key.id(),
        event_id: &envelope.event_id,
        payload_sha256: envelope.payload_sha256,
        state: ClaimState::Applied,
        version: Some(envelope.version.to_bytes()),
        now_us,
    };
    let mut as_written = insert_new(connection, &claim)?;
    if !as_written {
        match find(connection, claim.key_id)? {
            Some((sha, _)) if sha != envelope.payload_sha256 => return Ok(None),
            Some((_, ClaimState::Applied | ClaimState::Stale)) => {
                return Ok(Some(Outcome::Duplicate));
            }
            Some((_, ClaimState::Dead)) | None => {
                supersede(connection, claim.key_id, &envelope.payload_sha256)?;
            }
        }
    }
    let outcome = if put_entity(connection, envelope)? {
        Outcome::Applied
    } else {
        claim.state = ClaimState::Stale;
        as_written = false;
        Outcome::Stale
    };
    if !as_written {
        insert(connection, &claim)?;
    }
    Ok(Some(outcome))
}

/// The entity's version, unless one as new stands there; whether it was put.
fn put_entity(connection: &Connection, envelope: &Envelope) -> rusqlite::Result<bool> {
    let put = connection
        .prepare_cached(
            "INSERT INTO hexlane_entities AS e (source, entity, version, deleted)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (source, entity) DO UPDATE
             SET version = excluded.version, deleted = excluded.deleted
             WHERE e.version < excluded.version",
        )?
        .execute((
            &envelope.source,
            &envelope.entity,
            envelope.version.to_bytes(),
            envelope.op == Op::Delete,
        ))?;
    Ok(put > 0)
}

/// Shows on the map what a row that applied says.
pub(super) fn put(connection: &Connection, row: &Row, now_us: i64) -> rusqlite::Result<()> {
    match row.effect.envelope.op {
        Op::Upsert => put_feature(connection, row, now_us),
        Op::Delete => remove_feature(connection, &row.effect.envelope),
    }
}

fn put_feature(connection: &Connection, row: &Row, now_us: i64) -> rusqlite::Result<()> {
    let envelope = &row.effect.envelope;
    connection
        .prepare_cached(
            "INSERT INTO features (geom, source, entity, event_id, cell, version, accepted_at,
               applied_at, properties, joined)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6,
               strftime('%Y-%m-%dT%H:%M:%fZ', ?7 / 1000000.0, 'unixepoch'),
               strftime('%Y-%m-%dT%H:%M:%fZ', ?8 / 1000000.0, 'unixepoch'), ?9, ?10)
             ON CONFLICT (source, entity) DO UPDATE SET geom = excluded.geom,
               event_id = excluded.event_id, cell = excluded.cell,
               version = excluded.version, accepted_at = excluded.accepted_at,
               applied_at = excluded.applied_at, properties = excluded.properties,
               joined = excluded.joined",
        )?
        .execute((
            &row.geometry,
            &envelope.source,
            &envelope.entity,
            &envelope.event_id,
            envelope.cell.map(|cell| cell.to_string()),
            envelope.version.value,
            envelope.accepted_at_us,
            now_us,
            &row.effect.properties,
            &row.effect.joined,
        ))?;
    Ok(())
}

fn remove_feature(connection: &Connection, envelope: &Envelope) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM features WHERE source = ?1 AND entity = ?2")?
        .execute((&envelope.source, &envelope.entity))?;
    Ok(())
}
