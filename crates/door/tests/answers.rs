//! The table of answers, row by row: what the door says to a head, a body and a queue.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops where it is surprised"
)]
#![allow(clippy::too_many_lines, reason = "a table is read from top to bottom")]

use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::envelope::Payload;
use hexlane_core::signature::{Secret, sign_webhook};
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_door::{
    Answer, Budget, Decision, Door, DoorSettings, Enqueue, Enqueued, Head, Unavailable, bridge,
    relay,
};
use serde_json::Value;

const NOW_US: i64 = 1_796_040_000_000_000;
const NOW_S: i64 = NOW_US / 1_000_000;
const WHSEC: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const POINT: &str =
    r#"{"type":"Feature","id":1,"properties":{},"geometry":{"type":"Point","coordinates":[1,2]}}"#;

fn door() -> Door {
    let mut settings = DoorSettings::default();
    settings.limits.body_bytes_max = 4_096;
    settings
        .sources
        .insert("open".to_owned(), SourceSettings::new(AuthSettings::None));
    let secrets = vec!["HOOK".to_owned()];
    let signed = AuthSettings::StandardWebhooks {
        secrets: secrets.clone(),
        public_keys: Vec::new(),
        tolerance_s: 300,
    };
    settings
        .sources
        .insert("signed".to_owned(), SourceSettings::new(signed));
    let bearer = AuthSettings::Bearer { secrets };
    settings
        .sources
        .insert("bearer".to_owned(), SourceSettings::new(bearer));
    settings
        .resolve(|name| (name == "HOOK").then(|| WHSEC.to_owned()))
        .unwrap()
}

fn head(path: &str) -> Head {
    Head::new("POST", path).with("Content-Type", "application/geo+json")
}

fn send(head: &Head, body: &[u8]) -> Result<Enqueue, Answer> {
    let door = door();
    let opened = door.open(head)?;
    let mut meter = opened.meter(&Budget::new(1 << 20))?;
    meter.push(body)?;
    match opened.judge(meter.finish()?, NOW_US) {
        Decision::Answer(answer) => Err(answer),
        Decision::Enqueue(enqueue) => Ok(enqueue),
    }
}

fn refused(head: &Head, body: &[u8]) -> (u16, String) {
    let answer = send(head, body).unwrap_err();
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(document["status"], answer.status);
    (answer.status, document["code"].as_str().unwrap().to_owned())
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "each row is made for the call"
)]
fn is(told: (u16, String), status: u16, code: &str) {
    assert_eq!((told.0, told.1.as_str()), (status, code));
}

#[test]
fn a_head_alone_can_be_enough_to_refuse() {
    let body = POINT.as_bytes();
    is(
        refused(&head("/v2/events/open"), body),
        404,
        "route.unknown",
    );
    is(
        refused(&head("/v1/events/other"), body),
        404,
        "source.unknown",
    );
    is(
        refused(&Head::new("GET", "/v1/events/open"), body),
        405,
        "method.not_allowed",
    );
    is(
        refused(&Head::new("POST", "/v1/events/open"), body),
        415,
        "media_type.unsupported",
    );
    let path = "/v1/events/open";
    let typed = |name: &str| Head::new("POST", path).with("content-type", name);
    is(
        refused(&typed("text/csv"), body),
        415,
        "media_type.unsupported",
    );
    is(
        refused(&typed("application/json; charset=latin1"), body),
        415,
        "media_type.unsupported",
    );
    assert!(send(&typed("application/json; charset=UTF-8"), body).is_ok());
    is(
        refused(&head(path).with("content-encoding", "br"), body),
        415,
        "encoding.unsupported",
    );
    is(
        refused(&head(path).with("content-length", "-1"), body),
        400,
        "length.malformed",
    );
    is(
        refused(&head(path).with("content-length", "5000"), body),
        413,
        "limit.bytes",
    );
    is(
        refused(&head(path).with("idempotency-key", ""), body),
        400,
        "idempotency.key_malformed",
    );
    is(refused(&head(path), &[b' '; 5_000]), 413, "limit.bytes");
}

