//! A dead letter as a row, and back.

use crate::history::{attempts_of_text, attempts_to_text, names_of_text, names_to_text};
use hexlane_backend::KeyId;
use hexlane_backend::{
    Body, DeadLetter, DeadLetterState, Destination, EventKey, GeometryError, StoredDeadLetter,
};
use hexlane_core::digest::Sha256Digest;
use hexlane_core::envelope::Payload;
use hexlane_core::{Envelope, FailureClass, Stage};
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, Row, named_params};

/// The three columns that hold a body.
struct BodyColumns {
    kind: &'static str,
    raw_payload: Option<Vec<u8>>,
    envelope: Option<Vec<u8>>,
}

impl BodyColumns {
    fn of(body: &Body) -> Self {
        match body {
            Body::Event(envelope) => {
                let raw_payload = envelope.inline_payload().map(<[u8]>::to_vec);
                let envelope = match &envelope.payload {
                    Payload::Inline(_) => without_payload(envelope).encode(),
                    Payload::Pointer { .. } => envelope.encode(),
                };
                Self {
                    kind: "event",
                    raw_payload,
                    envelope: Some(envelope),
                }
            }
            Body::Unreadable { bytes, .. } => Self {
                kind: "unreadable",
                raw_payload: Some(bytes.clone()),
                envelope: None,
            },
            Body::Lost => Self {
                kind: "lost",
                raw_payload: None,
                envelope: None,
            },
        }
    }

    fn body(kind: &str, raw_payload: Option<Vec<u8>>, envelope: Option<Vec<u8>>) -> Body {
        match (kind, raw_payload, envelope) {
            ("event", raw_payload, Some(envelope)) => with_payload(envelope, raw_payload),
            (_, Some(bytes), _) => Body::decode(bytes),
            (_, None, _) => Body::Lost,
        }
    }
}

fn without_payload(envelope: &Envelope) -> Envelope {
    Envelope {
        payload: Payload::Inline(Vec::new()),
        ..envelope.clone()
    }
}

fn with_payload(envelope: Vec<u8>, raw_payload: Option<Vec<u8>>) -> Body {
    match (Body::decode(envelope), raw_payload) {
        (Body::Event(envelope), Some(bytes)) => Body::Event(Box::new(Envelope {
            payload: Payload::Inline(bytes),
            ..*envelope
        })),
        (body, _) => body,
    }
}

/// Writes a record; the one of the same key and payload becomes this one and keeps its
/// state.
pub(super) fn put(
    connection: &Connection,
    key_id: KeyId,
    letter: &DeadLetter,
) -> rusqlite::Result<()> {
    let body = BodyColumns::of(&letter.body);
    let event = match &letter.body {
        Body::Event(envelope) => Some(envelope),
        Body::Unreadable { .. } | Body::Lost => None,
    };
    let error = letter.geometry_error.as_ref();
    let place = error.and_then(|error| error.location);
    connection.prepare_cached(PUT)?.execute(named_params! {
        ":destination": letter.destination.as_str(),
        ":source": letter.key.source,
        ":idempotency_key": letter.key.key,
        ":event_id": event.map(|event| &event.event_id),
        ":failure_class": letter.class.as_str(),
        ":code": letter.code,
        ":failed_stage": letter.stage.as_str(),
        ":error_message": letter.error_message,
        ":geometry_error": error.map(|error| &error.reason),
        ":geometry_error_x": place.map(|place| place[0]),
        ":geometry_error_y": place.map(|place| place[1]),
        ":geometry_error_epsg": error.and_then(|error| error.epsg),
        ":source_crs": event.and_then(|event| event.declared_crs.as_ref()),
        ":violations": letter.violations,
        ":attempts": letter.attempts,
        ":history": attempts_to_text(&letter.history),
        ":first_seen_at_us": letter.first_seen_at_us,
        ":dead_lettered_at_us": letter.dead_lettered_at_us,
        ":entry_ids": names_to_text(&letter.entry_ids),
        ":shard": event.map(|event| event.shard.get()),
        ":lane_key": event.map(|event| event.lane_key.as_str()),
        ":traceparent": event.and_then(|event| event.traceparent.as_ref()),
        ":body": body.kind,
        ":raw_payload": body.raw_payload,
        ":payload_sha256": letter.payload_sha256(),
        ":envelope": body.envelope,
        ":key_id": key_id,
    })?;
    Ok(())
}

