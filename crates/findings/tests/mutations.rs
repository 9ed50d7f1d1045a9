//! Whatever the bytes of a file are, each form of output is whole: JSON that parses, XML that is
//! well-formed, a line a violation.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows the functions of a test, and not what they stand on"
)]

use hexlane_findings::{Drawings, File, Format, Whole};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;
use std::path::Path;

const WHOLE: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","id":"é😀","properties":{"a":1},"geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}},
{"type":"Feature","properties":null,"geometry":{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1e1,-2.5]},{"type":"MultiPolygon","coordinates":[[[[0,0],[2,0],[2,2],[0,0]],[[5,5],[6,5],[6,6],[5,5]]],[[[0,0],[2,0],[2,2],[0,0]]]]}]}}]}"#;

/// What is put into the text: pieces that mean something to a reader, and bytes that do not.
const PIECES: [&[u8]; 16] = [
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b":",
    b"\"",
    b"\\",
    b"1e400",
    b"-",
    b"\n",
    b"\x1e",
    b"\xff",
    b"\x1b[2J",
    b"\"coordinates\":[[1,2],[3]],",
    b"[[[0,0],[0,0]]],",
];

fn told(format: Format, name: &str, body: &[u8]) -> String {
    let mut out = Vec::new();
    let mut whole = Whole::begin(format, &mut out).unwrap();
    let file = File::judge(Path::new(name), name, name, body, None);
    whole.add(format.tell(file).unwrap()).unwrap();
    whole.end().unwrap();
    String::from_utf8(out).unwrap()
}

/// The elements that were opened; fails where it is not well-formed.
fn opened(svg: &str) -> usize {
    let mut reader = Reader::from_str(svg);
    let mut opened = 0;
    loop {
        let event = reader.read_event().unwrap();
        if matches!(event, Event::Eof) {
            return opened;
        }
        opened += usize::from(matches!(event, Event::Start(_)));
    }
}

fn violations(lines: &str) -> usize {
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| line["violations"].as_array().unwrap().len())
        .sum()
}

proptest! {
    #[test]
    fn every_form_is_whole_whatever_is_in_a_file(
        edits in prop::collection::vec((0..WHOLE.len(), 0..PIECES.len(), 0..12_usize), 0..6),
        name in prop::sample::select(vec!["a.json", "a.ndjson", "a.geojsons"]),
    ) {
        let mut body = WHOLE.as_bytes().to_vec();
        for (at, piece, gone) in edits {
            let at = at.min(body.len());
            let end = (at + gone).min(body.len());
            body.splice(at..end, PIECES[piece].iter().copied());
        }
        let found = violations(&told(Format::Lines, name, &body));
        let text = told(Format::Text(Drawings::Plain), name, &body);
        prop_assert_eq!(text.lines().filter(|line| line.starts_with(name)).count(), found + 1);
        let commands = text.matches(char::is_control).any(|letter| letter != "\n");
        prop_assert!(!commands, "a control character");
        let points: Value = serde_json::from_str(&told(Format::Points, name, &body)).unwrap();
        prop_assert_eq!(points["features"].as_array().unwrap().len(), found);
        let log: Value = serde_json::from_str(&told(Format::Sarif, name, &body)).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        prop_assert_eq!(results.len(), found);
        for result in results {
            let region = &result["locations"][0]["physicalLocation"]["region"];
            let [start, length] = ["byteOffset", "byteLength"].map(|name| region[name].as_u64().unwrap_or(0));
            prop_assert!(start + length <= body.len() as u64, "{}", region);
        }
        prop_assert!(opened(&told(Format::Svg, name, &body)) > 0);
    }
}