#[test]
fn a_whole_body_is_held_to_its_declared_length_and_the_cap() {
    let door = door();
    let head = head("/v1/events/open").with("content-length", "3");
    let opened = door.open(&head).unwrap();
    assert!(opened.check(b"abc").is_ok());
    assert_eq!(opened.check(b"ab").unwrap_err().status, 400);
    assert_eq!(opened.check(&[b' '; 5_000]).unwrap_err().status, 413);
}

#[test]
fn a_wrong_method_names_the_right_one() {
    let answer = send(&Head::new("PUT", "/v1/events/open"), b"").unwrap_err();
    assert_eq!(answer.header("allow"), Some("POST"));
}

#[test]
fn the_case_of_a_method_counts() {
    let answer = send(&Head::new("post", "/v1/events/open"), b"").unwrap_err();
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
}

#[test]
fn the_status_is_that_of_the_gravest_error() {
    let path = head("/v1/events/open");
    is(refused(&path, b"{"), 400, "parse.syntax");
    is(refused(&path, b"\xff"), 400, "parse.utf8");
    is(
        refused(&path, "[".repeat(500).as_bytes()),
        413,
        "limit.depth",
    );
    is(
        refused(&path, br#"{"type":"Point","coordinates":[1,95]}"#),
        422,
        "crs.latitude_out_of_range",
    );
}

#[test]
fn a_refusal_holds_every_violation_with_its_place() {
    let body = br#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
    let answer = send(&head("/v1/events/open"), body).unwrap_err();
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    let error = &document["errors"][0];
    assert_eq!(error["code"], "geometry.self_intersection");
    assert_eq!(error["pointer"], "/coordinates/0/0");
    assert_eq!(error["location"], serde_json::json!([1.0, 1.0]));
    assert_eq!(error["clause"], "OGC 06-103r4 section 6.1.11.1");
    assert_eq!(document["totals"]["geometry.self_intersection"], 1);
}

#[test]
fn code_type_and_detail_of_a_refusal_are_of_one_violation() {
    let body = br#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[2,0],[0,0]]]}"#;
    let answer = send(&head("/v1/events/open"), body).unwrap_err();
    let document: Value = serde_json::from_slice(&answer.body).unwrap();
    let (first, code) = (&document["errors"][0], &document["code"]);
    assert_eq!(
        (&first["code"], code.as_str()),
        (code, Some("geometry.collapsed"))
    );
    assert_eq!(document["type"], "urn:hexlane:problem:geometry.collapsed");
    let told = [&first["pointer"], &first["message"]].map(|text| text.as_str().unwrap());
    let detail = document["detail"].as_str().unwrap();
    assert!(detail.starts_with(&told.join(": ")), "{detail}");
}

#[test]
fn nothing_is_accepted_before_the_queue_has_it() {
    let enqueue = || send(&head("/v1/events/open"), POINT.as_bytes()).unwrap();
    let accepted = enqueue().settle(Ok(&[Enqueued::New]));
    let document: Value = serde_json::from_slice(&accepted.body).unwrap();
    assert_eq!(
        (accepted.status, &document["results"][0]["status"]),
        (202, &"accepted".into())
    );
    let again = enqueue().settle(Ok(&[Enqueued::Duplicate]));
    let document: Value = serde_json::from_slice(&again.body).unwrap();
    assert_eq!((again.status, &document["duplicates"]), (202, &1.into()));
    assert_eq!(enqueue().settle(Ok(&[Enqueued::Conflict])).status, 422);
    assert_eq!(enqueue().settle(Ok(&[])).status, 503);
    let unclear = enqueue().settle(Err(Unavailable::Unclear { retry_after_s: 7 }));
    assert_eq!(
        (unclear.status, unclear.header("retry-after")),
        (503, Some("7"))
    );
    let full = enqueue().settle(Err(Unavailable::Backlog { retry_after_s: 9 }));
    assert_eq!((full.status, full.header("retry-after")), (429, Some("9")));
}

#[test]
fn a_signed_source_takes_only_what_is_signed() {
    let secret = Secret::from_whsec(WHSEC).unwrap();
    let signature = sign_webhook(&secret, "msg_1", NOW_S, POINT.as_bytes());
    let with = |signature: &str| {
        head("/v1/events/signed")
            .with("webhook-id", "msg_1")
            .with("webhook-timestamp", &NOW_S.to_string())
            .with("webhook-signature", signature)
    };
    assert!(send(&with(&signature), POINT.as_bytes()).is_ok());
    is(refused(&with(&signature), b"{}"), 401, "signature.wrong");
    is(
        refused(&head("/v1/events/signed"), POINT.as_bytes()),
        401,
        "signature.missing",
    );
    is(
        refused(&head("/v1/events/bearer"), POINT.as_bytes()),
        401,
        "signature.missing",
    );
    let token = head("/v1/events/bearer").with("authorization", &format!("Bearer {WHSEC}"));
    assert!(send(&token, POINT.as_bytes()).is_ok());
}

#[test]
fn a_relayed_batch_comes_out_as_it_went_in() {
    let secret = Secret::from_whsec(WHSEC).unwrap();
    let enqueue = send(&head("/v1/events/open"), POINT.as_bytes()).unwrap();
    let parcel = relay::pack(enqueue.envelopes(), Some(&secret), NOW_US);
    let head = |parcel: &relay::Parcel| {
        parcel
            .headers
            .iter()
            .fold(Head::new("POST", relay::PATH), |head, (name, value)| {
                head.with(name, value)
            })
    };
    let secrets = [secret];
    let out = relay::unpack(&head(&parcel), &parcel.body, &secrets, NOW_US).unwrap();
    let asked = |envelope: &Envelope| relay::Piece::Asked(Box::new(envelope.clone()));
    assert_eq!(out, enqueue.envelopes().map(asked).collect::<Vec<_>>());
    let mut cut = parcel.clone();
    cut.body.pop();
    assert_eq!(
        relay::unpack(&head(&cut), &cut.body, &secrets, NOW_US)
            .unwrap_err()
            .status,
        401
    );
    assert_eq!(
        relay::unpack(&head(&cut), &cut.body, &[], NOW_US)
            .unwrap_err()
            .status,
        400
    );
}

#[test]
fn only_a_whole_answer_of_the_relay_confirms() {
    let said = [Enqueued::New, Enqueued::Duplicate, Enqueued::Conflict];
    let answer = relay::answer(Ok(&said));
    assert_eq!(
        relay::read_answer(answer.status, None, &answer.body),
        Ok(said.to_vec())
    );
    let unclear = Err(Unavailable::Unclear { retry_after_s: 1 });
    assert_eq!(relay::read_answer(200, None, b"<html>"), unclear);
    assert_eq!(relay::read_answer(204, None, b""), unclear);
    assert_eq!(relay::read_answer(302, None, &answer.body), unclear);
    let full = Err(Unavailable::Backlog { retry_after_s: 900 });
    assert_eq!(relay::read_answer(429, Some("86400"), b""), full);
}

#[test]
fn what_was_promised_is_taken_whatever_it_is() {
    let parcel = relay::pack_promised(&[b"no envelope", b""], None, NOW_US);
    let out = relay::unpack(&Head::new("POST", relay::PATH), &parcel.body, &[], NOW_US);
    let expected = [&b"no envelope"[..], b""].map(relay::Piece::Promised);
    assert_eq!(out.unwrap(), expected);
}

const TWO: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","id":1,"properties":{},"geometry":{"type":"Point","coordinates":[1,2]}},
{"type":"Feature","id":2,"properties":{"note":"NOTE"},"geometry":{"type":"Point","coordinates":[1,2]}}]}"#;

