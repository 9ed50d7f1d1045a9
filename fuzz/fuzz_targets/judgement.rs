//! The whole judgement over any bytes: a verdict and never a panic; the same verdict
//! twice; offsets inside the body; what is accepted survives its wire form and reads back.
#![no_main]

use hexlane_core::Envelope;
use hexlane_core::effect::{Effect, judge_again};
use hexlane_core::judge::{Entry, Format, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, Source, SourceSettings};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    SourceSettings::new(AuthSettings::None).resolve("fuzz", |_| None).expect("defaults resolve")
});

fuzz_target!(|body: &[u8]| {
    let limits = Limits { work_max: 2_000_000, ..Limits::default() };
    let request = Request {
        source: &SOURCE,
        body,
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    let judged = judge(&request, &limits, ShardMap::default());
    assert_eq!(judge(&request, &limits, ShardMap::default()), judged);
    assert!(judged.report.violations().len() <= 100);
    for violation in judged.report.violations() {
        assert!(violation.byte_offset.is_none_or(|offset| offset <= body.len() as u64));
    }
    for entry in &judged.entries {
        if let Entry::Event(envelope) = entry
            && judged.is_good()
        {
            assert_eq!(Envelope::decode(&envelope.encode()).as_ref(), Ok(&**envelope));
            assert_eq!(judge_again(envelope), None);
            assert!(Effect::decode((**envelope).clone()).is_ok());
        }
    }
});
