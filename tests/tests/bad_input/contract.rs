//! Good GeoJSON that breaks the source's contract, and documents of several features.

use super::row::{EVENTS, Row, feature, offset, point};
use hexlane_tests::http::Request;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = documents();
    rows.extend(collections());
    rows.extend(contracts());
    rows.extend(required());
    rows
}

fn documents() -> Vec<Row> {
    let bad_id = point("x", "[1,2]").replace("\"x\"", "[1]");
    vec![
        Row::refused("an array", 422, "schema.not_object", "[1,2]").at("", 0),
        Row::refused("a string", 422, "schema.not_object", "\"Feature\"").at("", 0),
        Row::refused("no type", 422, "schema.type_missing", "{}").at("", 0),
        Row::refused(
            "an unknown type",
            422,
            "schema.type_unknown",
            r#"{"type":"Circle"}"#,
        )
        .at("/type", 8),
        Row::refused(
            "a type in other letters",
            422,
            "schema.type_unknown",
            r#"{"type":"feature"}"#,
        )
        .at("/type", 8),
        Row::refused(
            "an id that is an array",
            422,
            "schema.id_type",
            bad_id.as_str(),
        )
        .at("/id", offset(&bad_id, "[1]")),
        Row::accepted("a bare geometry", r#"{"type":"Point","coordinates":[7,8]}"#),
        Row::accepted(
            "a collection of geometries",
            feature(
                "mixed",
                r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}"#,
            ),
        ),
    ]
}

fn collection(features: &[String]) -> String {
    format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    )
}

fn collections() -> Vec<Row> {
    let same = point("same", "[1,2]");
    let one_bad = collection(&[point("a", "[1,2]"), point("b", "[1,95]")]);
    let with_key = |first: &str, second: &str| {
        let event = |place: &str| point("k", place).replace("{}", r#"{"event_id":"one"}"#);
        collection(&[event(first), event(second)])
    };
    vec![
        Row::refused(
            "one bad feature of two",
            422,
            "crs.latitude_out_of_range",
            one_bad.as_str(),
        )
        .at(
            "/features/1/geometry/coordinates",
            offset(&one_bad, "[1,95]"),
        ),
        Row::accepted("one feature twice", collection(&[same.clone(), same]))
            .results(&["accepted", "duplicate"]),
        Row::accepted(
            "two features",
            collection(&[point("one", "[1,2]"), point("other", "[1,2]")]),
        )
        .results(&["accepted", "accepted"]),
        Row::accepted("no features", collection(&[])).results(&[]),
        Row::refused(
            "one key, two features",
            422,
            "idempotency.key_reused",
            with_key("[1,2]", "[1,3]"),
        ),
        Row::refused(
            "something else among the features",
            422,
            "schema.feature_expected",
            r#"{"type":"FeatureCollection","features":[{"type":"Point","coordinates":[1,2]}]}"#,
        ),
    ]
}

fn required() -> Vec<Row> {
    let contracted = |properties: &str| {
        let body = point("s", "[1,2]").replace("{}", properties);
        Request::post("/v1/events/contracted", body)
    };
    let typed = contracted(r#"{"speed":"12","seen":"2026-11-30T12:00:00Z"}"#);
    let at = offset(&String::from_utf8_lossy(&typed.body), "\"12\"");
    let refused = |name, code, request| Row::refused_request(name, 422, code, request);
    let leniently = |id: &str, far: &str| {
        let body = collection(&[point(id, "[1,2]"), point("far", far)]);
        Request::post(EVENTS, body).with("prefer", "handling=lenient")
    };
    let none_good = collection(&[point("far", "[100,95]")]);
    vec![
        refused(
            "a required member in another type",
            "contract.member_type",
            typed,
        )
        .at("/properties/speed", at),
        refused(
            "a required member that is missing",
            "contract.member_missing",
            contracted(r#"{"seen":"2026-11-30T12:00:00Z"}"#),
        ),
        Row::accepted_request(
            "every required member",
            contracted(r#"{"speed":12,"seen":"2026-11-30T12:00:00Z"}"#),
        ),
        refused(
            "leniently, none good",
            "crs.latitude_out_of_range",
            Request::post(EVENTS, none_good).with("prefer", "handling=lenient"),
        ),
        Row::accepted_request("leniently, one bad of two", leniently("near", "[100,95]"))
            .results(&["accepted", "refused"]),
    ]
}

fn contracts() -> Vec<Row> {
    let sequenced = |properties: &str| {
        let body = point("s", "[1,2]").replace("{}", properties);
        Request::post("/v1/events/sequenced", body)
    };
    let refused =
        |name, code, properties: &str| Row::refused_request(name, 422, code, sequenced(properties));
    let op = point("o", "[1,2]").replace("{}", r#"{"op":"move"}"#);
    let long = point(&"x".repeat(513), "[1,2]");
    vec![
        refused(
            "no version where one is due",
            "schema.version_missing",
            "{}",
        ),
        refused(
            "a version in another form",
            "schema.version_invalid",
            r#"{"seq":"tomorrow"}"#,
        ),
        Row::accepted_request("a version", sequenced(r#"{"seq":7}"#)),
        Row::refused("an unknown op", 422, "schema.op_unknown", op.as_str())
            .at("/properties/op", offset(&op, "\"move\"")),
        Row::refused("an id of 513 bytes", 422, "schema.text_too_long", long),
        Row::refused(
            "an event id that is an object",
            422,
            "schema.event_id_type",
            point("e", "[1,2]").replace("{}", r#"{"event_id":{}}"#),
        ),
        Row::accepted_request(
            "a good event in a request with a query",
            Request::post(&format!("{EVENTS}?from=here"), point("query", "[1,2]")),
        ),
    ]
}