#[test]
fn a_large_payload_is_taken_out_and_comes_back_as_it_was() {
    let body = TWO.replace("NOTE", &"n".repeat(1_000));
    let mut enqueue = send(&head("/v1/events/open"), body.as_bytes()).unwrap();
    let whole: Vec<Envelope> = enqueue.envelopes().cloned().collect();
    let large = enqueue
        .take_large(1_000, || "incoming/1".to_owned())
        .unwrap();
    assert_eq!(large.len(), 1);
    assert_eq!(large[0].key, "incoming/1");
    let travelling: Vec<Envelope> = enqueue.envelopes().cloned().collect();
    assert_eq!(travelling[0], whole[0]);
    let pointer = Payload::Pointer {
        uri: "incoming/1".to_owned(),
        size_bytes: large[0].bytes.len() as u64,
    };
    assert_eq!(travelling[1].payload, pointer);
    assert_eq!(travelling[1].payload_sha256, sha256(&large[0].bytes));

    let message = travelling[1].encode();
    assert!(message.len() <= 1_000);
    let pointed = bridge::Pointed::of(&message).unwrap();
    assert!(pointed.is_payload(&large[0].bytes));
    assert!(!pointed.is_payload(&large[0].bytes[1..]));
    let mut damaged = large[0].bytes.clone();
    damaged[9] ^= 1;
    assert!(!pointed.is_payload(&damaged));
    assert_eq!(pointed.resolved(large[0].bytes.clone()), whole[1].encode());
    assert!(bridge::Pointed::of(&travelling[0].encode()).is_none());
    assert!(bridge::Pointed::of(b"no envelope").is_none());
}

