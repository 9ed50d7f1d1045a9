//! Sequences of GeoJSON texts: a broken record hides none, and each fault keeps its place in
//! the whole body.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it is surprised"
)]

use hexlane_core::code::Code;
use hexlane_core::judge::{Entry, Format, Judged, Request, RequestKey, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, SourceSettings};
use proptest::prelude::*;

fn judged_by(format: Format, limits: &Limits, body: &[u8]) -> Judged {
    let source = SourceSettings::new(AuthSettings::None);
    let source = source.resolve("fleet", |_| None).unwrap();
    let request = Request {
        source: &source,
        body,
        format,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: Some(RequestKey::Idempotency("k")),
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    judge(&request, limits, ShardMap::default())
}

fn lines(body: &str) -> Judged {
    judged_by(Format::Lines, &Limits::default(), body.as_bytes())
}

fn sequence(body: &str) -> Judged {
    judged_by(Format::Sequence, &Limits::default(), body.as_bytes())
}

fn point(id: &str, place: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{{"type":"Point","coordinates":{place}}}}}"#
    )
}

/// What became of each entry: `+` an event, `=` a duplicate, `-` refused.
fn shape(judged: &Judged) -> String {
    let letter = |entry: &Entry| match entry {
        Entry::Event(_) => '+',
        Entry::DuplicateOf(_) => '=',
        Entry::Refused => '-',
    };
    judged.entries.iter().map(letter).collect()
}

/// Code, record, feature, pointer and offset of a violation.
type Told<'a> = (Code, Option<u32>, Option<u32>, &'a str, u64);

fn told(judged: &Judged) -> Vec<Told<'_>> {
    let of = judged.report.violations().iter();
    of.map(|each| {
        let offset = each.byte_offset.unwrap();
        (
            each.code,
            each.record,
            each.feature,
            each.pointer.as_str(),
            offset,
        )
    })
    .collect()
}

#[test]
fn each_record_is_a_document_and_indices_run_on() {
    let collection = format!(
        r#"{{"type":"FeatureCollection","features":[{},{}]}}"#,
        point("b", "[3,4]"),
        point("c", "[5,6]")
    );
    let records = [
        point("a", "[1,2]"),
        collection,
        point("a", "[1,2]"),
        point("d", "[7,8]"),
    ];
    for judged in [
        lines(&records.join("\n")),
        lines(&format!("{}\r\n\r\n", records.join("\r\n\n"))),
        sequence(&format!("\u{1e}{}\n", records.join("\n\u{1e}"))),
    ] {
        assert!(judged.is_good(), "{:?}", told(&judged));
        assert_eq!(shape(&judged), "+++=+");
        assert_eq!(judged.entries[3], Entry::DuplicateOf(0));
        let keys = judged.entries.iter().filter_map(|entry| match entry {
            Entry::Event(envelope) => Some(envelope.key.value.as_str()),
            Entry::DuplicateOf(_) | Entry::Refused => None,
        });
        assert_eq!(keys.collect::<Vec<_>>(), ["k#0", "k#1", "k#2", "k#4"]);
    }
}

#[test]
fn a_broken_record_hides_neither_the_next_nor_its_faults() {
    let body = format!(
        "{}\n{{\"type\":nope}}\n{}\n{}\n",
        point("a", "[1,2]"),
        point("b", "[100,95]"),
        point("c", "[1,2]")
    );
    let nope = u64::try_from(body.find("nope").unwrap()).unwrap();
    let far = u64::try_from(body.find("[100,95]").unwrap()).unwrap();
    let judged = lines(&body);
    assert_eq!((shape(&judged).as_str(), judged.whole), ("+--+", false));
    assert_eq!(
        told(&judged),
        [
            (Code::ParseSyntax, Some(1), Some(1), "", nope),
            (
                Code::CrsLatitudeRange,
                Some(2),
                Some(2),
                "/geometry/coordinates",
                far
            ),
        ]
    );
    assert_eq!(judged.refused(), [1, 2]);
}

#[test]
fn a_truncated_last_record_is_told_wherever_it_ends() {
    let whole = point("é", "[1,2]");
    for end in 1..whole.len() {
        let mut body = format!("{}\n", point("a", "[1,2]")).into_bytes();
        body.extend_from_slice(&whole.as_bytes()[..end]);
        let judged = judged_by(Format::Lines, &Limits::default(), &body);
        assert_eq!(shape(&judged), "+-", "{end}");
        assert_eq!(
            told(&judged),
            [(
                Code::ParseTruncated,
                Some(1),
                Some(1),
                "",
                body.trim_ascii_end().len() as u64
            )],
            "{end}"
        );
    }
    let body = format!("{}\n{whole}", point("a", "[1,2]"));
    assert!(lines(&body).is_good());
}

