//! Dead letters as columns: what `unnest` takes apart again on the server.

use super::history;
use super::row::BodyColumns;
use crate::text::to_stored;
use hexlane_backend::{Body, DeadLetter};
use hexlane_core::Envelope;
use serde_json::json;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

/// One element of each a letter.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// For all of them: how many entry ids are kept.
    entry_ids_max: i64,
    key_ids: Vec<Uuid>,
    shas: Vec<Vec<u8>>,
    sources: Vec<String>,
    keys: Vec<String>,
    event_ids: Vec<Option<String>>,
    destinations: Vec<&'static str>,
    classes: Vec<&'static str>,
    codes: Vec<String>,
    stages: Vec<&'static str>,
    messages: Vec<String>,
    reasons: Vec<Option<String>>,
    xs: Vec<Option<f64>>,
    ys: Vec<Option<f64>>,
    epsgs: Vec<Option<i64>>,
    source_crss: Vec<Option<String>>,
    violations: Vec<String>,
    attempts: Vec<i64>,
    histories: Vec<String>,
    first_seen_us: Vec<i64>,
    dead_us: Vec<i64>,
    entry_ids: Vec<String>,
    shards: Vec<Option<i16>>,
    lane_keys: Vec<Option<String>>,
    traceparents: Vec<Option<String>>,
    bodies: Vec<&'static str>,
    raw_payloads: Vec<Option<Vec<u8>>>,
    envelopes: Vec<Option<Vec<u8>>>,
}

impl Columns {
    /// The columns of these letters.
    pub(super) fn of(letters: &[DeadLetter]) -> Self {
        let mut columns = Self {
            entry_ids_max: i64::try_from(DeadLetter::ENTRY_IDS_MAX).unwrap_or(i64::MAX),
            ..Self::default()
        };
        for letter in letters {
            columns.push_identity(letter);
            columns.push_reason(letter);
            columns.push_story(letter);
            columns.push_event(letter);
        }
        columns
    }

    fn push_identity(&mut self, letter: &DeadLetter) {
        self.key_ids.push(Uuid::from_bytes(letter.key.id()));
        self.shas.push(letter.payload_sha256().to_vec());
        self.sources.push(stored(&letter.key.source));
        self.keys.push(stored(&letter.key.key));
        self.destinations.push(letter.destination.as_str());
    }

    fn push_reason(&mut self, letter: &DeadLetter) {
        let error = letter.geometry_error.as_ref();
        let place = error.and_then(|error| error.location);
        self.classes.push(letter.class.as_str());
        self.codes.push(stored(&letter.code));
        self.stages.push(letter.stage.as_str());
        self.messages.push(stored(&letter.error_message));
        self.reasons.push(error.map(|error| stored(&error.reason)));
        self.xs.push(place.map(|[x, _]| x));
        self.ys.push(place.map(|[_, y]| y));
        self.epsgs
            .push(error.and_then(|error| error.epsg).map(i64::from));
        self.violations.push(stored(&letter.violations));
    }

    fn push_story(&mut self, letter: &DeadLetter) {
        self.attempts.push(i64::from(letter.attempts));
        self.histories.push(history::to_text(&letter.history));
        self.first_seen_us.push(letter.first_seen_at_us);
        self.dead_us.push(letter.dead_lettered_at_us);
        let ids: Vec<String> = letter.entry_ids.iter().map(|id| stored(id)).collect();
        self.entry_ids.push(json!(ids).to_string());
    }

    fn push_event(&mut self, letter: &DeadLetter) {
        let event: Option<&Envelope> = match &letter.body {
            Body::Event(envelope) => Some(envelope),
            Body::Unreadable { .. } | Body::Lost => None,
        };
        let text = |of: fn(&Envelope) -> Option<&str>| event.and_then(of).map(stored);
        self.event_ids.push(text(|event| Some(&event.event_id)));
        self.source_crss
            .push(text(|event| event.declared_crs.as_deref()));
        self.lane_keys
            .push(text(|event| Some(event.lane_key.as_str())));
        self.traceparents
            .push(text(|event| event.traceparent.as_deref()));
        self.shards
            .push(event.map(|event| event.shard.get().cast_signed()));
        let body = BodyColumns::of(&letter.body);
        self.bodies.push(body.kind);
        self.raw_payloads.push(body.raw_payload);
        self.envelopes.push(body.envelope);
    }

    /// In the order of `record_v1`.
    pub(super) fn parameters<'a>(
        &'a self,
        shard: &'a i16,
        epoch: &'a i64,
    ) -> [&'a (dyn ToSql + Sync); 30] {
        [
            shard,
            epoch,
            &self.entry_ids_max,
            &self.key_ids,
            &self.shas,
            &self.sources,
            &self.keys,
            &self.event_ids,
            &self.destinations,
            &self.classes,
            &self.codes,
            &self.stages,
            &self.messages,
            &self.reasons,
            &self.xs,
            &self.ys,
            &self.epsgs,
            &self.source_crss,
            &self.violations,
            &self.attempts,
            &self.histories,
            &self.first_seen_us,
            &self.dead_us,
            &self.entry_ids,
            &self.shards,
            &self.lane_keys,
            &self.traceparents,
            &self.bodies,
            &self.raw_payloads,
            &self.envelopes,
        ]
    }
}

fn stored(text: &str) -> String {
    to_stored(text).into_owned()
}
