//! Events to test with: small, distinct, and fully told by a few values.

use crate::conformance::Setup;
use crate::{Body, DeadLetter, Destination, EventKey, GeometryError};
use hexlane_core::digest::sha256;
use hexlane_core::effect::Effect;
use hexlane_core::envelope::{
    CONTRACT, Envelope, IdempotencyKey, KeyRule, Kind, Op, Payload, VerdictStamp,
};
use hexlane_core::lane::{LaneKey, Shard};
use hexlane_core::version::Version;
use hexlane_core::{FailureClass, Stage};

/// An event in the making.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Idempotency key and event id.
    pub key: String,
    /// The source.
    pub source: String,
    /// The entity.
    pub entity: String,
    /// The version's value.
    pub version: i64,
    /// Upsert or delete.
    pub op: Op,
    /// The shard.
    pub shard: Shard,
    /// The raw payload.
    pub payload: Vec<u8>,
    /// Longitude and latitude; none for a null geometry.
    pub place: Option<[f64; 2]>,
    /// What reference layers say of it, JSON object text.
    pub joined: Option<String>,
}

impl Sample {
    /// An upsert of entity `van-1`, version 1, with that key.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            source: "fleet".to_owned(),
            entity: "van-1".to_owned(),
            version: 1,
            op: Op::Upsert,
            shard: super::fixture::SHARD,
            payload: format!("{{\"key\":\"{key}\"}}").into_bytes(),
            place: Some([8.54, 47.37]),
            joined: None,
        }
    }

    /// Of that source.
    #[must_use]
    pub fn source(mut self, source: &str) -> Self {
        source.clone_into(&mut self.source);
        self
    }

    /// About that entity, at that version.
    #[must_use]
    pub fn about(mut self, entity: &str, version: i64) -> Self {
        entity.clone_into(&mut self.entity);
        self.version = version;
        self
    }

    /// A delete without geometry.
    #[must_use]
    pub fn delete(mut self) -> Self {
        self.op = Op::Delete;
        self.place = None;
        self
    }

    /// With that payload.
    #[must_use]
    pub fn payload(mut self, payload: &[u8]) -> Self {
        self.payload = payload.to_vec();
        self
    }

    /// On that shard.
    #[must_use]
    pub const fn shard(mut self, number: u16) -> Self {
        self.shard = Shard::new(number);
        self
    }

    /// At that place, or nowhere.
    #[must_use]
    pub const fn place(mut self, place: Option<[f64; 2]>) -> Self {
        self.place = place;
        self
    }

    /// Joined so.
    #[must_use]
    pub fn joined(mut self, joined: &str) -> Self {
        self.joined = Some(joined.to_owned());
        self
    }

    /// The envelope.
    #[must_use]
    pub fn envelope(&self) -> Envelope {
        Envelope {
            kind: Kind::Accepted,
            source: self.source.clone(),
            event_id: self.key.clone(),
            key: IdempotencyKey {
                value: self.key.clone(),
                rule: KeyRule::EventId,
            },
            payload_sha256: sha256(&self.payload),
            payload: Payload::Inline(self.payload.clone()),
            content_type: "application/geo+json".to_owned(),
            declared_crs: None,
            derived: None,
            cell: None,
            lane_key: LaneKey::new(format!("{}/{}", self.source, self.entity)),
            shard: self.shard,
            shard_map: Setup::shard_map(),
            entity: self.entity.clone(),
            version: Version::new(self.version, Setup::START_US, &self.key),
            op: self.op,
            bbox: self.place.map(|[x, y]| [x, y, x, y]),
            vertices: u64::from(self.place.is_some()),
            traceparent: None,
            accepted_at_us: Setup::START_US,
            verdict: VerdictStamp {
                contract: CONTRACT,
                core_version: "suite".to_owned(),
            },
            report: None,
        }
    }

    /// The effect.
    #[must_use]
    pub fn effect(&self) -> Effect {
        Effect {
            envelope: self.envelope(),
            wkb: self.place.map(|[x, y]| point_wkb(x, y)),
            properties: format!("{{\"version\":{}}}", self.version),
            joined: self.joined.clone(),
        }
    }

    /// A dead letter of it, for poison.
    #[must_use]
    pub fn dead_letter(&self) -> DeadLetter {
        let envelope = self.envelope();
        dead_letter(EventKey::of(&envelope), Body::Event(Box::new(envelope)))
    }
}

/// A dead letter for poison with every field set.
#[must_use]
pub fn dead_letter(key: EventKey, body: Body) -> DeadLetter {
    DeadLetter {
        destination: Destination::Poison,
        key,
        body,
        class: FailureClass::InvalidGeometry,
        code: "geometry.self_intersection".to_owned(),
        stage: Stage::TopologyValidation,
        error_message: "the ring crosses itself".to_owned(),
        geometry_error: Some(GeometryError {
            reason: "Self-intersection[0.5 0.5]".to_owned(),
            location: Some([0.5, 0.5]),
            epsg: Some(4326),
        }),
        violations: "[]".to_owned(),
        attempts: 1,
        history: Vec::new(),
        first_seen_at_us: Setup::START_US,
        dead_lettered_at_us: Setup::START_US + 1,
        entry_ids: vec!["1-1".to_owned()],
    }
}

/// ISO well-known binary of a point.
#[must_use]
pub fn point_wkb(x: f64, y: f64) -> Vec<u8> {
    let mut bytes = vec![1, 1, 0, 0, 0];
    bytes.extend_from_slice(&x.to_le_bytes());
    bytes.extend_from_slice(&y.to_le_bytes());
    bytes
}
