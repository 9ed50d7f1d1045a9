//! A refused request as an event of its own, on its way to poison and nowhere else.

use super::{Request, RequestKey};
use crate::digest::{hex, sha256};
use crate::envelope::{
    CONTRACT, Envelope, IdempotencyKey, KeyRule, Kind, Op, Payload, VerdictStamp,
};
use crate::lane::{LaneKey, ShardMap};
use crate::version::Version;

/// The envelope that keeps a refused body. Its key is that of the request, or the content's;
/// its lane is the key alone, since what cannot be read has neither cell nor entity.
#[must_use]
pub fn quarantine(
    request: &Request<'_>,
    content_type: &str,
    report: String,
    shard_map: ShardMap,
) -> Envelope {
    let payload_sha256 = sha256(request.body);
    let (value, rule) = match request.key {
        Some(RequestKey::Idempotency(key)) => {
            (format!("{key}#quarantined"), KeyRule::IdempotencyHeader)
        }
        Some(RequestKey::WebhookId(id)) => (format!("{id}#quarantined"), KeyRule::WebhookId),
        None => (format!("sha256:{}", hex(&payload_sha256)), KeyRule::Content),
    };
    let lane_key = LaneKey::new(value.clone());
    let digest = sha256(format!("{}\0{value}", request.source.name).as_bytes());
    Envelope {
        kind: Kind::Quarantined,
        source: request.source.name.clone(),
        event_id: format!("evt_{}", hex(&digest[..16])),
        version: Version::new(request.accepted_at_us, request.accepted_at_us, &value),
        payload: Payload::Inline(request.body.to_vec()),
        payload_sha256,
        content_type: content_type.to_owned(),
        declared_crs: request.content_crs.map(str::to_owned),
        derived: None,
        cell: None,
        shard: shard_map.shard(&lane_key),
        lane_key,
        shard_map,
        entity: format!("key:{value}"),
        key: IdempotencyKey { value, rule },
        op: Op::Upsert,
        bbox: None,
        vertices: 0,
        traceparent: request.traceparent.map(str::to_owned),
        accepted_at_us: request.accepted_at_us,
        verdict: VerdictStamp {
            contract: CONTRACT,
            core_version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        report: Some(report),
    }
}
