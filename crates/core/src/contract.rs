//! A feature under its source's contract: identity, version, op, lane, and from them
//! the envelope. Nothing here reads a clock; acceptance has its time as an argument.

mod carried;
mod required;

use crate::cloud_event::CloudEvent;
use crate::code::Code;
use crate::digest::{hex, sha256};
use crate::envelope::{
    CONTRACT, Derived, Envelope, IdempotencyKey, KeyRule, Kind, Op, Payload, VerdictStamp,
};
use crate::geometry::Geometry;
use crate::json::{self, Value};
use crate::judge::{Request, RequestKey};
use crate::lane::{Cell, LaneKey, LaneRule, ShardMap, lane_point};
use crate::read::Feature;
use crate::source::Source;
use crate::version::Version;
use crate::violation::Violation;

/// Keys, event ids and entities: long enough for any scheme in use, short enough for an
/// index of every store.
const TEXT_BYTES_MAX: usize = 512;

/// What the key of an event's content starts with.
const CONTENT_KEY: &str = "sha256:";

/// What the contract makes of a feature.
pub(crate) struct Drawn {
    pub(crate) envelope: Option<Envelope>,
    pub(crate) violations: Vec<Violation>,
}

/// What the contract finds in a feature.
struct Facts {
    op: Op,
    event_id: Option<String>,
    /// None when the key is that of the content.
    key: Option<IdempotencyKey>,
    entity: Option<String>,
    version: i64,
    cell: Option<Cell>,
}

/// Draws up the envelope of a feature that has been read. What is refused is not digested.
pub(crate) fn draw(
    feature: &Feature<'_>,
    request: &Request<'_>,
    event: Option<&CloudEvent>,
    shard_map: ShardMap,
) -> Drawn {
    let mut contract = Contract::new(feature, request, event);
    let op = contract.op();
    let event_id = contract.text(&request.source.event_id, Code::SchemaEventIdType);
    let facts = Facts {
        op,
        key: contract.key(event_id.as_deref()),
        event_id: event_id.or_else(|| contract.carried_id()),
        entity: contract.entity(op),
        version: contract.version(),
        cell: contract.cell(op),
    };
    if op == Op::Upsert {
        contract.required();
    }
    let violations = contract.violations;
    let good = violations.is_empty() && feature.report.errors() == 0;
    let envelope = good.then(|| envelope(feature, request, shard_map, facts));
    Drawn {
        envelope,
        violations,
    }
}

