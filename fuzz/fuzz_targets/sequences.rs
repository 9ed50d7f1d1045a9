//! Bodies of many documents over any bytes: lines, RFC 8142 sequences, CloudEvents. The first
//! byte chooses. Never a panic; the same verdict twice; offsets inside the body; what is
//! accepted survives its wire form; a broken record never hides the one behind it.
#![no_main]

use hexlane_core::Envelope;
use hexlane_core::cloud_event::EventHeaders;
use hexlane_core::effect::{Effect, judge_again};
use hexlane_core::judge::{Entry, Format, Judged, Records, Request, Terms, judge, survey_records};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, Source, SourceSettings};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    SourceSettings::new(AuthSettings::None)
        .resolve("fuzz", |_| None)
        .expect("defaults resolve")
});

static LIMITS: LazyLock<Limits> =
    LazyLock::new(|| Limits { work_max: 2_000_000, ..Limits::default() });
/// What the corpus does not hold by chance.
const GOOD: &[u8] =
    br#"{"type":"Feature","id":"behind them all","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#;

fn verdict(body: &[u8], format: Format, event: Option<EventHeaders<'_>>) -> Judged {
    let request = Request {
        source: &SOURCE,
        body,
        format,
        event,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    judge(&request, &LIMITS, ShardMap::default())
}

fn check(judged: &Judged, body: &[u8]) {
    assert!(judged.report.violations().len() <= 100);
    let features = judged.entries.len();
    for violation in judged.report.violations() {
        assert!(violation.byte_offset.is_none_or(|offset| offset <= body.len() as u64));
        assert!(judged.whole || violation.feature.is_none_or(|index| (index as usize) < features));
    }
    assert_eq!(judged.is_good(), judged.report.errors() == 0);
    for (index, entry) in judged.entries.iter().enumerate() {
        match entry {
            Entry::Event(envelope) => {
                assert_eq!(Envelope::decode(&envelope.encode()).as_ref(), Ok(&**envelope));
                assert_eq!(judge_again(envelope), None);
                assert!(Effect::decode((**envelope).clone()).is_ok());
            }
            Entry::DuplicateOf(first) => assert!((*first as usize) < index),
            Entry::Refused => assert!(!judged.is_good()),
        }
    }
}

/// One more record, and nothing else of the verdict changes.
fn check_next(judged: &Judged, body: &[u8], format: Format, separator: &[u8]) {
    if judged.whole || judged.entries.len() >= LIMITS.features_max as usize {
        return;
    }
    let more = verdict(&[body, separator, GOOD].concat(), format, None);
    let (last, before) = more.entries.split_last().expect("one more");
    assert!(matches!(last, Entry::Event(_) | Entry::DuplicateOf(_)), "{last:?}");
    assert_eq!(before, judged.entries);
}

fn check_survey(body: &[u8], records: Records) {
    let mut next = 0;
    survey_records(body, records, &Terms::plain(&LIMITS), |each| {
        assert_eq!(each.index, next);
        next += 1;
    });
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, body)) = bytes.split_first() else {
        return;
    };
    let kind = body.get(..4).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let headers = EventHeaders {
        specversion: Some("1.0"),
        id: kind,
        source: Some("/fuzz"),
        kind,
        time: kind,
    };
    let (format, event) = match choice % 5 {
        0 => (Format::Lines, None),
        1 => (Format::Sequence, None),
        2 => (Format::CloudEvent, None),
        3 => (Format::CloudEventBatch, None),
        _ => (Format::Lines, Some(headers)),
    };
    let judged = verdict(body, format, event);
    assert_eq!(verdict(body, format, event), judged);
    check(&judged, body);
    match (format, event) {
        (Format::Lines, None) => {
            check_next(&judged, body, format, b"\n");
            check_survey(body, Records::Lines);
        }
        (Format::Sequence, None) => {
            check_next(&judged, body, format, b"\x1e");
            check_survey(body, Records::Separated);
        }
        _ => {}
    }
});
