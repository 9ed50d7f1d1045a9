//! The whole judgement: identity, version, op, lane and the envelope it ends in.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops where it is surprised"
)]
#![allow(clippy::too_many_lines, reason = "a table is read from top to bottom")]

use hexlane_core::code::Code;
use hexlane_core::effect::{self, Effect};
use hexlane_core::envelope::{Envelope, KeyRule, Op};
use hexlane_core::judge::{Entry, Format, Judged, Request, RequestKey, judge};
use hexlane_core::lane::{LaneRule, ShardMap};
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, Source, SourceSettings, VersionForm, VersionSettings};
use proptest::prelude::*;

const NOW_US: i64 = 1_796_040_000_000_000;

fn source(change: impl FnOnce(&mut SourceSettings)) -> Source {
    let mut settings = SourceSettings::new(AuthSettings::None);
    change(&mut settings);
    settings.resolve("fleet", |_| None).unwrap()
}

fn judged(source: &Source, key: Option<RequestKey<'_>>, body: &str) -> Judged {
    let request = Request {
        source,
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key,
        repair: &[],
        traceparent: None,
        accepted_at_us: NOW_US,
    };
    judge(&request, &Limits::default(), ShardMap::default())
}

fn event(source: &Source, body: &str) -> Envelope {
    let judged = judged(source, None, body);
    match judged.entries.into_iter().next() {
        Some(Entry::Event(envelope)) => *envelope,
        other => panic!("{other:?} {:?}", judged.report),
    }
}

fn codes(source: &Source, body: &str) -> Vec<Code> {
    judged(source, None, body)
        .report
        .violations()
        .iter()
        .map(|each| each.code)
        .collect()
}

fn feature(properties: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"truck-7","properties":{properties},"geometry":{{"type":"Point","coordinates":[2.35,48.85]}}}}"#
    )
}

#[test]
fn the_key_is_the_first_rule_that_gives_one() {
    let source = source(|_| {});
    let named = feature(r#"{"event_id":"e-1"}"#);
    let key = |key, body: &str| match judged(&source, key, body).entries.remove(0) {
        Entry::Event(envelope) => envelope.key,
        other => panic!("{other:?}"),
    };
    let header = key(Some(RequestKey::Idempotency("abc")), &named);
    assert_eq!(
        (header.value.as_str(), header.rule),
        ("abc#0", KeyRule::IdempotencyHeader)
    );
    let webhook = key(Some(RequestKey::WebhookId("msg_1")), &named);
    assert_eq!(
        (webhook.value.as_str(), webhook.rule),
        ("msg_1#0", KeyRule::WebhookId)
    );
    let body = key(None, &named);
    assert_eq!((body.value.as_str(), body.rule), ("e-1", KeyRule::EventId));
    let content = key(None, &feature("{}"));
    assert!(content.value.starts_with("sha256:"));
    assert_eq!(content.rule, KeyRule::Content);
}

#[test]
fn the_feature_id_names_the_entity_and_never_the_event() {
    let source = source(|_| {});
    let (one, other) = (
        event(&source, &feature(r#"{"v":1}"#)),
        event(&source, &feature(r#"{"v":2}"#)),
    );
    assert_eq!(one.entity, "truck-7");
    assert_eq!(one.entity, other.entity);
    assert_ne!(one.key, other.key);
}

#[test]
fn byte_equal_features_of_one_request_are_one_event() {
    let source = source(|_| {});
    let one = feature("{}");
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{one},{one},{}]}}"#,
        feature(r#"{"a":1}"#)
    );
    let judged = judged(&source, Some(RequestKey::Idempotency("k")), &body);
    assert!(judged.is_good());
    assert_eq!(judged.entries[1], Entry::DuplicateOf(0));
    assert!(matches!(judged.entries[2], Entry::Event(_)));
}

#[test]
fn one_key_for_two_payloads_in_a_request_is_a_conflict() {
    let source = source(|_| {});
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{},{}]}}"#,
        feature(r#"{"event_id":"e","v":1}"#),
        feature(r#"{"event_id":"e","v":2}"#)
    );
    assert_eq!(codes(&source, &body), vec![Code::IdempotencyKeyReused]);
}

