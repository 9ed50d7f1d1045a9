//! Events made for tests: numbered within their lane, so that order can be checked.

use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::envelope::{CONTRACT, IdempotencyKey, KeyRule, Kind, Op, Payload, VerdictStamp};
use hexlane_core::lane::{LaneKey, ShardMap};
use hexlane_core::version::Version;

pub(crate) const START_US: i64 = 1_700_000_000_000_000;

/// How an event reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Good,
    NotJson,
    Quarantined,
}

/// The `number`-th event of a lane.
pub(crate) fn event(lane: &str, number: u32, form: Form, shard_map: ShardMap) -> Envelope {
    let lane_key = LaneKey::new(lane.to_owned());
    let key = key_of(lane, number);
    let payload = match form {
        Form::Good => format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[7.5,{number}e-3]}},"properties":{{"n":{number}}}}}"#
        ),
        Form::NotJson => format!("{{ no json {lane} {number}"),
        Form::Quarantined => format!(
            r#"{{"type":"Feature","geometry":{{"type":"Point","coordinates":[7.5,91]}},"properties":{{"n":{number}}}}}"#
        ),
    };
    Envelope {
        kind: if form == Form::Quarantined {
            Kind::Quarantined
        } else {
            Kind::Accepted
        },
        source: "test".to_owned(),
        event_id: key.clone(),
        version: Version::new(i64::from(number), START_US, &key),
        key: IdempotencyKey {
            value: key,
            rule: KeyRule::EventId,
        },
        payload_sha256: sha256(payload.as_bytes()),
        payload: Payload::Inline(payload.into_bytes()),
        content_type: "application/geo+json".to_owned(),
        declared_crs: None,
        derived: None,
        cell: None,
        shard: shard_map.shard(&lane_key),
        lane_key,
        shard_map,
        entity: lane.to_owned(),
        op: Op::Upsert,
        bbox: None,
        vertices: 1,
        traceparent: None,
        accepted_at_us: START_US,
        verdict: VerdictStamp {
            contract: CONTRACT,
            core_version: "test".to_owned(),
        },
        report: None,
    }
}

pub(crate) fn key_of(lane: &str, number: u32) -> String {
    format!("{lane}/{number}")
}

pub(crate) fn number_of(key: &str) -> u32 {
    key.rsplit('/').next().unwrap().parse().unwrap()
}
