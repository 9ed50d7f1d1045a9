//! The envelope: an accepted event as it stands on a queue.
//!
//! Everything the door decided is in it, once: identity, lane, version, the raw bytes.
//! A consumer of the same contract reads it and decides none of that again. The wire
//! form is Protobuf (`wire`), versioned; what does not decode into a whole envelope is
//! an error, never half an envelope.

mod wire;
mod write;

use crate::digest::Sha256Digest;
use crate::lane::{Cell, LaneKey, Shard, ShardMap};
use crate::version::Version;

/// The version of the rules by which a verdict was reached. A consumer of the same
/// contract does not judge again.
pub const CONTRACT: u32 = 1;

/// An accepted fact, or a refused payload on its way to poison.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Accepted or quarantined.
    pub kind: Kind,
    /// The source that sent it; scopes key and entity.
    pub source: String,
    /// Identity from the source.
    pub event_id: String,
    /// What makes the effect happen once.
    pub key: IdempotencyKey,
    /// The bytes as received.
    pub payload: Payload,
    /// SHA-256 of the bytes as received.
    pub payload_sha256: Sha256Digest,
    /// Media type of the payload.
    pub content_type: String,
    /// The CRS that was declared, as written; none when none was.
    pub declared_crs: Option<String>,
    /// Repaired or reprojected geometry; none when the payload stands as it is.
    pub derived: Option<Derived>,
    /// Cell of the lane point; none without geometry.
    pub cell: Option<Cell>,
    /// Events of one lane key keep their order.
    pub lane_key: LaneKey,
    /// Where on the queue the lane lives.
    pub shard: Shard,
    /// The rule by which the shard was found.
    pub shard_map: ShardMap,
    /// What the event is about, within its source.
    pub entity: String,
    /// Guards the entity's state.
    pub version: Version,
    /// Upsert or delete.
    pub op: Op,
    /// West, south, east, north; none without geometry.
    pub bbox: Option<[f64; 4]>,
    /// Positions in the geometry.
    pub vertices: u64,
    /// W3C trace context, as received.
    pub traceparent: Option<String>,
    /// When the door accepted it, µs since 1970; set once.
    pub accepted_at_us: i64,
    /// By which rules and by which build it was judged.
    pub verdict: VerdictStamp,
    /// Why it was refused, a JSON array of violations; only of what is quarantined.
    pub report: Option<String>,
}

/// Why the event is on the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Judged good: to be applied.
    Accepted,
    /// Judged bad, of a source that keeps its bad payloads: only written to poison.
    Quarantined,
}

/// The idempotency key and how it was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// Carried verbatim for ever.
    pub value: String,
    /// The first rule that gave one.
    pub rule: KeyRule,
}

/// Where an idempotency key came from, first that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyRule {
    /// Header `Idempotency-Key`, with `#` and the feature's index.
    IdempotencyHeader,
    /// Header `webhook-id`, with `#` and the feature's index.
    WebhookId,
    /// CloudEvents source and id.
    CloudEvent,
    /// The event id in the body; with `#id` when it looks like another rule's key.
    EventId,
    /// SHA-256 of the feature's bytes as received.
    Content,
}

impl KeyRule {
    /// The fixed name in dead letters and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::IdempotencyHeader => "idempotency_header",
            Self::WebhookId => "webhook_id",
            Self::CloudEvent => "cloud_event",
            Self::EventId => "event_id",
            Self::Content => "content",
        }
    }
}

/// Bytes as received, here or elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The bytes.
    Inline(Vec<u8>),
    /// Where the bytes are; the digest stands in the envelope.
    Pointer {
        /// Object address.
        uri: String,
        /// Length of the object.
        size_bytes: u64,
    },
}

/// A geometry that was repaired or reprojected at the door. Never derived again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derived {
    /// The geometry, ISO well-known binary.
    pub wkb: Vec<u8>,
    /// What was done, in order.
    pub steps: Vec<String>,
    /// The build that did it.
    pub core_version: String,
}

/// What the event does to its entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Puts the entity's state.
    Upsert,
    /// Removes it and keeps the version as a tombstone.
    Delete,
}

/// By which rules and by which build a verdict was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictStamp {
    /// See [`CONTRACT`].
    pub contract: u32,
    /// Package version of the core that judged.
    pub core_version: String,
}

/// Why bytes are not an envelope. Never: the same bytes fail again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// Not Protobuf.
    #[error("not a protobuf envelope: {0}")]
    Encoding(String),
    /// Of a version this build does not read.
    #[error("envelope version {0} is not read by this build")]
    Version(u32),
    /// A field is missing or has a value outside its set.
    #[error("envelope field `{0}` is missing or out of range")]
    Field(&'static str),
}

impl Envelope {
    /// Protobuf bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        write::encode(self)
    }

    /// The bytes that [`Envelope::encode`] would give with a payload of that length in place,
    /// but for the payload, which comes last: it can follow from elsewhere.
    #[must_use]
    pub fn encode_lead(&self, payload_bytes: usize) -> Vec<u8> {
        write::encode_lead(self, payload_bytes)
    }

    /// How many bytes [`Envelope::encode`] would give.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        write::encoded_len(self)
    }

    /// The envelope in Protobuf bytes.
    ///
    /// # Errors
    /// When the bytes are not a whole envelope of a version this build reads.
    pub fn decode(bytes: &[u8]) -> Result<Self, EnvelopeError> {
        wire::decode(bytes)
    }

    /// The payload when it is inline.
    #[must_use]
    pub fn inline_payload(&self) -> Option<&[u8]> {
        match &self.payload {
            Payload::Inline(bytes) => Some(bytes),
            Payload::Pointer { .. } => None,
        }
    }
}