#[test]
fn a_newer_time_is_a_newer_version_and_the_future_is_refused() {
    let source = source(|_| {});
    let at =
        |time: &str| event(&source, &feature(&format!(r#"{{"observed_at":"{time}"}}"#))).version;
    assert!(at("2026-11-30T10:00:01Z") > at("2026-11-30T10:00:00Z"));
    let day_after = feature(r#"{"observed_at":"2026-12-02T12:00:00Z"}"#);
    assert_eq!(codes(&source, &day_after), vec![Code::SchemaTimeInFuture]);
    assert_eq!(
        codes(&source, &feature(r#"{"observed_at":"soon"}"#)),
        vec![Code::SchemaVersionInvalid]
    );
}

#[test]
fn a_version_that_a_source_names_is_required() {
    let source = source(|settings| {
        let pointer = "/properties/seq".to_owned();
        settings.version = Some(VersionSettings {
            pointer,
            form: VersionForm::Sequence,
        });
    });
    assert_eq!(event(&source, &feature(r#"{"seq":41}"#)).version.value, 41);
    assert_eq!(
        codes(&source, &feature("{}")),
        vec![Code::SchemaVersionMissing]
    );
}

#[test]
fn a_delete_needs_no_geometry_and_a_null_geometry_needs_the_entity_lane() {
    let null = |op: &str| {
        format!(r#"{{"type":"Feature","id":5,"properties":{{"op":"{op}"}},"geometry":null}}"#)
    };
    let by_cell = source(|_| {});
    let deleted = event(&by_cell, &null("delete"));
    assert_eq!(
        (deleted.op, deleted.cell, deleted.lane_key.as_str()),
        (Op::Delete, None, "fleet/5")
    );
    assert_eq!(
        codes(&by_cell, &null("upsert")),
        vec![Code::SchemaGeometryNull]
    );
    assert_eq!(
        codes(&by_cell, &null("merge")),
        vec![Code::SchemaOpUnknown, Code::SchemaGeometryNull]
    );
    let by_entity = source(|settings| settings.lane = LaneRule::Entity);
    assert_eq!(
        event(&by_entity, &null("upsert")).lane_key.as_str(),
        "fleet/5"
    );
    let nameless = r#"{"type":"Feature","properties":{"op":"delete"},"geometry":null}"#;
    assert_eq!(codes(&by_cell, nameless), vec![Code::SchemaEntityMissing]);
}

#[test]
fn an_envelope_survives_its_wire_form_and_reads_back_to_its_effect() {
    let source = source(|_| {});
    let envelope = event(&source, &feature(r#"{ "speed" : 1.50, "note":"\u00e9" }"#));
    assert_eq!(Envelope::decode(&envelope.encode()), Ok(envelope.clone()));
    let effect = Effect::decode(envelope.clone()).unwrap();
    assert_eq!(effect.properties, r#"{ "speed" : 1.50, "note":"\u00e9" }"#);
    let mut point = vec![1, 1, 0, 0, 0];
    point.extend(2.35_f64.to_le_bytes());
    point.extend(48.85_f64.to_le_bytes());
    assert_eq!(effect.wkb, Some(point));
    assert_eq!(effect::judge_again(&envelope), None);
    let mut damaged = envelope;
    damaged.payload_sha256[0] ^= 1;
    assert_eq!(
        Effect::decode(damaged.clone()),
        Err(effect::Undecodable::Digest)
    );
    damaged.payload = hexlane_core::envelope::Payload::Inline(Vec::new());
    assert_eq!(Effect::decode(damaged), Err(effect::Undecodable::Lost));
}

#[test]
fn bytes_that_are_no_envelope_are_an_error() {
    assert!(Envelope::decode(b"").is_err());
    assert!(Envelope::decode(&[0xff; 40]).is_err());
}

#[test]
fn limits_are_told_with_their_codes() {
    let source = source(|_| {});
    let told = |limits: Limits, body: &str| {
        let request = Request {
            source: &source,
            body: body.as_bytes(),
            format: Format::Document,
            event: None,
            content_type: "application/json",
            content_crs: None,
            key: None,
            repair: &[],
            traceparent: None,
            accepted_at_us: NOW_US,
        };
        let report = judge(&request, &limits, ShardMap::default()).report;
        report.first_error().map(|violation| violation.code)
    };
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{},{}]}}"#,
        feature("{}"),
        feature("null")
    );
    let limits = Limits::default();
    assert_eq!(told(limits, &body), None);
    assert_eq!(
        told(
            Limits {
                features_max: 1,
                ..limits
            },
            &body
        ),
        Some(Code::LimitFeatures)
    );
    assert_eq!(
        told(
            Limits {
                vertices_max: 1,
                ..limits
            },
            &body
        ),
        Some(Code::LimitVertices)
    );
    assert_eq!(
        told(
            Limits {
                body_bytes_max: 10,
                ..limits
            },
            &body
        ),
        Some(Code::LimitBytes)
    );
    assert_eq!(
        told(
            Limits {
                envelope_bytes_max: 100,
                ..limits
            },
            &body
        ),
        Some(Code::LimitEnvelope)
    );
    let ring = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#;
    assert_eq!(
        told(
            Limits {
                work_max: 1,
                ..limits
            },
            ring
        ),
        Some(Code::GeometryTooComplex)
    );
}

proptest! {
    #[test]
    fn any_bytes_get_a_verdict_and_no_panic(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let source = source(|_| {});
        let text = String::from_utf8_lossy(&body).into_owned();
        let _ = judged(&source, None, &text);
    }

    #[test]
    fn the_offset_of_a_position_points_at_it(
        ring in proptest::collection::vec((-180..180_i32, -90..90_i32), 4..12),
    ) {
        let positions: Vec<String> = ring.iter().map(|(x, y)| format!("[{x}, {y}]")).collect();
        let body = format!(r#"{{"type":"Polygon","coordinates":[[{}]]}}"#, positions.join(" , "));
        let source = source(|_| {});
        for violation in judged(&source, None, &body).report.violations() {
            if let (Some(place), Some(offset)) = (violation.place, violation.byte_offset) {
                let here = &body[usize::try_from(offset).unwrap()..];
                prop_assert!(here.starts_with(&positions[place.vertex as usize]), "{violation:?}");
            }
        }
    }
}
