//! Landing one effect: its claim, its entity's version, its feature.

use super::Row;
use super::claim::{Claim, ClaimState, find, insert};
use crate::dead_letters::supersede;
use hexlane_backend::EventKey;
use hexlane_core::Outcome;
use hexlane_core::envelope::{Envelope, Op};
use rusqlite::{Connection, OptionalExtension};

/// The outcome; none when the key is claimed with another payload.
pub(super) fn land(
    connection: &Connection,
    row: &Row,
    now_us: i64,
) -> rusqlite::Result<Option<Outcome>> {
    let envelope = &row.effect.envelope;
    let key = EventKey::of(envelope);
    let key_id = key.id();
    match find(connection, key_id)? {
        Some((sha, _)) if sha != envelope.payload_sha256 => return Ok(None),
        Some((_, ClaimState::Applied | ClaimState::Stale)) => return Ok(Some(Outcome::Duplicate)),
        Some((_, ClaimState::Dead)) => supersede(connection, key_id, &envelope.payload_sha256)?,
        None => {}
    }
    let newer = is_newer(connection, envelope)?;
    if newer {
        put(connection, row, now_us)?;
    }
    let state = if newer {
        ClaimState::Applied
    } else {
        ClaimState::Stale
    };
    let claim = Claim {
        key: &key,
        key_id,
        event_id: &envelope.event_id,
        payload_sha256: envelope.payload_sha256,
        state,
        version: Some(envelope.version.to_bytes()),
        now_us,
    };
    insert(connection, &claim)?;
    Ok(Some(if newer {
        Outcome::Applied
    } else {
        Outcome::Stale
    }))
}

fn is_newer(connection: &Connection, envelope: &Envelope) -> rusqlite::Result<bool> {
    let current: Option<[u8; 24]> = connection
        .prepare_cached("SELECT version FROM hexlane_entities WHERE source = ?1 AND entity = ?2")?
        .query_row((&envelope.source, &envelope.entity), |row| row.get(0))
        .optional()?;
    Ok(current.is_none_or(|current| current < envelope.version.to_bytes()))
}

fn put(connection: &Connection, row: &Row, now_us: i64) -> rusqlite::Result<()> {
    let envelope = &row.effect.envelope;
    let deleted = envelope.op == Op::Delete;
    connection
        .prepare_cached(
            "INSERT INTO hexlane_entities (source, entity, version, deleted)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (source, entity) DO UPDATE
             SET version = excluded.version, deleted = excluded.deleted",
        )?
        .execute((
            &envelope.source,
            &envelope.entity,
            envelope.version.to_bytes(),
            deleted,
        ))?;
    match envelope.op {
        Op::Upsert => put_feature(connection, row, now_us),
        Op::Delete => remove_feature(connection, envelope),
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