#[test]
fn a_record_cut_by_the_next_separator_is_told() {
    let good = point("a", "[1,2]");
    let body = format!("\u{1e}{}\n\u{1e}{good}\n", &good[..20]);
    let judged = sequence(&body);
    assert_eq!(shape(&judged), "-+");
    assert_eq!(
        told(&judged),
        [(Code::ParseTruncated, Some(0), Some(0), "", 21)]
    );
}

#[test]
fn what_stands_before_the_first_separator_is_told_and_hides_nothing() {
    let good = point("a", "[1,2]");
    let judged = sequence(&format!("{good}\n\u{1e}{good}\n\u{1e}\n\u{1e}{good}"));
    assert_eq!(shape(&judged), "-+-=");
    let empty = good.len() as u64 * 2 + 4;
    assert_eq!(
        told(&judged),
        [
            (Code::ParseSeparator, Some(0), Some(0), "", 0),
            (Code::ParseEmpty, Some(2), Some(2), "", empty),
        ]
    );
}

#[test]
fn a_record_at_fault_as_a_whole_takes_its_features_with_it_and_no_other() {
    let good = point("a", "[1,2]");
    let bad = format!(
        r#"{{"type":"FeatureCollection","crs":{{"type":"name","properties":{{"name":"EPSG:3857"}}}},"features":[{good}]}}"#
    );
    let judged = lines(&format!("{bad}\n{good}\n{good}"));
    assert_eq!((shape(&judged).as_str(), judged.whole), ("-+=", false));
    assert_eq!(judged.entries[2], Entry::DuplicateOf(1));
    assert_eq!(judged.report.violations()[0].code, Code::CrsMismatch);
    assert_eq!(judged.report.violations()[0].record, Some(0));
}

#[test]
fn limits_are_those_of_the_request_and_not_of_a_record() {
    let body = vec![point("a", "[1,2]"); 4].join("\n");
    let features = Limits {
        features_max: 3,
        ..Limits::default()
    };
    let judged = judged_by(Format::Lines, &features, body.as_bytes());
    assert!(judged.whole);
    assert_eq!(told(&judged)[0].0, Code::LimitFeatures);
    let vertices = Limits {
        vertices_max: 3,
        ..Limits::default()
    };
    let judged = judged_by(Format::Lines, &vertices, body.as_bytes());
    assert_eq!(
        (shape(&judged).as_str(), told(&judged)[0].0),
        ("+==-", Code::LimitVertices)
    );
}

#[test]
fn a_body_without_records_is_empty() {
    for judged in [
        lines(""),
        lines(" \n\n"),
        sequence("\u{1e}\u{1e}"),
        sequence("\n"),
    ] {
        assert!(judged.whole);
        assert_eq!(told(&judged), [(Code::ParseEmpty, None, None, "", 0)]);
    }
}

#[test]
fn white_space_that_json_does_not_have_is_not_taken_off() {
    let judged = lines(&format!("\u{c}{}", point("a", "[1,2]")));
    assert_eq!(told(&judged)[0].0, Code::ParseSyntax);
}

proptest! {
    /// Any bytes between two good records leave both as they are.
    #[test]
    fn nothing_between_two_records_changes_them(middle in proptest::collection::vec(any::<u8>(), 0..60)) {
        let (first, last) = (point("a", "[1,2]"), point("z", "[3,4]"));
        for (format, separator) in [(Format::Lines, b'\n'), (Format::Sequence, 0x1e)] {
            let body = [&[separator][..], first.as_bytes(), &[b'\n', separator], &middle, &[separator], last.as_bytes()].concat();
            let judged = judged_by(format, &Limits::default(), &body);
            let shape = shape(&judged);
            prop_assert!(shape.starts_with('+') && shape.ends_with('+'), "{shape}");
            for violation in judged.report.violations() {
                let offset = usize::try_from(violation.byte_offset.unwrap()).unwrap();
                let start = 1 + first.len() + 2;
                prop_assert!((start..=start + middle.len()).contains(&offset));
            }
        }
    }
}
