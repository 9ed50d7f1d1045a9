//! Bodies that are more than one plain document: sequences, gzip.

use super::row::{EVENTS, Row, offset, point};
use flate2::Compression;
use flate2::write::GzEncoder;
use hexlane_tests::http::Request;
use hexlane_tests::settings::BODY_BYTES_MAX;
use std::io::Write as _;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = sequences();
    rows.extend(coded());
    rows.extend(events());
    rows
}

fn typed(media: &str, body: impl Into<Vec<u8>>) -> Request {
    Request::post(EVENTS, body).with("content-type", media)
}

fn sequences() -> Vec<Row> {
    let lines = |body: String| typed("application/x-ndjson", body);
    let bad_middle = format!(
        "{}\n{{\"type\":nope}}\n{}\n",
        point("first", "[1,2]"),
        point("last", "[100,95]")
    );
    let cut = format!(
        "{}\n{}",
        point("whole", "[1,2]"),
        &point("cut", "[1,2]")[..30]
    );
    let at_end = cut.len() as u64;
    vec![
        Row::accepted_request(
            "lines",
            lines(format!(
                "{}\n{}\n",
                point("line-1", "[1,2]"),
                point("line-2", "[3,4]")
            )),
        )
        .results(&["accepted", "accepted"]),
        Row::accepted_request(
            "an RFC 8142 sequence",
            typed(
                "application/geo+json-seq",
                format!(
                    "\u{1e}{}\n\u{1e}{}\n",
                    point("rs-1", "[1,2]"),
                    point("rs-2", "[3,4]")
                ),
            ),
        )
        .results(&["accepted", "accepted"]),
        Row::refused_request(
            "a bad middle",
            400,
            "parse.syntax",
            lines(bad_middle.clone()),
        )
        .at("", offset(&bad_middle, "nope"))
        .among("crs.latitude_out_of_range"),
        Row::refused_request("a cut last record", 400, "parse.truncated", lines(cut))
            .at("", at_end),
        Row::refused_request(
            "a sequence without separators",
            400,
            "parse.separator",
            typed("application/geo+json-seq", point("rs-0", "[1,2]")),
        )
        .at("", 0),
        Row::refused_request("no line", 400, "parse.empty", lines("\n\n".to_owned())),
    ]
}

fn events() -> Vec<Row> {
    let event = |id: &str, kind: &str, place: &str| {
        let data = point(id, place);
        format!(
            r#"{{"specversion":"1.0","id":"{id}","source":"/tests","type":"{kind}","data":{data}}}"#
        )
    };
    let to = |media: &str, body: String| Request {
        path: "/v1/events/typed".to_owned(),
        ..typed(media, body)
    };
    let structured = |body: String| to("application/cloudevents+json", body);
    let batch = |body: String| to("application/cloudevents-batch+json", body);
    let binary = |id: &str, kind: &str| {
        to("application/geo+json", point(id, "[1,2]"))
            .with("ce-specversion", "1.0")
            .with("ce-id", id)
            .with("ce-source", "/tests")
            .with("ce-type", kind)
    };
    let other = event("ce-o", "painted", "[1,2]");
    let other_at = offset(&other, "\"painted\"");
    let far = format!("[{}]", event("ce-f", "moved", "[100,95]"));
    let far_at = offset(&far, "[100,95]");
    let refused = |name, code, request| Row::refused_request(name, 422, code, request);
    vec![
        Row::accepted_request("a binary event", binary("ce-1", "moved")),
        Row::accepted_request(
            "a structured event",
            structured(event("ce-2", "moved", "[1,2]")),
        ),
        Row::accepted_request(
            "a delete by its type",
            structured(event("ce-2d", "gone", "[1,2]")),
        ),
        Row::accepted_request(
            "a batch of events",
            batch(format!(
                "[{},{}]",
                event("ce-3", "moved", "[1,2]"),
                event("ce-4", "moved", "[1,2]")
            )),
        )
        .results(&["accepted", "accepted"]),
        refused(
            "an event of another type",
            "cloud_event.type",
            structured(other),
        )
        .at("/type", other_at),
        refused(
            "a binary event of another type",
            "cloud_event.type",
            binary("ce-5", "painted"),
        ),
        refused(
            "an event of another version",
            "cloud_event.specversion",
            binary("ce-6", "moved").with("ce-specversion", "0.3"),
        ),
        refused(
            "a bad event in a batch",
            "crs.latitude_out_of_range",
            batch(far),
        )
        .at("/0/data/geometry/coordinates", far_at),
    ]
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).expect("memory");
    encoder.finish().expect("memory")
}

fn coded() -> Vec<Row> {
    let coded = |body: Vec<u8>| Request::post(EVENTS, body).with("content-encoding", "gzip");
    let whole = gzip(point("gzip", "[1,2]").as_bytes());
    let refused =
        |name, status, code, body: Vec<u8>| Row::refused_request(name, status, code, coded(body));
    let mut damaged = whole.clone();
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    // The last four bytes are the length of what was compressed.
    let mut of_another_length = whole.clone();
    let length = of_another_length.len() - 4;
    of_another_length[length] ^= 1;
    let members = [
        gzip(b"{\"type\":\"Point\","),
        gzip(b"\"coordinates\":[11,12]}"),
    ];
    vec![
        Row::accepted_request("gzip", coded(whole.clone())),
        Row::accepted_request("gzip in members", coded(members.concat())),
        refused(
            "a gzip bomb",
            413,
            "limit.bytes",
            gzip(&vec![b' '; 4 * BODY_BYTES_MAX]),
        ),
        refused(
            "gzip that is none",
            400,
            "encoding.broken",
            point("g", "[1,2]").into(),
        ),
        refused("damaged gzip", 400, "encoding.broken", damaged),
        refused(
            "gzip of another length",
            400,
            "encoding.broken",
            of_another_length,
        ),
        refused(
            "cut gzip",
            400,
            "encoding.truncated",
            whole[..whole.len() - 9].to_vec(),
        ),
        refused(
            "gzip and more",
            400,
            "encoding.trailing_bytes",
            [&whole[..], b"{}"].concat(),
        ),
    ]
}
