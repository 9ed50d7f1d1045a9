//! Bodies that are built to cost much, to hide a fault or to take another event's key.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops where it is surprised"
)]

use hexlane_core::code::Code;
use hexlane_core::envelope::Envelope;
use hexlane_core::judge::{Entry, Format, Judged, Request, RequestKey, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, Source, SourceSettings};
use std::collections::BTreeSet;

const POINT: &str = r#"{"type":"Point","coordinates":[1,2]}"#;

fn source() -> Source {
    let settings = SourceSettings::new(AuthSettings::None);
    settings.resolve("fleet", |_| None).unwrap()
}

fn judged_within(limits: &Limits, key: Option<RequestKey<'_>>, body: &str) -> Judged {
    let request = Request {
        source: &source(),
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    judge(&request, limits, ShardMap::default())
}

fn judged(body: &str) -> Judged {
    judged_within(&Limits::default(), None, body)
}

fn feature(members: &str) -> String {
    format!(r#"{{"type":"Feature",{members},"geometry":{POINT}}}"#)
}

fn collection(features: &[String]) -> String {
    let features = features.join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#)
}

fn envelopes(judged: Judged) -> Vec<Envelope> {
    let entries = judged.entries.into_iter().filter_map(|entry| match entry {
        Entry::Event(envelope) => Some(*envelope),
        _ => None,
    });
    entries.collect()
}

fn key(request: Option<RequestKey<'_>>, body: &str) -> String {
    let judged = judged_within(&Limits::default(), request, body);
    envelopes(judged).remove(0).key.value
}

#[test]
fn a_long_name_is_not_told_once_for_every_duplicate_in_it() {
    let name = "n".repeat(100_000);
    let twins = vec![r#""a":1"#; 101].join(",");
    let body = feature(&format!(r#""properties":{{"{name}":{{{twins}}}}}"#));
    let judged = judged(&body);
    let told = judged.report.violations();
    assert_eq!(told.len(), 100);
    assert!(told.iter().all(|each| each.pointer == "/properties"));
    assert!(told.iter().all(|each| {
        let at = usize::try_from(each.byte_offset.unwrap()).unwrap();
        body[at..].starts_with(r#""a":1"#)
    }));
    assert_eq!(judged.report.totals().of(Code::ParseDuplicateMember), 100);
}

#[test]
fn a_duplicate_is_told_by_the_members_and_elements_around_it() {
    let members = r#""properties":{"x":[[1],{"~/":[0,{"b":1,"\u0062":2}]}]}"#;
    let judged = judged(&collection(&[
        feature(r#""properties":{}"#),
        feature(members),
    ]));
    let told = &judged.report.violations()[0];
    assert_eq!(told.pointer, "/features/1/properties/x/1/~0~1/1/b");
    assert_eq!(told.feature, Some(1));
}

#[test]
fn a_feature_with_a_duplicate_is_refused_by_its_index() {
    let features: Vec<String> = (0..300)
        .map(|n| {
            let twin = if n % 2 == 0 { r#""a":1"# } else { r#""b":1"# };
            feature(&format!(r#""id":{n},"properties":{{"a":{n},{twin}}}"#))
        })
        .collect();
    let judged = judged(&collection(&features));
    let even: Vec<u32> = (0..300).step_by(2).collect();
    assert_eq!(judged.refused(), even);
    assert_eq!(judged.report.totals().of(Code::ParseDuplicateMember), 150);
}

#[test]
fn a_duplicate_outside_the_features_concerns_the_document() {
    let body = format!(
        r#"{{"type":"FeatureCollection","a":1,"a":2,"features":[{}],"b":1,"b":2}}"#,
        feature(r#""properties":{}"#)
    );
    let judged = judged(&body);
    let told = judged.report.violations();
    let pointers: Vec<&str> = told.iter().map(|each| each.pointer.as_str()).collect();
    assert_eq!(pointers, ["/a", "/b"]);
    assert!(told.iter().all(|each| each.feature.is_none()));
}

#[test]
fn a_crs_name_of_any_length_is_not_carried_by_every_event() {
    let version = "0".repeat(10_000);
    let name = format!("urn:ogc:def:crs:OGC:{version}:CRS84");
    let crs = format!(r#""crs":{{"type":"name","properties":{{"name":"{name}"}}}}"#);
    let body = format!(
        r#"{{"type":"FeatureCollection",{crs},"features":[{}]}}"#,
        feature(r#""properties":{}"#)
    );
    let judged = judged(&body);
    assert_eq!(judged.report.violations()[0].code, Code::CrsUnsupported);
    assert_eq!(judged.report.violations()[0].pointer, "/crs");
    let carried = envelopes(judged).remove(0).declared_crs.unwrap();
    assert!(carried.len() <= 200);
}

#[test]
fn warnings_do_not_take_the_room_of_an_error() {
    let nested = vec![r#"{"type":"GeometryCollection","geometries":[]}"#; 200].join(",");
    let body = format!(r#"{{"type":"GeometryCollection","geometries":[{nested},{{}}]}}"#);
    let report = judged(&body).report;
    assert_eq!(report.violations().len(), 100);
    assert_eq!(report.totals().of(Code::GeometryNestedCollection), 200);
    assert_eq!(report.first_error().unwrap().code, Code::SchemaTypeMissing);
    assert_eq!(report.first_error().unwrap().pointer, "/geometries/200");
}

#[test]
fn errors_of_later_features_take_the_room_of_earlier_warnings() {
    let clockwise = r#"{"type":"Polygon","coordinates":[[[0,0],[0,1],[1,1],[0,0]]]}"#;
    let mut features: Vec<String> = (0..150)
        .map(|n| {
            format!(r#"{{"type":"Feature","id":{n},"properties":{{}},"geometry":{clockwise}}}"#)
        })
        .collect();
    features.push("null".to_owned());
    let report = judged(&collection(&features)).report;
    assert_eq!(report.violations().len(), 100);
    let error = report.first_error().unwrap();
    assert_eq!(
        (error.code, error.feature),
        (Code::SchemaFeatureExpected, Some(150))
    );
    assert_eq!(report.left_out(), 51);
}

#[test]
fn positions_over_the_budget_are_counted_and_not_kept() {
    let limits = Limits {
        vertices_max: 3,
        ..Limits::default()
    };
    let line = |count| {
        let positions = vec!["[0,0]"; count].join(",");
        format!(r#"{{"type":"MultiPoint","coordinates":[{positions}]}}"#)
    };
    assert!(judged_within(&limits, None, &line(3)).is_good());
    let report = judged_within(&limits, None, &line(4)).report;
    assert_eq!(report.violations()[0].code, Code::LimitVertices);
}

#[test]
fn no_event_id_takes_the_key_of_another_rule() {
    let digest = "0123456789abcdef".repeat(4);
    let named = |id: &str| feature(&format!(r#""properties":{{"event_id":"{id}"}}"#));
    let mut keys = BTreeSet::new();
    for id in [
        "a",
        "a#0",
        "a#0#id",
        "a#id",
        "#",
        "sha256:",
        &format!("sha256:{digest}"),
    ] {
        assert!(keys.insert(key(None, &named(id))), "{id}");
    }
    for request in ["a", "a#0", "a#0#id", "a#id", "#", "sha256:"] {
        let key = key(Some(RequestKey::Idempotency(request)), &named("a"));
        assert!(keys.insert(key), "{request}");
    }
    assert!(!keys.contains(&format!("sha256:{digest}")));
    assert!(
        keys.contains("a"),
        "an id that cannot be mistaken is its own key"
    );
}

#[test]
fn text_that_no_database_takes_is_refused() {
    for members in [
        r#""id":"a\u0000b","properties":{}"#,
        r#""properties":{"event_id":"a\u0000b"}"#,
    ] {
        let judged = judged(&feature(members));
        assert!(!judged.is_good(), "{members}");
        assert_eq!(judged.report.violations().len(), 1);
    }
}

#[test]
fn what_an_envelope_takes_is_what_it_is_said_to_take() {
    let body = feature(r#""id":1,"properties":{}"#);
    let bytes = envelopes(judged(&body)).remove(0).encode().len() as u64;
    let within = |envelope_bytes_max| {
        let limits = Limits {
            envelope_bytes_max,
            ..Limits::default()
        };
        judged_within(&limits, None, &body)
    };
    assert!(within(bytes).is_good());
    let told = within(bytes - 1).report;
    assert_eq!(told.violations()[0].code, Code::LimitEnvelope);
    assert_eq!(told.violations()[0].pointer, "");
}

#[test]
fn a_box_is_checked_wherever_it_stands_and_holds_finite_numbers() {
    let bad = r#""bbox":[0,0,1]"#;
    let inner = format!(r#"{{"type":"Point",{bad},"coordinates":[1,2]}}"#);
    for (geometry, pointer) in [
        (inner.clone(), "/geometry/bbox"),
        (
            format!(r#"{{"type":"GeometryCollection","geometries":[{inner}]}}"#),
            "/geometry/geometries/0/bbox",
        ),
    ] {
        let body = format!(r#"{{"type":"Feature","properties":{{}},"geometry":{geometry}}}"#);
        let report = judged(&body).report;
        assert_eq!(report.violations()[0].code, Code::SchemaBbox);
        assert_eq!(report.violations()[0].pointer, pointer);
    }
    let endless = r#"{"type":"Point","bbox":[-1e400,0,1e400,9],"coordinates":[1,2]}"#;
    assert_eq!(
        judged(endless).report.violations()[0].code,
        Code::SchemaBbox
    );
}

#[test]
fn rings_without_positions_spend_the_budget_of_those_they_lack() {
    let limits = Limits {
        vertices_max: 11,
        ..Limits::default()
    };
    let code = |body: &str| judged_within(&limits, None, body).report.violations()[0].code;
    let polygon = |rings: &[&str]| {
        let rings = rings.join(",");
        format!(r#"{{"type":"MultiPolygon","coordinates":[[{rings}]]}}"#)
    };
    assert_eq!(code(&polygon(&["[[0,0]]"; 2])), Code::TooFewPoints);
    assert_eq!(code(&polygon(&["[[0,0]]"; 3])), Code::LimitVertices);
}
