//! Requests that do or do not prove where they come from.

use super::row::{Row, point};
use hexlane_tests::http::Request;
use hexlane_tests::settings::secret;
use hexlane_tests::signature::{hub, sign, signed};
use hexlane_tests::wait::now_s;

const HOUR_S: i64 = 3_600;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = good_signatures();
    rows.extend(malformed_signatures());
    rows.extend(wrong_signatures());
    rows.extend(tokens());
    rows.extend(hubs());
    rows
}

fn request(id: &str) -> Request {
    Request::post("/v1/events/signed", point(id, "[1,2]"))
}

fn by(id: &str, name: &str) -> Request {
    signed(request(id), secret(name), id, now_s())
}

/// The signature with something made of it.
fn altered(id: &str, alter: impl Fn(&str) -> String) -> Request {
    let good = by(id, "SIGNED_SECRET");
    let signature = alter(good.header("webhook-signature").expect("it is signed"));
    good.with("webhook-signature", signature)
}

fn good_signatures() -> Vec<Row> {
    let wrong = sign(secret("HEXLANE_RELAY_SECRET"), "p", 1, b"");
    vec![
        Row::accepted_request("a signature", by("signed", "SIGNED_SECRET")),
        Row::accepted_request(
            "a signature by the older secret",
            by("older", "SIGNED_SECRET_OLD"),
        ),
        Row::accepted_request(
            "several signatures, one right",
            altered("two", |good| format!("{wrong} {good}")),
        ),
        Row::accepted_request(
            "a signature of a later scheme",
            altered("v1a", |good| format!("v1a,AAAA {good}")),
        ),
    ]
}

/// Signed so many seconds from now.
fn at(seconds: i64) -> Request {
    signed(
        request("p"),
        secret("SIGNED_SECRET"),
        "p",
        now_s() + seconds,
    )
}

fn hubs() -> Vec<Row> {
    let body = point("hub", "[1,2]");
    let signature = hub(secret("TOKEN_SECRET"), body.as_bytes());
    let to = |body: String| Request::post("/v1/events/hub", body);
    let signed = |body| to(body).with("x-hub-signature-256", signature.clone());
    let refused = |name, code, request| Row::refused_request(name, 401, code, request);
    vec![
        Row::accepted_request("a signature as GitHub makes it", signed(body.clone())),
        refused(
            "one of another body",
            "signature.wrong",
            signed(point("other", "[1,2]")),
        ),
        refused("none where one is due", "signature.missing", to(body)),
    ]
}

fn malformed_signatures() -> Vec<Row> {
    let refused = |name, code, request| Row::refused_request(name, 401, code, request);
    vec![
        refused("no signature", "signature.missing", request("p")),
        refused(
            "a signature without its time",
            "signature.missing",
            at(0).without("webhook-timestamp"),
        ),
        refused(
            "a signature without its id",
            "signature.missing",
            at(0).without("webhook-id"),
        ),
        refused(
            "an empty signature",
            "signature.malformed",
            altered("p", |_| String::new()),
        ),
        refused(
            "half a signature",
            "signature.malformed",
            altered("p", |good| good[..good.len() / 2 + 2].to_owned()),
        ),
        refused(
            "a scheme without a signature",
            "signature.malformed",
            altered("p", |_| "v1".to_owned()),
        ),
    ]
}

fn wrong_signatures() -> Vec<Row> {
    let refused = |name, code, request| Row::refused_request(name, 401, code, request);
    let wrong = by("p", "HEXLANE_RELAY_SECRET");
    let again = format!(
        "{0} {0}",
        wrong.header("webhook-signature").expect("it is signed")
    );
    let mut other_body = by("p", "SIGNED_SECRET");
    other_body.body = point("q", "[1,2]").into_bytes();
    vec![
        refused(
            "a signature one byte short",
            "signature.wrong",
            altered("p", short),
        ),
        refused("a wrong signature", "signature.wrong", wrong.clone()),
        refused(
            "several wrong signatures",
            "signature.wrong",
            wrong.with("webhook-signature", again),
        ),
        refused(
            "only signatures of a later scheme",
            "signature.wrong",
            altered("p", |good| good.replace("v1", "v2")),
        ),
        refused("a signature of another body", "signature.wrong", other_body),
        refused(
            "a signature for another id",
            "signature.wrong",
            at(0).with("webhook-id", "another"),
        ),
        refused("an old signature", "signature.too_old", at(-HOUR_S)),
        refused("an early signature", "signature.too_early", at(HOUR_S)),
        refused(
            "a time that is none",
            "signature.malformed",
            at(0).with("webhook-timestamp", "today"),
        ),
    ]
}

/// Well-formed base64 of 30 bytes and not 32.
fn short(good: &str) -> String {
    good.strip_prefix("v1,")
        .map(|encoded| format!("v1,{}", &encoded[..40]))
        .expect("v1")
}

fn tokens() -> Vec<Row> {
    let plain = |id: &str| Request::post("/v1/events/token", point(id, "[1,2]"));
    let with = |id: &str, text: &str| plain(id).with("authorization", text);
    let refused = |name, code, request| Row::refused_request(name, 401, code, request);
    vec![
        Row::accepted_request(
            "a token",
            with("token", &format!("Bearer {}", secret("TOKEN_SECRET"))),
        ),
        refused("no token", "signature.missing", plain("p")),
        refused(
            "a wrong token",
            "signature.wrong",
            with("p", "Bearer something-else-altogether"),
        ),
        refused(
            "half a token",
            "signature.wrong",
            with("p", "Bearer token-of-the-tests"),
        ),
        refused("an empty token", "signature.malformed", with("p", "Bearer")),
        refused(
            "another scheme",
            "signature.malformed",
            with("p", "Basic dXNlcjpwYXNz"),
        ),
    ]
}
