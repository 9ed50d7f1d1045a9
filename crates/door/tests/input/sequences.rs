//! Sequences by their media types.

use crate::support::{ask, document, head, open_door, point, statuses, told};
use serde_json::json;

#[test]
fn a_media_type_says_how_records_are_parted() {
    let (a, b) = (point("a", "[1,2]"), point("b", "[3,4]"));
    let (lines, sequence) = (format!("{a}\n{b}\n"), format!("\u{1e}{a}\n\u{1e}{b}\n"));
    for (media, body) in [
        ("application/x-ndjson", &lines),
        ("application/ndjson; charset=utf-8", &lines),
        ("application/jsonl", &lines),
        ("application/geo+json-seq", &sequence),
        ("Application/JSON-seq", &sequence),
    ] {
        let answer = ask(&open_door(), &head(media), body.as_bytes());
        assert_eq!(answer.status, 202, "{media}");
        assert_eq!(statuses(&answer), ["accepted", "accepted"], "{media}");
    }
    let plain = ask(
        &open_door(),
        &head("application/geo+json"),
        lines.as_bytes(),
    );
    assert_eq!(told(&plain), (400, "parse.trailing_bytes".to_owned()));
    let unseparated = ask(
        &open_door(),
        &head("application/geo+json-seq"),
        lines.as_bytes(),
    );
    assert_eq!(told(&unseparated), (400, "parse.separator".to_owned()));
}

#[test]
fn one_bad_record_refuses_the_whole_body() {
    let body = format!("{}\n{{\n{}\n", point("a", "[1,2]"), point("b", "[1,95]"));
    let answer = ask(&open_door(), &head("application/x-ndjson"), body.as_bytes());
    assert_eq!(told(&answer), (400, "parse.truncated".to_owned()));
    let document = document(&answer);
    assert_eq!(document["refused"], json!([1, 2]));
    assert_eq!(document["errors"][0]["record"], 1);
    assert_eq!(document["errors"][1]["record"], 2);
    assert_eq!(document["errors"][1]["code"], "crs.latitude_out_of_range");
}
