//! The Protobuf form of an envelope, version 1. Fields are added, never renumbered.

use super::{
    Derived, Envelope, EnvelopeError, IdempotencyKey, KeyRule, Kind, Op, Payload, VerdictStamp,
};
use crate::lane::{Cell, Grid, LaneKey, Shard, ShardMap};
use crate::version::Version;
use prost::Message;

pub(super) const VERSION: u32 = 1;
/// Field `payload`.
pub(super) const PAYLOAD_TAG: u32 = 7;

#[derive(Clone, PartialEq, Message)]
struct WireEnvelope {
    #[prost(uint32, tag = "1")]
    envelope_version: u32,
    #[prost(uint32, tag = "2")]
    kind: u32,
    #[prost(string, tag = "3")]
    source: String,
    #[prost(string, tag = "4")]
    event_id: String,
    #[prost(string, tag = "5")]
    key: String,
    #[prost(uint32, tag = "6")]
    key_rule: u32,
    #[prost(bytes = "vec", optional, tag = "7")]
    payload: Option<Vec<u8>>,
    #[prost(string, optional, tag = "8")]
    payload_uri: Option<String>,
    #[prost(uint64, tag = "9")]
    payload_size_bytes: u64,
    #[prost(bytes = "vec", tag = "10")]
    payload_sha256: Vec<u8>,
    #[prost(string, tag = "11")]
    content_type: String,
    #[prost(string, optional, tag = "12")]
    declared_crs: Option<String>,
    #[prost(message, optional, tag = "13")]
    derived: Option<WireDerived>,
    #[prost(fixed64, optional, tag = "14")]
    cell: Option<u64>,
    #[prost(string, tag = "15")]
    lane_key: String,
    #[prost(uint32, tag = "16")]
    shard: u32,
    #[prost(uint32, tag = "17")]
    shard_count: u32,
    #[prost(uint32, tag = "18")]
    shard_map_version: u32,
    #[prost(string, tag = "19")]
    entity: String,
    #[prost(bytes = "vec", tag = "20")]
    version: Vec<u8>,
    #[prost(uint32, tag = "21")]
    op: u32,
    #[prost(double, repeated, tag = "22")]
    bbox: Vec<f64>,
    #[prost(uint64, tag = "23")]
    vertices: u64,
    #[prost(string, optional, tag = "24")]
    traceparent: Option<String>,
    #[prost(int64, tag = "25")]
    accepted_at_us: i64,
    #[prost(uint32, tag = "26")]
    contract: u32,
    #[prost(string, tag = "27")]
    core_version: String,
    #[prost(string, optional, tag = "28")]
    report: Option<String>,
    /// The grid of the cell; 0, which is not written, is H3.
    #[prost(uint32, tag = "29")]
    cell_grid: u32,
}

#[derive(Clone, PartialEq, Message)]
struct WireDerived {
    #[prost(bytes = "vec", tag = "1")]
    wkb: Vec<u8>,
    #[prost(string, repeated, tag = "2")]
    steps: Vec<String>,
    #[prost(string, tag = "3")]
    core_version: String,
}

pub(super) const fn kind_number(kind: Kind) -> u32 {
    match kind {
        Kind::Accepted => 1,
        Kind::Quarantined => 2,
    }
}

pub(super) const fn op_number(op: Op) -> u32 {
    match op {
        Op::Upsert => 1,
        Op::Delete => 2,
    }
}

pub(super) fn decode(bytes: &[u8]) -> Result<Envelope, EnvelopeError> {
    let wire =
        WireEnvelope::decode(bytes).map_err(|error| EnvelopeError::Encoding(error.to_string()))?;
    if wire.envelope_version != VERSION {
        return Err(EnvelopeError::Version(wire.envelope_version));
    }
    let shard_map = u16::try_from(wire.shard_count)
        .ok()
        .filter(|_| wire.shard_map_version == ShardMap::VERSION)
        .and_then(ShardMap::new)
        .ok_or(EnvelopeError::Field("shard_map"))?;
    Ok(Envelope {
        kind: kind(wire.kind)?,
        source: present(wire.source, "source")?,
        event_id: present(wire.event_id, "event_id")?,
        key: IdempotencyKey {
            value: present(wire.key, "key")?,
            rule: key_rule(wire.key_rule)?,
        },
        payload: payload(wire.payload, wire.payload_uri, wire.payload_size_bytes)?,
        payload_sha256: exact(&wire.payload_sha256, "payload_sha256")?,
        content_type: wire.content_type,
        declared_crs: wire.declared_crs,
        derived: wire.derived.map(|derived| Derived {
            wkb: derived.wkb,
            steps: derived.steps,
            core_version: derived.core_version,
        }),
        cell: wire.cell.map(|raw| cell(wire.cell_grid, raw)).transpose()?,
        lane_key: LaneKey::new(present(wire.lane_key, "lane_key")?),
        shard: shard(wire.shard, shard_map)?,
        shard_map,
        entity: present(wire.entity, "entity")?,
        version: Version::from_bytes(exact(&wire.version, "version")?),
        op: op(wire.op)?,
        bbox: bbox(&wire.bbox)?,
        vertices: wire.vertices,
        traceparent: wire.traceparent,
        accepted_at_us: wire.accepted_at_us,
        verdict: VerdictStamp {
            contract: wire.contract,
            core_version: wire.core_version,
        },
        report: wire.report,
    })
}

