//! A dead letter read back from its row.

use super::history;
use crate::text::from_stored;
use hexlane_backend::{
    Body, Code, DeadLetter, DeadLetterState, Destination, EventKey, Failure, GeometryError, Part,
    StoredDeadLetter,
};
use hexlane_core::envelope::Payload;
use hexlane_core::{Envelope, FailureClass, Stage};
use tokio_postgres::Row;

/// Every column that a letter is made of, oldest record first.
pub(super) const FIND: &str = "
    SELECT state, destination, source, idempotency_key, failure_class, code, failed_stage,
      error_message, geometry_error, geometry_error_x, geometry_error_y,
      geometry_error_epsg, violations, attempts, history, first_seen_at_us,
      dead_lettered_at_us, entry_ids, body, raw_payload, envelope
    FROM @schema.dead_letters WHERE key_id = $1 ORDER BY id";

/// The three columns that hold a body.
pub(super) struct BodyColumns {
    pub(super) kind: &'static str,
    pub(super) raw_payload: Option<Vec<u8>>,
    pub(super) envelope: Option<Vec<u8>>,
}

impl BodyColumns {
    /// The columns of a body; its bytes stand in one of them only.
    pub(super) fn of(body: &Body) -> Self {
        match body {
            Body::Event(envelope) => Self {
                kind: "event",
                raw_payload: envelope.inline_payload().map(<[u8]>::to_vec),
                envelope: Some(without_payload(envelope)),
            },
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
}

fn without_payload(envelope: &Envelope) -> Vec<u8> {
    match &envelope.payload {
        Payload::Pointer { .. } => envelope.encode(),
        Payload::Inline(_) => Envelope {
            payload: Payload::Inline(Vec::new()),
            ..envelope.clone()
        }
        .encode(),
    }
}

fn body(kind: &str, raw_payload: Option<Vec<u8>>, envelope: Option<Vec<u8>>) -> Body {
    match (kind, raw_payload, envelope) {
        ("event", raw_payload, Some(envelope)) => with_payload(envelope, raw_payload),
        (_, Some(bytes), _) => Body::decode(bytes),
        (_, None, _) => Body::Lost,
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

/// A letter as it stands.
pub(super) fn stored(row: &Row) -> Result<StoredDeadLetter, Failure> {
    Ok(StoredDeadLetter {
        letter: letter(row)?,
        state: named(row, "state", DeadLetterState::from_name)?,
    })
}

fn letter(row: &Row) -> Result<DeadLetter, Failure> {
    let entry_ids: Vec<String> = row.get("entry_ids");
    Ok(DeadLetter {
        destination: named(row, "destination", Destination::from_name)?,
        key: EventKey {
            source: text(row, "source"),
            key: text(row, "idempotency_key"),
        },
        body: body(row.get("body"), row.get("raw_payload"), row.get("envelope")),
        class: named(row, "failure_class", FailureClass::from_name)?,
        code: text(row, "code"),
        stage: named(row, "failed_stage", Stage::from_name)?,
        error_message: text(row, "error_message"),
        geometry_error: geometry_error(row),
        violations: text(row, "violations"),
        attempts: u32::try_from(row.get::<_, i64>("attempts")).unwrap_or(u32::MAX),
        history: history::of_text(row.get("history")),
        first_seen_at_us: row.get("first_seen_at_us"),
        dead_lettered_at_us: row.get("dead_lettered_at_us"),
        entry_ids: entry_ids.into_iter().map(from_stored).collect(),
    })
}

fn geometry_error(row: &Row) -> Option<GeometryError> {
    let reason: Option<String> = row.get("geometry_error");
    let x: Option<f64> = row.get("geometry_error_x");
    let y: Option<f64> = row.get("geometry_error_y");
    let epsg: Option<i64> = row.get("geometry_error_epsg");
    Some(GeometryError {
        reason: from_stored(reason?),
        location: x.zip(y).map(|(x, y)| [x, y]),
        epsg: epsg.and_then(|epsg| u32::try_from(epsg).ok()),
    })
}

fn text(row: &Row, column: &str) -> String {
    from_stored(row.get(column))
}

/// A column that holds one of an enum's names.
fn named<T>(row: &Row, column: &str, of_name: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    let name: &str = row.get(column);
    of_name(name).ok_or_else(|| {
        let detail = format!("{column} {name:?} of a dead letter is unknown");
        Failure::new(Part::DeadLetters, Code::Corrupt).with_detail(detail)
    })
}
