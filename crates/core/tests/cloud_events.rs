//! `CloudEvents` around GeoJSON: identity, op and version by the event, and each fault where
//! it stands in what was received.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it is surprised"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hexlane_core::cloud_event::EventHeaders;
use hexlane_core::code::Code;
use hexlane_core::envelope::{Envelope, KeyRule, Op};
use hexlane_core::judge::{Entry, Format, Judged, Request, RequestKey, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{
    AuthSettings, Source, SourceError, SourceSettings, TypeOp, VersionForm, VersionSettings,
};

const NOW_US: i64 = 1_796_040_000_000_000;

fn source(change: impl FnOnce(&mut SourceSettings)) -> Source {
    let mut settings = SourceSettings::new(AuthSettings::None);
    change(&mut settings);
    settings.resolve("fleet", |_| None).unwrap()
}

fn any_source() -> Source {
    source(|_| {})
}

/// Takes two types alone.
fn typed() -> Source {
    source(|settings| {
        for (name, op) in [("moved", TypeOp::Upsert), ("gone", TypeOp::Delete)] {
            settings.cloud_events.types.insert(name.to_owned(), op);
        }
    })
}

fn timed() -> Source {
    source(|settings| settings.cloud_events.time_is_version = true)
}

fn judged(source: &Source, format: Format, body: &str) -> Judged {
    judged_with(source, format, None, None, body)
}

fn judged_with(
    source: &Source,
    format: Format,
    event: Option<EventHeaders<'_>>,
    key: Option<RequestKey<'_>>,
    body: &str,
) -> Judged {
    let request = Request {
        source,
        body: body.as_bytes(),
        format,
        event,
        content_type: "application/geo+json",
        content_crs: None,
        key,
        repair: &[],
        traceparent: None,
        accepted_at_us: NOW_US,
    };
    judge(&request, &Limits::default(), ShardMap::default())
}

fn events(judged: &Judged) -> Vec<&Envelope> {
    let each = judged.entries.iter().map(|entry| match entry {
        Entry::Event(envelope) => &**envelope,
        Entry::DuplicateOf(_) | Entry::Refused => panic!("{entry:?} {:?}", judged.report),
    });
    each.collect()
}

/// Code, pointer and offset of each violation.
fn told(judged: &Judged) -> Vec<(Code, &str, Option<u64>)> {
    let each = judged.report.violations().iter();
    each.map(|each| (each.code, each.pointer.as_str(), each.byte_offset))
        .collect()
}

fn point(id: &str, properties: &str, place: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"{id}","properties":{properties},"geometry":{{"type":"Point","coordinates":{place}}}}}"#
    )
}

fn good() -> String {
    point("truck", "{}", "[1,2]")
}

/// An event with those members besides the usual ones.
fn event(kind: &str, members: &str) -> String {
    format!(r#"{{"specversion":"1.0","id":"e-1","source":"/fleet#1","type":"{kind}",{members}}}"#)
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands beside offsets that may be none"
)]
fn at(body: &str, needle: &str) -> Option<u64> {
    Some(body.find(needle).unwrap() as u64)
}

fn headers<'a>() -> EventHeaders<'a> {
    EventHeaders {
        specversion: Some("1.0"),
        id: Some("e-1"),
        source: Some("/fleet#1"),
        kind: Some("moved"),
        time: None,
    }
}

#[test]
fn source_and_id_are_the_key_in_every_mode() {
    let source = any_source();
    let (data, encoded) = (
        event("moved", &format!("\"data\":{}", good())),
        event(
            "moved",
            &format!("\"data_base64\":\"{}\"", STANDARD.encode(good())),
        ),
    );
    for judged in [
        judged_with(&source, Format::Document, Some(headers()), None, &good()),
        judged(&source, Format::CloudEvent, &data),
        judged(&source, Format::CloudEvent, &encoded),
        judged(&source, Format::CloudEventBatch, &format!("[{data}]")),
    ] {
        let [envelope] = events(&judged)[..] else {
            panic!()
        };
        assert_eq!(envelope.key.value, "/fleet#1 e-1#ce0");
        assert_eq!(envelope.key.rule, KeyRule::CloudEvent);
        assert_eq!(envelope.event_id, "e-1");
        assert_eq!(envelope.inline_payload(), Some(good().as_bytes()));
    }
}

