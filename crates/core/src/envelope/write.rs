//! Writing the Protobuf form of an envelope, field by field from what it holds: a copy of
//! every text first, as a derived message needs, costs as much as judging a point.

use super::wire::{PAYLOAD_TAG, VERSION, grid_number, key_rule_number, kind_number, op_number};
use super::{Derived, Envelope, Payload};
use crate::lane::ShardMap;
use prost::encoding::{WireType, encode_varint, encoded_len_varint};

/// The encoded form.
pub(super) fn encode(envelope: &Envelope) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded_len(envelope));
    write(envelope, &mut Fields(&mut bytes));
    bytes
}

/// The encoded form up to where a payload of that length begins.
pub(super) fn encode_lead(envelope: &Envelope, payload_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let fields = &mut Fields(&mut bytes);
    write_rest(envelope, None, payload_bytes as u64, fields);
    fields.key(PAYLOAD_TAG, WireType::LengthDelimited);
    fields.0.varint(payload_bytes as u64);
    bytes
}

/// The length of the encoded form.
pub(super) fn encoded_len(envelope: &Envelope) -> usize {
    let mut length = 0;
    write(envelope, &mut Fields(&mut length));
    length
}

/// Where encoded bytes go.
trait Sink {
    fn varint(&mut self, number: u64);
    fn bytes(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn varint(&mut self, number: u64) {
        encode_varint(number, self);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Counts them.
impl Sink for usize {
    fn varint(&mut self, number: u64) {
        *self += encoded_len_varint(number);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        *self += bytes.len();
    }
}

/// Fields as proto3 has them: what is zero or empty is not written, unless it is optional.
struct Fields<'a, S>(&'a mut S);

impl<S: Sink> Fields<'_, S> {
    fn key(&mut self, tag: u32, kind: WireType) {
        self.0.varint(u64::from(tag << 3 | kind as u32));
    }

    fn number(&mut self, tag: u32, number: u64) {
        if number != 0 {
            self.key(tag, WireType::Varint);
            self.0.varint(number);
        }
    }

    fn optional(&mut self, tag: u32, bytes: Option<&[u8]>) {
        if let Some(bytes) = bytes {
            self.key(tag, WireType::LengthDelimited);
            self.0.varint(bytes.len() as u64);
            self.0.bytes(bytes);
        }
    }

    fn bytes(&mut self, tag: u32, bytes: &[u8]) {
        self.optional(tag, (!bytes.is_empty()).then_some(bytes));
    }

    fn text(&mut self, tag: u32, text: &str) {
        self.bytes(tag, text.as_bytes());
    }

    fn optional_text(&mut self, tag: u32, text: Option<&String>) {
        self.optional(tag, text.map(String::as_bytes));
    }

    fn derived(&mut self, tag: u32, derived: &Derived) {
        let mut length = 0;
        write_derived(derived, &mut Fields(&mut length));
        self.key(tag, WireType::LengthDelimited);
        self.0.varint(length as u64);
        write_derived(derived, self);
    }

    fn doubles(&mut self, tag: u32, doubles: &[f64]) {
        if !doubles.is_empty() {
            self.key(tag, WireType::LengthDelimited);
            self.0.varint(8 * doubles.len() as u64);
            for double in doubles {
                self.0.bytes(&double.to_le_bytes());
            }
        }
    }
}

fn write_derived<S: Sink>(derived: &Derived, fields: &mut Fields<'_, S>) {
    fields.bytes(1, &derived.wkb);
    for step in &derived.steps {
        fields.optional(2, Some(step.as_bytes()));
    }
    fields.text(3, &derived.core_version);
}

/// The payload comes last, so that it can follow from elsewhere.
fn write<S: Sink>(envelope: &Envelope, fields: &mut Fields<'_, S>) {
    match &envelope.payload {
        Payload::Inline(bytes) => {
            write_rest(envelope, None, bytes.len() as u64, fields);
            fields.optional(PAYLOAD_TAG, Some(bytes));
        }
        Payload::Pointer { uri, size_bytes } => {
            write_rest(envelope, Some(uri), *size_bytes, fields);
        }
    }
}

/// All but the bytes of an inline payload.
fn write_rest<S: Sink>(
    envelope: &Envelope,
    payload_uri: Option<&String>,
    payload_bytes: u64,
    fields: &mut Fields<'_, S>,
) {
    fields.number(1, u64::from(VERSION));
    fields.number(2, u64::from(kind_number(envelope.kind)));
    fields.text(3, &envelope.source);
    fields.text(4, &envelope.event_id);
    fields.text(5, &envelope.key.value);
    fields.number(6, u64::from(key_rule_number(envelope.key.rule)));
    fields.optional_text(8, payload_uri);
    fields.number(9, payload_bytes);
    fields.bytes(10, &envelope.payload_sha256);
    fields.text(11, &envelope.content_type);
    fields.optional_text(12, envelope.declared_crs.as_ref());
    if let Some(derived) = &envelope.derived {
        fields.derived(13, derived);
    }
    if let Some(cell) = envelope.cell {
        fields.key(14, WireType::SixtyFourBit);
        fields.0.bytes(&cell.get().to_le_bytes());
    }
    fields.text(15, envelope.lane_key.as_str());
    fields.number(16, u64::from(envelope.shard.get()));
    fields.number(17, u64::from(envelope.shard_map.shards()));
    fields.number(18, u64::from(ShardMap::VERSION));
    fields.text(19, &envelope.entity);
    fields.bytes(20, &envelope.version.to_bytes());
    fields.number(21, u64::from(op_number(envelope.op)));
    fields.doubles(22, envelope.bbox.as_ref().map_or(&[], |bbox| &bbox[..]));
    fields.number(23, envelope.vertices);
    fields.optional_text(24, envelope.traceparent.as_ref());
    fields.number(25, envelope.accepted_at_us.cast_unsigned());
    fields.number(26, u64::from(envelope.verdict.contract));
    fields.text(27, &envelope.verdict.core_version);
    fields.optional_text(28, envelope.report.as_ref());
    fields.number(
        29,
        envelope
            .cell
            .map_or(0, |cell| u64::from(grid_number(cell.grid()))),
    );
}

#[cfg(test)]
mod tests {
    use super::super::wire::encode_derived;
    use super::*;
    use crate::envelope::{IdempotencyKey, KeyRule, Kind, Op, VerdictStamp};
    use crate::lane::{Grid, LaneKey, Shard};
    use crate::version::Version;