const PUT: &str = "
    INSERT INTO dead_letters (destination, source, idempotency_key, event_id, failure_class,
      code, failed_stage, error_message, geometry_error, geometry_error_x, geometry_error_y,
      geometry_error_epsg, source_crs, violations, attempts, history, first_seen_at,
      dead_lettered_at, first_seen_at_us, dead_lettered_at_us, entry_ids, shard, lane_key,
      traceparent, body, raw_payload, payload_sha256, envelope, key_id)
    VALUES (:destination, :source, :idempotency_key, :event_id, :failure_class,
      :code, :failed_stage, :error_message, :geometry_error, :geometry_error_x, :geometry_error_y,
      :geometry_error_epsg, :source_crs, :violations, :attempts, :history,
      strftime('%Y-%m-%dT%H:%M:%fZ', :first_seen_at_us / 1000000.0, 'unixepoch'),
      strftime('%Y-%m-%dT%H:%M:%fZ', :dead_lettered_at_us / 1000000.0, 'unixepoch'),
      :first_seen_at_us, :dead_lettered_at_us, :entry_ids, :shard, :lane_key,
      :traceparent, :body, :raw_payload, :payload_sha256, :envelope, :key_id)
    ON CONFLICT (key_id, payload_sha256) DO UPDATE SET
      destination = excluded.destination, failure_class = excluded.failure_class,
      code = excluded.code, failed_stage = excluded.failed_stage,
      error_message = excluded.error_message, geometry_error = excluded.geometry_error,
      geometry_error_x = excluded.geometry_error_x,
      geometry_error_y = excluded.geometry_error_y,
      geometry_error_epsg = excluded.geometry_error_epsg, violations = excluded.violations,
      attempts = excluded.attempts, history = excluded.history,
      first_seen_at = excluded.first_seen_at, dead_lettered_at = excluded.dead_lettered_at,
      first_seen_at_us = excluded.first_seen_at_us,
      dead_lettered_at_us = excluded.dead_lettered_at_us, entry_ids = excluded.entry_ids,
      body = excluded.body, raw_payload = excluded.raw_payload, envelope = excluded.envelope,
      shard = excluded.shard, lane_key = excluded.lane_key,
      traceparent = excluded.traceparent";

/// Records of a key, oldest first; of one payload when that is given.
pub(super) fn find(
    connection: &Connection,
    key_id: KeyId,
    payload_sha256: Option<&Sha256Digest>,
) -> rusqlite::Result<Vec<StoredDeadLetter>> {
    let mut statement = connection.prepare_cached(
        "SELECT * FROM dead_letters
         WHERE key_id = ?1 AND payload_sha256 = coalesce(?2, payload_sha256) ORDER BY id",
    )?;
    let rows = statement.query_map((key_id, payload_sha256), stored)?;
    rows.collect()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredDeadLetter> {
    Ok(StoredDeadLetter {
        letter: letter(row)?,
        state: named(row, "state", DeadLetterState::from_name)?,
    })
}

fn letter(row: &Row<'_>) -> rusqlite::Result<DeadLetter> {
    let kind: String = row.get("body")?;
    let (history, entry_ids): (String, String) = (row.get("history")?, row.get("entry_ids")?);
    Ok(DeadLetter {
        destination: named(row, "destination", Destination::from_name)?,
        key: EventKey {
            source: row.get("source")?,
            key: row.get("idempotency_key")?,
        },
        body: BodyColumns::body(&kind, row.get("raw_payload")?, row.get("envelope")?),
        class: named(row, "failure_class", FailureClass::from_name)?,
        code: row.get("code")?,
        stage: named(row, "failed_stage", Stage::from_name)?,
        error_message: row.get("error_message")?,
        geometry_error: geometry_error(row)?,
        violations: row.get("violations")?,
        attempts: row.get("attempts")?,
        history: attempts_of_text(&history),
        first_seen_at_us: row.get("first_seen_at_us")?,
        dead_lettered_at_us: row.get("dead_lettered_at_us")?,
        entry_ids: names_of_text(&entry_ids),
    })
}

fn geometry_error(row: &Row<'_>) -> rusqlite::Result<Option<GeometryError>> {
    let Some(reason) = row.get("geometry_error")? else {
        return Ok(None);
    };
    let x: Option<f64> = row.get("geometry_error_x")?;
    let y: Option<f64> = row.get("geometry_error_y")?;
    let location = x.zip(y).map(|(x, y)| [x, y]);
    Ok(Some(GeometryError {
        reason,
        location,
        epsg: row.get("geometry_error_epsg")?,
    }))
}

/// A column that holds one of an enum's names.
pub(super) fn named<T>(
    row: &Row<'_>,
    column: &'static str,
    of_name: impl Fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let name: String = row.get(column)?;
    of_name(&name).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(0, Type::Text, FromSqlError::InvalidType.into())
    })
}