#[test]
fn the_key_of_an_event_comes_after_those_of_the_request_and_before_those_of_the_body() {
    let named = point("truck", r#"{"event_id":"own"}"#, "[1,2]");
    let source = any_source();
    let by = |key| judged_with(&source, Format::Document, Some(headers()), key, &named);
    let rules = [
        (
            Some(RequestKey::Idempotency("k")),
            KeyRule::IdempotencyHeader,
        ),
        (Some(RequestKey::WebhookId("w")), KeyRule::WebhookId),
        (None, KeyRule::CloudEvent),
    ];
    for (key, rule) in rules {
        let judged = by(key);
        let envelope = events(&judged)[0];
        assert_eq!(
            (envelope.key.rule, envelope.event_id.as_str()),
            (rule, "own")
        );
    }
}

#[test]
fn features_of_one_event_are_numbered_within_it_wherever_it_stands_in_a_batch() {
    let collection = |first: &str, second: &str| {
        let features = [point(first, "{}", "[1,2]"), point(second, "{}", "[3,4]")].join(",");
        format!(r#""data":{{"type":"FeatureCollection","features":[{features}]}}"#)
    };
    let one = event("moved", &collection("a", "b"));
    let other = event("moved", &collection("c", "d")).replace("e-1", "e-2");
    let keys = |body: &str| -> Vec<(String, String)> {
        let judged = judged(&any_source(), Format::CloudEventBatch, body);
        let mut keys: Vec<_> = events(&judged)
            .iter()
            .map(|envelope| (envelope.key.value.clone(), envelope.event_id.clone()))
            .collect();
        keys.sort();
        keys
    };
    let forth = keys(&format!("[{one},{other}]"));
    assert_eq!(
        forth[1],
        ("/fleet#1 e-1#ce1".to_owned(), "e-1#1".to_owned())
    );
    assert_eq!(forth[2].0, "/fleet#1 e-2#ce0");
    assert_eq!(forth, keys(&format!("[{other},{one}]")));
}

#[test]
fn the_type_says_what_an_event_does_and_another_type_is_refused() {
    let source = typed();
    let op = |kind: &str| {
        let body = event(kind, &format!("\"data\":{}", good()));
        events(&judged(&source, Format::CloudEvent, &body))[0].op
    };
    assert_eq!((op("moved"), op("gone")), (Op::Upsert, Op::Delete));
    let other = event("painted", &format!("\"data\":{}", good()));
    let found = judged(&source, Format::CloudEvent, &other);
    assert_eq!(
        told(&found),
        [(Code::CloudEventType, "/type", at(&other, "\"painted\""))]
    );
    assert_eq!(
        found.report.violations()[0].message,
        "the source takes no event of type `painted`"
    );
    let conflict = event(
        "moved",
        &format!("\"data\":{}", point("a", r#"{"op":"delete"}"#, "[1,2]")),
    );
    let found = judged(&source, Format::CloudEvent, &conflict);
    let place = at(&conflict, "\"delete\"");
    assert_eq!(
        told(&found),
        [(Code::CloudEventOp, "/data/properties/op", place)]
    );
    let free = event(
        "any",
        &format!("\"data\":{}", point("a", r#"{"op":"delete"}"#, "[1,2]")),
    );
    assert_eq!(
        events(&judged(&any_source(), Format::CloudEvent, &free))[0].op,
        Op::Delete
    );
}

#[test]
fn a_delete_by_its_type_needs_no_geometry() {
    let data = r#""data":{"type":"Feature","id":"truck","properties":null,"geometry":null}"#;
    let judged = judged(&typed(), Format::CloudEvent, &event("gone", data));
    let envelope = events(&judged)[0];
    assert_eq!(
        (envelope.op, envelope.cell, envelope.entity.as_str()),
        (Op::Delete, None, "truck")
    );
}

#[test]
fn time_may_be_the_version_and_then_every_event_has_one() {
    let source = timed();
    let with = |time: &str| event("moved", &format!("\"time\":{time},\"data\":{}", good()));
    let body = with("\"2026-11-30T11:00:00Z\"");
    let judged_good = judged(&source, Format::CloudEvent, &body);
    assert_eq!(
        events(&judged_good)[0].version.value,
        NOW_US - 3_600_000_000
    );
    let found = |body: &str, code| {
        let judged = judged(&source, Format::CloudEvent, body);
        assert_eq!(told(&judged)[0].0, code, "{body}");
        judged.report.violations()[0].pointer.clone()
    };
    assert_eq!(
        found(&with("\"2026-12-02T12:00:00Z\""), Code::SchemaTimeInFuture),
        "/time"
    );
    assert_eq!(
        found(&with("\"yesterday\""), Code::CloudEventAttribute),
        "/time"
    );
    assert_eq!(found(&with("12"), Code::CloudEventAttribute), "/time");
    assert_eq!(found(&with("null"), Code::SchemaVersionMissing), "");
    let plain = judged(&source, Format::Document, &good());
    assert_eq!(told(&plain), [(Code::SchemaVersionMissing, "", Some(0))]);
    let mut both = SourceSettings::new(AuthSettings::None);
    both.cloud_events.time_is_version = true;
    both.version = Some(VersionSettings {
        pointer: "/id".to_owned(),
        form: VersionForm::Sequence,
    });
    let error = both.resolve("fleet", |_| None).unwrap_err();
    assert_eq!(error, SourceError::TwoVersions("fleet".to_owned()));
}

#[test]
fn every_attribute_is_looked_at_and_told_where_it_stands() {
    let body = r#" {"specversion":"0.3","id":"","source":7,"data":{}}"#;
    let found = judged(&any_source(), Format::CloudEvent, body);
    assert_eq!(
        told(&found),
        [
            (Code::CloudEventAttribute, "", Some(1)),
            (
                Code::CloudEventSpecversion,
                "/specversion",
                at(body, "\"0.3\"")
            ),
            (Code::CloudEventAttribute, "/id", at(body, "\"\"")),
            (Code::CloudEventAttribute, "/source", at(body, "7")),
        ]
    );
    for (from, to) in [
        ("/fleet#1", "/fleet 1"),
        ("e-1", r"e\u00001"),
        ("\"id\":\"e-1\"", "\"id\":null"),
        ("\"type\":\"moved\"", "\"type\":[]"),
    ] {
        let body = event("moved", &format!("\"data\":{}", good())).replace(from, to);
        let found = judged(&any_source(), Format::CloudEvent, &body);
        assert_eq!(told(&found)[0].0, Code::CloudEventAttribute, "{body}");
    }
    let twice = event("moved", &format!("\"id\":\"e-2\",\"data\":{}", good()));
    let found = judged(&any_source(), Format::CloudEvent, &twice);
    assert_eq!(
        told(&found),
        [(
            Code::ParseDuplicateMember,
            "/id",
            at(&twice, "\"id\":\"e-2\"")
        )]
    );
}

#[test]
fn headers_are_looked_at_alike_and_stand_nowhere_in_the_body() {
    let source = typed();
    let found = |headers| {
        let judged = judged_with(&source, Format::Document, Some(headers), None, &good());
        assert!(judged.whole);
        told(&judged)
            .iter()
            .map(|(code, _, at)| (*code, *at))
            .collect::<Vec<_>>()
    };
    let attribute = (Code::CloudEventAttribute, None);
    for (headers, expected) in [
        (
            EventHeaders {
                id: None,
                source: Some(""),
                ..headers()
            },
            vec![attribute; 2],
        ),
        (
            EventHeaders {
                id: Some("%ff"),
                ..headers()
            },
            vec![attribute],
        ),
        (
            EventHeaders {
                time: Some("soon"),
                ..headers()
            },
            vec![attribute],
        ),
        (
            EventHeaders {
                specversion: Some("2.0"),
                ..headers()
            },
            vec![(Code::CloudEventSpecversion, None)],
        ),
        (
            EventHeaders {
                kind: Some("painted"),
                ..headers()
            },
            vec![(Code::CloudEventType, None)],
        ),
    ] {
        assert_eq!(found(headers), expected, "{headers:?}");
    }
}

#[test]
fn data_is_one_geojson_object_in_one_of_two_members() {
    let none = event("moved", "\"subject\":\"truck\"");
    let both = event(
        "moved",
        &format!("\"data\":{},\"data_base64\":\"e30=\"", good()),
    );
    let text = event(
        "moved",
        &format!("\"datacontenttype\":\"text/plain\",\"data\":{}", good()),
    );
    let garbled = event("moved", "\"data_base64\":\"%\"");
    for (body, pointer, place) in [
        (&none, "", Some(0)),
        (&both, "/data_base64", at(&both, "\"e30=\"")),
        (&text, "/datacontenttype", at(&text, "\"text/plain\"")),
        (&garbled, "/data_base64", at(&garbled, "\"%\"")),
    ] {
        let found = judged(&any_source(), Format::CloudEvent, body);
        assert_eq!(
            told(&found),
            [(Code::CloudEventData, pointer, place)],
            "{body}"
        );
    }
    let array = event("moved", "\"data\":[1]");
    let found = judged(&any_source(), Format::CloudEvent, &array);
    assert_eq!(
        told(&found),
        [(Code::SchemaNotObject, "/data", at(&array, "[1]"))]
    );
    let declared = event(
        "moved",
        &format!(
            "\"datacontenttype\":\"Application/Geo+JSON; charset=utf-8\",\"data\":{}",
            good()
        ),
    );
    assert!(judged(&any_source(), Format::CloudEvent, &declared).is_good());
}

#[test]
fn faults_of_the_data_stand_where_they_are_in_what_was_received() {
    let bowtie = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
    let body = format!(
        "[{},\n{}]",
        event("moved", &format!("\"data\":{}", good())),
        event("moved", &format!("\"data\": {bowtie}")).replace("e-1", "e-2")
    );
    let found = judged(&any_source(), Format::CloudEventBatch, &body);
    assert_eq!(
        told(&found),
        [(
            Code::SelfIntersection,
            "/1/data/coordinates/0/0",
            at(&body, "[0,0],[2,2]")
        )]
    );
    let violation = &found.report.violations()[0];
    assert_eq!((violation.record, violation.feature), (Some(1), Some(1)));
    let other = violation.other.as_ref().unwrap();
    assert_eq!(other.pointer, "/1/data/coordinates/0/2");
    assert_eq!(Some(other.byte_offset), at(&body, "[2,0],[0,2]"));
    let far = event(
        "moved",
        &format!("\"data\":{}", point("a", "{}", "[100,95]")),
    );
    let twice = far.replace("\"properties\":{}", r#""properties":{"a":1,"a":2}"#);
    let found = judged(&any_source(), Format::CloudEvent, &twice);
    assert_eq!(
        told(&found),
        [
            (
                Code::ParseDuplicateMember,
                "/data/properties/a",
                at(&twice, "\"a\":2")
            ),
            (
                Code::CrsLatitudeRange,
                "/data/geometry/coordinates",
                at(&twice, "[100,95]")
            ),
        ]
    );
}

#[test]
fn faults_of_encoded_data_stand_at_the_letters_that_hold_them() {
    let data = point("a", "{}", "[100,95]");
    let text = STANDARD.encode(&data);
    let body = event("moved", &format!("\"data_base64\":\"{text}\""));
    let found = judged(&any_source(), Format::CloudEvent, &body);
    let inner = data.find("[100,95]").unwrap();
    let letters = (body.find(&text).unwrap() + inner / 3 * 4) as u64;
    assert_eq!(
        told(&found),
        [(Code::CrsLatitudeRange, "/data_base64", Some(letters))]
    );
    let message = &found.report.violations()[0].message;
    assert!(
        message.starts_with("at /geometry/coordinates of what is encoded: latitude"),
        "{message}"
    );
    // An escape in the text moves the letters: the member is told.
    let body = body.replacen(&text[..1], &format!("\\u00{:x}", text.as_bytes()[0]), 1);
    let body = if body.contains(r#""data_base64":"\u"#) {
        body
    } else {
        event(
            "moved",
            &format!(
                "\"data_base64\":\"\\u00{:x}{}\"",
                text.as_bytes()[0],
                &text[1..]
            ),
        )
    };
    let found = judged(&any_source(), Format::CloudEvent, &body);
    assert_eq!(
        told(&found),
        [(Code::CrsLatitudeRange, "/data_base64", at(&body, "\"\\u00"))]
    );
}

#[test]
fn one_bad_event_of_a_batch_refuses_it_and_hides_none() {
    let good_event = event("moved", &format!("\"data\":{}", good()));
    let body = format!(
        "[{good_event},7,{{}},{}]",
        good_event.replace("e-1", "e-2").replace("truck", "van")
    );
    let found = judged(&any_source(), Format::CloudEventBatch, &body);
    assert_eq!(found.refused(), [1, 2]);
    assert!(!found.whole);
    assert_eq!(
        told(&found)[0],
        (Code::CloudEventForm, "/1", at(&body, "7,"))
    );
    assert!(matches!(found.entries[3], Entry::Event(_)));
    let object = judged(&any_source(), Format::CloudEventBatch, &good_event);
    assert_eq!(told(&object), [(Code::CloudEventForm, "", Some(0))]);
    let array = judged(&any_source(), Format::CloudEvent, "[]");
    assert_eq!(told(&array), [(Code::CloudEventForm, "", Some(0))]);
    assert!(judged(&any_source(), Format::CloudEventBatch, "[]").is_good());
    let cut = judged(
        &any_source(),
        Format::CloudEventBatch,
        &body[..body.len() - 1],
    );
    assert_eq!((told(&cut)[0].0, cut.whole), (Code::ParseSyntax, true));
}

#[test]
fn a_batch_of_very_many_events_ends_at_the_limit_of_features() {
    let body = format!("[{}0]", "0,".repeat(500_000));
    let found = judged(&any_source(), Format::CloudEventBatch, &body);
    assert_eq!(found.entries.len(), 1_000);
    assert!(found.whole && found.report.totals().of(Code::LimitFeatures) > 0);
}

#[test]
fn no_key_of_another_rule_is_that_of_an_event() {
    let taken = point("a", r#"{"event_id":"/fleet#1 e-1#ce0"}"#, "[1,2]");
    let source = any_source();
    let own = judged(&source, Format::Document, &taken);
    assert_eq!(events(&own)[0].key.value, "/fleet#1 e-1#ce0#id");
    let key = RequestKey::Idempotency("/fleet#1 e-1");
    let of_request = judged_with(&source, Format::Document, None, Some(key), &good());
    assert_eq!(events(&of_request)[0].key.value, "/fleet#1 e-1#0");
}