    fn envelope() -> Envelope {
        let bytes: Vec<u8> = b"{\"type\":\"Feature\"}".to_vec();
        Envelope {
            kind: Kind::Accepted,
            source: "demo".to_owned(),
            event_id: "e".repeat(200),
            key: IdempotencyKey {
                value: "k".to_owned(),
                rule: KeyRule::EventId,
            },
            payload: Payload::Inline(bytes),
            payload_sha256: [7; 32],
            content_type: "application/geo+json".to_owned(),
            declared_crs: None,
            derived: None,
            cell: Grid::S2.cell_at(13.4, 52.5, 11),
            lane_key: LaneKey::new("lane".to_owned()),
            shard: Shard::new(0),
            shard_map: ShardMap::default(),
            entity: "entity".to_owned(),
            version: Version::new(1, 2, "k"),
            op: Op::Upsert,
            bbox: Some([-0.0, 1.0, 2.0, 3.0]),
            vertices: 0,
            traceparent: None,
            accepted_at_us: -1,
            verdict: VerdictStamp {
                contract: 1,
                core_version: "0".to_owned(),
            },
            report: None,
        }
    }

    #[test]
    fn what_is_written_is_the_derived_message_to_the_byte() {
        let derived = Derived {
            wkb: vec![1; 300],
            steps: vec!["one".to_owned(), String::new()],
            core_version: "0".to_owned(),
        };
        let envelopes = [
            envelope(),
            Envelope {
                kind: Kind::Quarantined,
                payload: Payload::Pointer {
                    uri: "r2://x".to_owned(),
                    size_bytes: 1 << 40,
                },
                declared_crs: Some(String::new()),
                derived: Some(derived),
                cell: None,
                shard: Shard::new(63),
                op: Op::Delete,
                bbox: None,
                vertices: u64::MAX,
                traceparent: Some("00-".to_owned()),
                accepted_at_us: 0,
                report: Some("[]".to_owned()),
                ..envelope()
            },
            Envelope {
                payload: Payload::Inline(Vec::new()),
                ..envelope()
            },
        ];
        for envelope in envelopes {
            let expected = encode_derived(&envelope);
            assert_eq!(encode(&envelope), expected);
            assert_eq!(encoded_len(&envelope), expected.len());
        }
    }
}
