//! Requests that are refused for their head: path, method, media type, encoding, key.

use super::row::{EVENTS, Row, point};
use hexlane_tests::http::Request;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = targets();
    rows.extend(media());
    rows.extend(keys());
    rows
}

fn good() -> Request {
    Request::post(EVENTS, point("h", "[1,2]"))
}

fn targets() -> Vec<Row> {
    let to = |path: &str| Request {
        path: path.to_owned(),
        ..good()
    };
    let unknown = |name, path| Row::refused_request(name, 404, "source.unknown", to(path));
    let by =
        |name, method| Row::refused_request(name, 405, "method.not_allowed", good().method(method));
    vec![
        Row::refused_request("an unknown path", 404, "route.unknown", to("/v1/nothing")),
        Row::refused_request(
            "an unknown path by GET",
            404,
            "route.unknown",
            Request::get("/v2/events/demo"),
        ),
        unknown("an unknown source", "/v1/events/nobody"),
        unknown("no source", "/v1/events/"),
        unknown("a source and a slash", "/v1/events/demo/"),
        unknown("a source in other letters", "/v1/events/Demo"),
        unknown("a source in escapes", "/v1/events/%64emo"),
        Row::refused_request("GET", 405, "method.not_allowed", Request::get(EVENTS)),
        by("PUT", "PUT"),
        by("DELETE", "DELETE"),
    ]
}

fn media() -> Vec<Row> {
    let typed = |name, text: &str| {
        let request = good().with("content-type", text);
        Row::refused_request(name, 415, "media_type.unsupported", request)
    };
    let encoded = |name, text: &str| {
        let request = good().with("content-encoding", text);
        Row::refused_request(name, 415, "encoding.unsupported", request)
    };
    let accepted = |name, id, text: &str| {
        let request = Request::post(EVENTS, point(id, "[1,2]")).with("content-type", text);
        Row::accepted_request(name, request)
    };
    vec![
        typed("text", "text/plain"),
        typed("an empty media type", ""),
        typed("a form", "application/x-www-form-urlencoded"),
        typed("another charset", "application/json; charset=iso-8859-1"),
        Row::refused_request(
            "no media type",
            415,
            "media_type.unsupported",
            good().without("content-type"),
        ),
        encoded("two encodings", "gzip, br"),
        encoded("an unknown encoding", "rot13"),
        accepted("plain JSON", "json", "application/json"),
        accepted(
            "JSON in UTF-8",
            "utf8",
            "application/json; charset=\"UTF-8\"",
        ),
        accepted(
            "a media type in capitals",
            "capitals",
            "Application/Geo+JSON",
        ),
    ]
}

fn keys() -> Vec<Row> {
    let keyed = |name, key: &str| {
        let request = good().with("idempotency-key", key);
        Row::refused_request(name, 400, "idempotency.key_malformed", request)
    };
    let accepted = |name, id, key: &str| {
        let request = Request::post(EVENTS, point(id, "[1,2]")).with("idempotency-key", key);
        Row::accepted_request(name, request)
    };
    vec![
        keyed("an empty key", ""),
        keyed("an empty key in quotes", "\"\""),
        keyed("a key of 256 characters", &"k".repeat(256)),
        keyed("a key with a tab", "a\tb"),
        keyed("a key beyond ASCII", "schl\u{fc}ssel"),
        accepted("a key of 255 characters", "k255", &"k".repeat(255)),
        accepted("a key in quotes", "quoted", "\"key in quotes\""),
    ]
}
