//! What a source requires of its features: every breach, where it stands.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it is surprised"
)]

use hexlane_core::code::Code;
use hexlane_core::judge::{Format, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, MemberType, Source, SourceError, SourceSettings};

fn source(required: &[(&str, MemberType)]) -> Source {
    let mut settings = SourceSettings::new(AuthSettings::None);
    for (pointer, wanted) in required {
        settings.required.insert((*pointer).to_owned(), *wanted);
    }
    settings.resolve("fleet", |_| None).unwrap()
}

/// Code, pointer and the text at the offset of each violation.
fn breaches<'a>(source: &Source, body: &'a str) -> Vec<(Code, String, &'a str)> {
    let request = Request {
        source,
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    let report = judge(&request, &Limits::default(), ShardMap::default()).report;
    let told = report.violations().iter().map(|each| {
        let offset = usize::try_from(each.byte_offset.unwrap()).unwrap();
        (each.code, each.pointer.clone(), &body[offset..])
    });
    told.collect()
}

fn feature(properties: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"a","properties":{properties},"geometry":{{"type":"Point","coordinates":[1,2]}}}}"#
    )
}

#[test]
fn each_type_takes_its_own_and_nothing_else() {
    use MemberType::{Array, Boolean, Integer, Number, Object, String, Time};
    let values = [
        ("\"text\"", &[String][..]),
        ("\"2026-11-30T12:00:00+01:00\"", &[String, Time]),
        ("\"2026-11-30T12:00:00\"", &[String]),
        ("12", &[Number, Integer]),
        ("-7", &[Number, Integer]),
        ("1.0", &[Number]),
        ("1e3", &[Number]),
        ("true", &[Boolean]),
        ("{}", &[Object]),
        ("[]", &[Array]),
        ("null", &[]),
    ];
    for wanted in [String, Number, Integer, Boolean, Object, Array, Time] {
        let source = source(&[("/properties/it", wanted)]);
        for (value, types) in values {
            let body = feature(&format!("{{\"it\":{value}}}"));
            let told = breaches(&source, &body);
            if types.contains(&wanted) {
                assert_eq!(told, [], "{wanted:?} {value}");
            } else {
                let [(code, pointer, at)] = &told[..] else {
                    panic!("{wanted:?} {value}: {told:?}")
                };
                assert_eq!(*code, Code::ContractMemberType, "{wanted:?} {value}");
                assert_eq!(pointer, "/properties/it");
                assert!(at.starts_with(value), "{at}");
            }
        }
    }
}

#[test]
fn every_breach_is_told_with_the_pointer_of_the_member() {
    let source = source(&[
        ("/properties/speed", MemberType::Number),
        ("/properties/driver/name", MemberType::String),
        ("/bbox", MemberType::Array),
        ("/properties/tags/0", MemberType::String),
    ]);
    let bad = feature(r#"{"speed":"fast","driver":{"id":1},"tags":[]}"#);
    let body = format!(r#"{{"type":"FeatureCollection","features":[{bad}]}}"#);
    let mut told = breaches(&source, &body);
    told.sort_by(|one, other| one.1.cmp(&other.1));
    let told: Vec<_> = told
        .iter()
        .map(|(code, pointer, at)| (*code, pointer.as_str(), &at[..4]))
        .collect();
    let missing = Code::ContractMemberMissing;
    assert_eq!(
        told,
        [
            (missing, "/features/0/bbox", "{\"ty"),
            (missing, "/features/0/properties/driver/name", "{\"id"),
            (
                Code::ContractMemberType,
                "/features/0/properties/speed",
                "\"fas"
            ),
            (missing, "/features/0/properties/tags/0", "[]},"),
        ]
    );
}

#[test]
fn a_delete_needs_no_more_than_its_entity() {
    let source = source(&[("/properties/speed", MemberType::Number)]);
    let delete = r#"{"type":"Feature","id":"a","properties":{"op":"delete"},"geometry":null}"#;
    assert_eq!(breaches(&source, delete), []);
}

#[test]
fn a_pointer_that_is_none_is_a_mistake_in_the_settings() {
    let mut settings = SourceSettings::new(AuthSettings::None);
    settings
        .required
        .insert("speed".to_owned(), MemberType::Number);
    let error = settings.resolve("fleet", |_| None).unwrap_err();
    assert!(matches!(
        error,
        SourceError::Pointer {
            member: "required",
            ..
        }
    ));
}
