//! Bytes that are no JSON text, or no text, or too much of it.

use super::row::{EVENTS, Row, feature, offset, point};
use hexlane_tests::http::Request;
use hexlane_tests::settings::BODY_BYTES_MAX;

const DEPTH: usize = 100_000;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = syntax();
    rows.extend(members());
    rows.extend(sizes());
    rows
}

fn syntax() -> Vec<Row> {
    let good = point("t", "[1,2]");
    let nan = point("t", "[NaN,2]");
    let mut not_utf8 = point("t-x", "[1,2]").into_bytes();
    let broken = offset(&point("t-x", "[1,2]"), "-x");
    not_utf8[usize::try_from(broken).unwrap()] = 0xff;
    vec![
        Row::refused("an empty body", 400, "parse.empty", "").at("", 0),
        Row::refused("white space alone", 400, "parse.empty", " \r\n\t").at("", 0),
        Row::refused("not JSON", 400, "parse.syntax", "hello").at("", 0),
        Row::refused("half a document", 400, "parse.syntax", r#"{"type":"#).at("", 8),
        Row::refused(
            "trailing bytes",
            400,
            "parse.trailing_bytes",
            format!("{good} {good}"),
        )
        .at("", good.len() as u64 + 1),
        Row::refused(
            "a byte order mark",
            400,
            "parse.bom",
            format!("\u{feff}{good}"),
        )
        .at("", 0),
        Row::refused("invalid UTF-8", 400, "parse.utf8", not_utf8).at("", broken),
        Row::refused("NaN as text", 400, "parse.syntax", nan.as_str()).at("", offset(&nan, "NaN")),
        Row::refused("a leading zero", 400, "parse.syntax", point("t", "[01,2]")),
        Row::refused(
            "a comma too many",
            400,
            "parse.syntax",
            point("t", "[1,2,]"),
        ),
        Row::refused("single quotes", 400, "parse.syntax", "{'type':'Feature'}").at("", 1),
        Row::refused(
            "half a surrogate pair",
            400,
            "parse.lone_surrogate",
            point("\\ud800", "[1,2]"),
        ),
        Row::refused(
            "a raw control character",
            400,
            "parse.syntax",
            point("a\u{1}b", "[1,2]"),
        ),
    ]
}

fn members() -> Vec<Row> {
    let twice = r#"{"type":"Feature","id":"t","id":"u","geometry":null,"properties":{}}"#;
    let escaped = r#"{"type":"Feature","id":"t","\u0069d":"u","geometry":null,"properties":{}}"#;
    let within = r#"{"type":"Feature","id":"t","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"a":{"b":1,"b":1}}}"#;
    vec![
        Row::refused("a duplicate member", 422, "parse.duplicate_member", twice)
            .at("/id", offset(twice, r#""id":"u""#)),
        Row::refused(
            "a duplicate member in other letters",
            422,
            "parse.duplicate_member",
            escaped,
        )
        .at("/id", offset(escaped, "\"\\u0069d\"")),
        Row::refused(
            "a duplicate member of a property",
            422,
            "parse.duplicate_member",
            within,
        )
        .at("/properties/a/b", offset(within, r#""b":1}"#)),
    ]
}

fn sizes() -> Vec<Row> {
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let deep_property = feature("t", "null").replace("{}", &format!(r#"{{"a":{deep}}}"#));
    let deep_byte = offset(&deep_property, "[[") + 126;
    let most = padded(BODY_BYTES_MAX);
    let over = padded(BODY_BYTES_MAX + 1);
    let features = vec![point("t", "[1,2]"); 1_001].join(",");
    let many = format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#);
    vec![
        Row::refused("a depth of 100,000", 413, "limit.depth", deep).at("", 128),
        Row::refused(
            "a depth of 100,000 in a property",
            413,
            "limit.depth",
            deep_property,
        )
        .at("", deep_byte),
        Row::refused("1,001 features", 413, "limit.features", many),
        Row::accepted("a body of just the cap", most),
        Row::refused("a body over the cap", 413, "limit.bytes", over.clone()),
        Row::refused_request(
            "a body over the cap, of no declared length",
            413,
            "limit.bytes",
            Request::post(EVENTS, over).chunked(60_000),
        ),
        Row::accepted_request(
            "a good body of no declared length",
            Request::post(EVENTS, point("chunked", "[1,2]")).chunked(7),
        ),
    ]
}

/// A good feature of exactly so many bytes.
fn padded(bytes: usize) -> String {
    let bare = point("big", "[3,4]").replace("{}", r#"{"note":""}"#);
    let note = "x".repeat(bytes - bare.len());
    bare.replace(r#""note":"""#, &format!(r#""note":"{note}""#))
}