fn envelope(
    feature: &Feature<'_>,
    request: &Request<'_>,
    shard_map: ShardMap,
    facts: Facts,
) -> Envelope {
    let raw = feature.value.raw().as_bytes();
    let payload_sha256 = sha256(raw);
    let key = facts.key.unwrap_or_else(|| IdempotencyKey {
        value: format!("{CONTENT_KEY}{}", hex(&payload_sha256)),
        rule: KeyRule::Content,
    });
    let source = request.source;
    let entity = facts.entity.unwrap_or_else(|| format!("key:{}", key.value));
    let lane_key = lane_key(source, facts.cell, &entity);
    let event_id = facts
        .event_id
        .unwrap_or_else(|| derived_id(&source.name, &key.value));
    let geometry = feature.geometry.as_ref();
    Envelope {
        kind: Kind::Accepted,
        source: source.name.clone(),
        event_id,
        version: Version::new(facts.version, request.accepted_at_us, &key.value),
        key,
        payload: Payload::Inline(raw.to_vec()),
        payload_sha256,
        content_type: request.content_type.to_owned(),
        declared_crs: feature.declared.as_ref().map(|crs| crs.text().to_owned()),
        derived: derived(feature),
        cell: facts.cell,
        shard: shard_map.shard(&lane_key),
        lane_key,
        shard_map,
        entity,
        op: facts.op,
        bbox: geometry.and_then(Geometry::bbox),
        vertices: geometry.map_or(0, Geometry::vertices),
        traceparent: request.traceparent.map(str::to_owned),
        accepted_at_us: request.accepted_at_us,
        verdict: VerdictStamp {
            contract: CONTRACT,
            core_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        report: None,
    }
}

/// The geometry where it is no longer that of the payload.
fn derived(feature: &Feature<'_>) -> Option<Derived> {
    if feature.derivation.is_none() {
        return None;
    }
    Some(Derived {
        wkb: feature.geometry.as_ref()?.to_wkb(),
        steps: feature.derivation.steps(),
        core_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// An event id as a key: itself, unless it could be the key of another rule (`key#0`,
/// `sha256:…`); then `#id` stands behind it, which ends no other key.
fn key_of_event(event_id: &str) -> String {
    if event_id.contains('#') || event_id.starts_with(CONTENT_KEY) {
        format!("{event_id}#id")
    } else {
        event_id.to_owned()
    }
}

/// An event id for a source that gives none: the same for every sending of one event.
fn derived_id(source: &str, key: &str) -> String {
    let digest = sha256(format!("{source}\0{key}").as_bytes());
    format!("evt_{}", hex(&digest[..16]))
}

/// `cell`, `source/entity` or `cell/source/entity`. An event without a cell (a delete)
/// keeps the order of its entity; the version guard protects it against its cell's lane.
fn lane_key(source: &Source, cell: Option<Cell>, entity: &str) -> LaneKey {
    let entity = format!("{}/{entity}", source.name);
    LaneKey::new(match (source.lane, cell) {
        (LaneRule::Cell, Some(cell)) => cell.to_string(),
        (LaneRule::CellAndEntity, Some(cell)) => format!("{cell}/{entity}"),
        (LaneRule::Entity, _) | (LaneRule::Cell | LaneRule::CellAndEntity, None) => entity,
    })
}

struct Contract<'a> {
    feature: &'a Feature<'a>,
    source: &'a Source,
    request: &'a Request<'a>,
    /// The event that carries the feature.
    event: Option<&'a CloudEvent>,
    /// `properties`, when it is an object.
    properties: Option<Value<'a>>,
    violations: Vec<Violation>,
}

impl<'a> Contract<'a> {
    fn new(
        feature: &'a Feature<'a>,
        request: &'a Request<'a>,
        event: Option<&'a CloudEvent>,
    ) -> Self {
        let properties = feature
            .value
            .member("properties")
            .filter(|value| value.kind() == json::Kind::Object);
        Self {
            feature,
            source: request.source,
            request,
            event,
            properties,
            violations: Vec::new(),
        }
    }

    fn refuse(&mut self, code: Code, at: &str, offset: usize, message: String) {
        let pointer = format!("{}{at}", self.feature.pointer);
        let mut violation = Violation::new(code, message).at(pointer, offset);
        violation.feature = Some(self.feature.index);
        self.violations.push(violation);
    }

    fn find(&self, pointer: &str) -> Option<Value<'a>> {
        let plain = |name: &&str| !name.contains(['/', '~']);
        let member = pointer.strip_prefix('/').filter(plain);
        let property = pointer.strip_prefix("/properties/").filter(plain);
        let found = match (member, property, &self.properties) {
            (Some(name), _, _) => self.feature.value.member(name),
            (None, Some(name), Some(properties)) => properties.member(name),
            _ => self.feature.value.at_pointer(pointer),
        };
        found.filter(|value| value.kind() != json::Kind::Null)
    }

    /// A non-empty string without U+0000, which no database takes as text; or a number as it
    /// is written.
    fn text(&mut self, pointer: &str, code: Code) -> Option<String> {
        let value = self.find(pointer)?;
        let text = match value.kind() {
            json::Kind::String => value.as_text().map(std::borrow::Cow::into_owned),
            json::Kind::Number => Some(value.raw().to_owned()),
            json::Kind::Object | json::Kind::Array | json::Kind::Bool | json::Kind::Null => None,
        };
        match text {
            Some(text) if text.len() > TEXT_BYTES_MAX => {
                let message = format!("longer than {TEXT_BYTES_MAX} bytes");
                self.refuse(Code::SchemaTextTooLong, pointer, value.start, message);
                None
            }
            Some(text) if text.contains('\0') => {
                let message = "holds U+0000, which no database takes as text".to_owned();
                self.refuse(code, pointer, value.start, message);
                None
            }
            Some(text) if !text.is_empty() => Some(text),
            Some(_) | None => {
                let message = format!(
                    "{}, not a non-empty string or a number",
                    value.kind().as_str()
                );
                self.refuse(code, pointer, value.start, message);
                None
            }
        }
    }

    /// What the feature itself says.
    fn own_op(&mut self) -> Op {
        let Some(value) = self.find(&self.source.op) else {
            return Op::Upsert;
        };
        match value.as_text().as_deref() {
            Some("upsert") => Op::Upsert,
            Some("delete") => Op::Delete,
            _ => {
                let message = format!(
                    "`{}` is no op",
                    value.raw().chars().take(60).collect::<String>()
                );
                self.refuse(Code::SchemaOpUnknown, &self.source.op, value.start, message);
                Op::Upsert
            }
        }
    }

    /// The first rule that gives a key; none leaves it to the content.
    fn key(&mut self, event_id: Option<&str>) -> Option<IdempotencyKey> {
        let index = self.feature.index;
        let (value, rule) = match (self.request.key, self.carried_key(), event_id) {
            (Some(RequestKey::Idempotency(key)), ..) => {
                (format!("{key}#{index}"), KeyRule::IdempotencyHeader)
            }
            (Some(RequestKey::WebhookId(id)), ..) => (format!("{id}#{index}"), KeyRule::WebhookId),
            (None, Some(key), _) => (key, KeyRule::CloudEvent),
            (None, None, Some(event_id)) => (key_of_event(event_id), KeyRule::EventId),
            (None, None, None) => return None,
        };
        if value.len() > TEXT_BYTES_MAX {
            let message = format!("the key is longer than {TEXT_BYTES_MAX} bytes");
            let start = self.feature.value.start;
            self.refuse(Code::SchemaTextTooLong, "", start, message);
        }
        Some(IdempotencyKey { value, rule })
    }

    /// The entity by the first pointer that leads to one.
    fn entity(&mut self, op: Op) -> Option<String> {
        let source = self.source;
        if let Some(pointer) = source
            .entity
            .iter()
            .find(|pointer| self.find(pointer).is_some())
        {
            return self.text(pointer, Code::SchemaEntityType);
        }
        if op == Op::Delete || source.lane != LaneRule::Cell {
            let message = format!("no entity at {}", source.entity.join(" or "));
            self.refuse(
                Code::SchemaEntityMissing,
                "",
                self.feature.value.start,
                message,
            );
        }
        None
    }

    fn version(&mut self) -> i64 {
        if self.source.cloud_events.time_is_version {
            return self.carried_version();
        }
        let accepted_at_us = self.request.accepted_at_us;
        let rule = &self.source.version;
        let Some(value) = self.find(&rule.pointer) else {
            if rule.required {
                let message = format!("no version at {}", rule.pointer);
                self.refuse(
                    Code::SchemaVersionMissing,
                    "",
                    self.feature.value.start,
                    message,
                );
            }
            return accepted_at_us;
        };
        let Some(number) = rule.value(value) else {
            let raw: String = value.raw().chars().take(60).collect();
            let message = format!("`{raw}` is no version of the form {}", rule.form.as_str());
            self.refuse(
                Code::SchemaVersionInvalid,
                &rule.pointer,
                value.start,
                message,
            );
            return accepted_at_us;
        };
        if rule.is_time() && number > accepted_at_us.saturating_add(self.source.future_max_us) {
            let ahead_s = number.saturating_sub(accepted_at_us) / 1_000_000;
            let message = format!("{ahead_s} seconds ahead of the door's clock");
            self.refuse(
                Code::SchemaTimeInFuture,
                &rule.pointer,
                value.start,
                message,
            );
        }
        number
    }

    fn cell(&mut self, op: Op) -> Option<Cell> {
        if self.feature.report.errors() > 0 {
            return None;
        }
        let Some(geometry) = &self.feature.geometry else {
            if op == Op::Upsert && self.source.lane.needs_cell() {
                let start = self
                    .feature
                    .value
                    .member("geometry")
                    .map_or(0, |value| value.start);
                let message = "no geometry to find the lane by".to_owned();
                self.refuse(Code::SchemaGeometryNull, "/geometry", start, message);
            }
            return None;
        };
        let [longitude, latitude] = lane_point(geometry)?;
        let source = self.source;
        source.grid.cell_at(longitude, latitude, source.resolution)
    }
}

/// The same key for another payload in one request.
pub(crate) fn key_reused(feature: &Feature<'_>, first: u32) -> Violation {
    let message = format!("feature {first} has the same idempotency key and another payload");
    let mut violation = Violation::new(Code::IdempotencyKeyReused, message)
        .at(feature.pointer.clone(), feature.value.start);
    violation.feature = Some(feature.index);
    violation
}

/// An envelope larger than the route takes.
pub(crate) fn too_large(feature: &Feature<'_>, bytes: usize, most: u64) -> Violation {
    let message = format!("the event is {bytes} bytes as an envelope, more than {most}");
    let mut violation = Violation::new(Code::LimitEnvelope, message)
        .at(feature.pointer.clone(), feature.value.start);
    violation.feature = Some(feature.index);
    violation
}