#[test]
fn a_payload_that_passes_by_makes_the_batch_that_would_hold_it() {
    let secret = Secret::from_whsec("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let mut enqueue = send(&head("/v1/events/open"), POINT.as_bytes()).unwrap();
    let whole = enqueue.envelopes().next().unwrap().clone();
    let most = whole.encoded_len() as u64 - 1;
    let large = enqueue
        .take_large(most, || "incoming/1".to_owned())
        .unwrap();
    let message = enqueue.envelopes().next().unwrap().encode();
    let pointed = bridge::Pointed::of(&message).unwrap();
    assert!(!pointed.is_streamed());
    let mut passing = pointed.passing(Some(&secret), NOW_US).unwrap();
    for chunk in large[0].bytes.chunks(7) {
        passing.pass(chunk);
    }
    let passed = passing.finish().unwrap();
    assert!(pointed.is_passed(&passed));
    let body = [passed.lead, large[0].bytes.clone()].concat();
    assert_eq!(passed.body_bytes, body.len() as u64);
    let signed = passed.headers.into_iter();
    let head = signed.fold(Head::new("POST", relay::PATH), |head, (name, value)| {
        head.with(name, &value)
    });
    let out = relay::unpack(&head, &body, std::slice::from_ref(&secret), NOW_US).unwrap();
    assert_eq!(out, [relay::Piece::Promised(&whole.encode())]);

    // What was signed is what passed by: other bytes are not believed.
    let mut other = body;
    *other.last_mut().unwrap() ^= 1;
    let refused = relay::unpack(&head, &other, &[secret], NOW_US);
    assert_eq!(refused.unwrap_err().status, 401);
    // A damaged payload goes on as it is, and is known to be damaged; a cut one goes nowhere.
    let mut damaged = pointed.passing(None, NOW_US).unwrap();
    damaged.pass(&vec![b'x'; large[0].bytes.len()]);
    assert!(!pointed.is_passed(&damaged.clone().finish().unwrap()));
    damaged.pass(b" ");
    assert!(damaged.finish().is_none());
}

#[test]
fn an_event_that_is_too_large_without_its_payload_is_refused() {
    let mut enqueue = send(&head("/v1/events/open"), POINT.as_bytes()).unwrap();
    let refused = enqueue.take_large(100, || "incoming/1".to_owned());
    let answer = refused.unwrap_err();
    let told = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(
        answer.status == 413 && told.contains("limit.envelope_bytes"),
        "{told}"
    );
}