fn payload(
    inline: Option<Vec<u8>>,
    uri: Option<String>,
    size_bytes: u64,
) -> Result<Payload, EnvelopeError> {
    match (inline, uri) {
        (Some(bytes), None) => Ok(Payload::Inline(bytes)),
        (None, Some(uri)) => Ok(Payload::Pointer { uri, size_bytes }),
        (Some(_), Some(_)) | (None, None) => Err(EnvelopeError::Field("payload")),
    }
}

fn present(text: String, field: &'static str) -> Result<String, EnvelopeError> {
    if text.is_empty() {
        Err(EnvelopeError::Field(field))
    } else {
        Ok(text)
    }
}

fn exact<const N: usize>(bytes: &[u8], field: &'static str) -> Result<[u8; N], EnvelopeError> {
    bytes.try_into().map_err(|_| EnvelopeError::Field(field))
}

fn bbox(numbers: &[f64]) -> Result<Option<[f64; 4]>, EnvelopeError> {
    if numbers.is_empty() {
        return Ok(None);
    }
    numbers
        .try_into()
        .map(Some)
        .map_err(|_| EnvelopeError::Field("bbox"))
}

pub(super) const fn grid_number(grid: Grid) -> u32 {
    match grid {
        Grid::H3 => 0,
        Grid::S2 => 1,
        Grid::Quadkey => 2,
    }
}

fn cell(grid: u32, raw: u64) -> Result<Cell, EnvelopeError> {
    let grid = match grid {
        0 => Grid::H3,
        1 => Grid::S2,
        2 => Grid::Quadkey,
        _ => return Err(EnvelopeError::Field("cell_grid")),
    };
    grid.cell(raw).ok_or(EnvelopeError::Field("cell"))
}

fn shard(number: u32, map: ShardMap) -> Result<Shard, EnvelopeError> {
    u16::try_from(number)
        .ok()
        .filter(|number| *number < map.shards())
        .map(Shard::new)
        .ok_or(EnvelopeError::Field("shard"))
}

fn kind(number: u32) -> Result<Kind, EnvelopeError> {
    match number {
        1 => Ok(Kind::Accepted),
        2 => Ok(Kind::Quarantined),
        _ => Err(EnvelopeError::Field("kind")),
    }
}

fn op(number: u32) -> Result<Op, EnvelopeError> {
    match number {
        1 => Ok(Op::Upsert),
        2 => Ok(Op::Delete),
        _ => Err(EnvelopeError::Field("op")),
    }
}

pub(super) const fn key_rule_number(rule: KeyRule) -> u32 {
    match rule {
        KeyRule::IdempotencyHeader => 1,
        KeyRule::WebhookId => 2,
        KeyRule::CloudEvent => 3,
        KeyRule::EventId => 4,
        KeyRule::Content => 5,
    }
}

fn key_rule(number: u32) -> Result<KeyRule, EnvelopeError> {
    match number {
        1 => Ok(KeyRule::IdempotencyHeader),
        2 => Ok(KeyRule::WebhookId),
        3 => Ok(KeyRule::CloudEvent),
        4 => Ok(KeyRule::EventId),
        5 => Ok(KeyRule::Content),
        _ => Err(EnvelopeError::Field("key_rule")),
    }
}

/// The message of it as derived, the payload behind the rest: what is written must equal it.
#[cfg(test)]
pub(super) fn encode_derived(envelope: &Envelope) -> Vec<u8> {
    let mut bytes = wire(envelope).encode_to_vec();
    if let Some(payload) = envelope.inline_payload() {
        prost::encoding::bytes::encode(PAYLOAD_TAG, &payload.to_vec(), &mut bytes);
    }
    bytes
}

#[cfg(test)]
fn wire(envelope: &Envelope) -> WireEnvelope {
    let (payload_uri, payload_size_bytes) = match &envelope.payload {
        Payload::Inline(bytes) => (None, bytes.len() as u64),
        Payload::Pointer { uri, size_bytes } => (Some(uri.clone()), *size_bytes),
    };
    WireEnvelope {
        envelope_version: VERSION,
        kind: kind_number(envelope.kind),
        source: envelope.source.clone(),
        event_id: envelope.event_id.clone(),
        key: envelope.key.value.clone(),
        key_rule: key_rule_number(envelope.key.rule),
        payload: None,
        payload_uri,
        payload_size_bytes,
        payload_sha256: envelope.payload_sha256.to_vec(),
        content_type: envelope.content_type.clone(),
        declared_crs: envelope.declared_crs.clone(),
        derived: envelope.derived.clone().map(|derived| WireDerived {
            wkb: derived.wkb,
            steps: derived.steps,
            core_version: derived.core_version,
        }),
        cell: envelope.cell.map(Cell::get),
        lane_key: envelope.lane_key.as_str().to_owned(),
        shard: u32::from(envelope.shard.get()),
        shard_count: u32::from(envelope.shard_map.shards()),
        shard_map_version: ShardMap::VERSION,
        entity: envelope.entity.clone(),
        version: envelope.version.to_bytes().to_vec(),
        op: op_number(envelope.op),
        bbox: envelope.bbox.map(|bbox| bbox.to_vec()).unwrap_or_default(),
        vertices: envelope.vertices,
        traceparent: envelope.traceparent.clone(),
        accepted_at_us: envelope.accepted_at_us,
        contract: envelope.verdict.contract,
        core_version: envelope.verdict.core_version.clone(),
        report: envelope.report.clone(),
        cell_grid: envelope.cell.map_or(0, |cell| grid_number(cell.grid())),
    }
}
