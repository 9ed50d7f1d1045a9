//! Names of coordinate reference systems: any text is a name of one or is refused, and
//! never a panic; what is understood is kept as it was sent and reads the same again. A body
//! that declares it is judged by the same reading, wherever it stands.
#![no_main]

use hexlane_core::code::Code;
use hexlane_core::crs::{Crs, Declared, parse_name};
use hexlane_core::judge::{Format, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, Source, SourceSettings};
use hexlane_reproject::{Lookup, Target, Transform, look_up};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static SOURCE: LazyLock<Source> = LazyLock::new(|| {
    SourceSettings::new(AuthSettings::None).resolve("fuzz", |_| None).expect("defaults resolve")
});

/// The codes that a declaration was answered with.
fn codes(header: Option<&str>, body: &str) -> Vec<Code> {
    let request = Request {
        source: &SOURCE,
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: header,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    let judged = judge(&request, &Limits::default(), ShardMap::default());
    let codes = judged.report.violations().iter().map(|each| each.code);
    codes.filter(|code| code.as_str().starts_with("crs.")).collect()
}

fn expected(declared: &Declared) -> Vec<Code> {
    match declared {
        Declared::Known(crs, _) if crs.is_crs84() => Vec::new(),
        Declared::Known(..) => vec![Code::CrsMismatch],
        Declared::Null => vec![Code::CrsUnknown],
        Declared::Unsupported(_) => vec![Code::CrsUnsupported],
    }
}

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            letter if letter.is_control() => json.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(name) = std::str::from_utf8(bytes) else {
        return;
    };
    let declared = parse_name(name);
    assert!(declared.text().chars().count() <= 200);
    if let Declared::Known(crs, text) = &declared {
        assert_eq!(text, name.trim());
        assert_eq!(parse_name(text), declared);
        if let Crs::Epsg(code) = crs {
            assert_eq!(parse_name(&format!("EPSG:{code}")), Declared::Known(*crs, format!("EPSG:{code}")));
        }
        if let Lookup::Supported(system) = look_up(crs.epsg()) {
            let way = Transform::new(&system, Target::LonLat).expect("the list is prepared");
            let _ = way.point(500_000.0, 5_000_000.0);
        }
    }
    let expected = expected(&declared);
    assert_eq!(codes(Some(name), r#"{"type":"Point","coordinates":[9,48]}"#), expected);
    let named = quoted(name);
    let crs = format!(r#"{{"type":"Point","crs":{{"type":"name","properties":{{"name":{named}}}}},"coordinates":[9,48]}}"#);
    assert_eq!(codes(None, &crs), expected);
    let reference = format!(r#"{{"type":"Point","coordRefSys":{named},"coordinates":[9,48]}}"#);
    assert_eq!(codes(None, &reference), expected);
});
