//! What is refused, and taken all the same: `handling=lenient`, and sources that quarantine.

use crate::support::{NOW_US, ask, document, door, head, open_door, point, send, statuses, told};
use hexlane_core::envelope::{Envelope, Kind};
use hexlane_core::source::{AuthSettings, OnRefusal, SourceSettings};
use hexlane_door::{Door, Enqueued, Head};
use serde_json::json;

fn lenient(content_type: &str) -> Head {
    head(content_type).with("prefer", "handling=lenient")
}

fn collection(features: &[String]) -> String {
    let features = features.join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#)
}

fn mixed() -> String {
    let features = [("a", "[1,2]"), ("b", "[100,95]"), ("c", "[3,4]")];
    collection(&features.map(|(id, place)| point(id, place)))
}

#[test]
fn the_good_are_accepted_and_the_rest_is_told_by_index() {
    let answer = ask(
        &open_door(),
        &lenient("application/geo+json"),
        mixed().as_bytes(),
    );
    assert_eq!(answer.status, 202);
    assert_eq!(statuses(&answer), ["accepted", "refused", "accepted"]);
    assert_eq!(
        answer.header("preference-applied"),
        Some("handling=lenient")
    );
    let document = document(&answer);
    assert_eq!(document["accepted"], 2);
    assert_eq!(document["refused"], json!([1]));
    assert_eq!(document["totals"], json!({"crs.latitude_out_of_range": 1}));
    assert_eq!(document["errors"][0]["feature"], 1);
    let enqueue = send(
        &open_door(),
        &lenient("application/geo+json"),
        mixed().as_bytes(),
    );
    assert_eq!(enqueue.unwrap().envelopes().count(), 2);
}

#[test]
fn without_the_preference_one_bad_feature_refuses_all() {
    for head in [
        head("application/geo+json"),
        head("application/geo+json").with("prefer", "handling=strict"),
    ] {
        let answer = ask(&open_door(), &head, mixed().as_bytes());
        assert_eq!(told(&answer), (422, "crs.latitude_out_of_range".to_owned()));
        assert_eq!(answer.header("preference-applied"), None);
    }
}

#[test]
fn a_broken_record_is_one_of_the_rest() {
    let body = format!("{}\n{{\n{}", point("a", "[1,2]"), point("c", "[3,4]"));
    let answer = ask(
        &open_door(),
        &lenient("application/x-ndjson"),
        body.as_bytes(),
    );
    assert_eq!(answer.status, 202);
    assert_eq!(statuses(&answer), ["accepted", "refused", "accepted"]);
    assert_eq!(document(&answer)["errors"][0]["code"], "parse.truncated");
}

#[test]
fn none_good_is_422_and_a_request_at_fault_as_a_whole_is_what_it_is() {
    let none = collection(&[point("b", "[100,95]")]);
    let answer = ask(
        &open_door(),
        &lenient("application/geo+json"),
        none.as_bytes(),
    );
    assert_eq!(told(&answer), (422, "crs.latitude_out_of_range".to_owned()));
    assert_eq!(
        answer.header("preference-applied"),
        Some("handling=lenient")
    );
    let broken = ask(&open_door(), &lenient("application/x-ndjson"), b"{\n[1");
    assert_eq!(told(&broken).0, 422);
    let whole = ask(&open_door(), &lenient("application/geo+json"), b"{");
    assert_eq!(told(&whole), (400, "parse.syntax".to_owned()));
    // The fault of a collection is the fault of all that it holds.
    let foreign = mixed().replacen('{', r#"{"crs":null,"#, 1);
    let answer = ask(
        &open_door(),
        &lenient("application/geo+json"),
        foreign.as_bytes(),
    );
    assert_eq!(answer.status, 422);
}

#[test]
fn a_key_that_the_queue_knows_with_another_payload_is_one_of_the_rest() {
    let settled = |said: &[Enqueued]| {
        let head = lenient("application/geo+json").with("idempotency-key", "k");
        let enqueue = send(&open_door(), &head, mixed().as_bytes()).unwrap();
        enqueue.settle(Ok(said))
    };
    let answer = settled(&[Enqueued::Conflict, Enqueued::New]);
    assert_eq!(answer.status, 202);
    assert_eq!(statuses(&answer), ["refused", "refused", "accepted"]);
    assert_eq!(document(&answer)["refused"], json!([0, 1]));
    assert_eq!(
        document(&answer)["errors"][1]["code"],
        "idempotency.key_reused"
    );
    let none = settled(&[Enqueued::Conflict, Enqueued::Conflict]);
    assert_eq!(told(&none), (422, "idempotency.key_reused".to_owned()));
}

fn keeping(change: impl FnOnce(&mut SourceSettings)) -> Door {
    let auth = AuthSettings::Bearer {
        secrets: vec!["HOOK".to_owned()],
    };
    door(auth, |settings| {
        settings.on_refusal = OnRefusal::Quarantine;
        change(settings);
    })
}

fn proven(head: Head) -> Head {
    head.with(
        "authorization",
        &format!("Bearer {}", crate::support::WHSEC),
    )
}

/// The one envelope that is put on the queue.
fn kept(door: &Door, head: &Head, body: &[u8]) -> Envelope {
    let enqueue = send(door, head, body).unwrap();
    let envelopes: Vec<_> = enqueue.envelopes().cloned().collect();
    let [envelope] = &envelopes[..] else {
        panic!("{envelopes:?}")
    };
    envelope.clone()
}

#[test]
fn a_source_that_quarantines_takes_a_bad_body_whole_and_once() {
    let (door, head) = (keeping(|_| {}), proven(head("application/geo+json")));
    let envelope = kept(&door, &head, mixed().as_bytes());
    assert_eq!(envelope.kind, Kind::Quarantined);
    assert_eq!(envelope.inline_payload(), Some(mixed().as_bytes()));
    assert!(
        envelope
            .report
            .as_deref()
            .unwrap()
            .starts_with(r#"[{"code":"crs.latitude_out_of_range""#)
    );
    assert_eq!(
        envelope.key.value,
        format!(
            "sha256:{}",
            hexlane_core::digest::hex(&envelope.payload_sha256)
        )
    );
    assert_eq!(envelope.shard, door.shard_map().shard(&envelope.lane_key));
    assert_eq!(envelope.lane_key.as_str(), envelope.key.value);
    assert_eq!(envelope.accepted_at_us, NOW_US);
    assert_eq!(Envelope::decode(&envelope.encode()), Ok(envelope.clone()));
    assert_eq!(kept(&door, &head, mixed().as_bytes()), envelope);
    let answer = ask(&door, &head, mixed().as_bytes());
    assert_eq!(answer.status, 202);
    let document = document(&answer);
    assert_eq!(
        (&document["accepted"], &document["results"][0]["status"]),
        (&json!(0), &json!("quarantined"))
    );
    assert_eq!(document["quarantined"]["event_id"], envelope.event_id);
    assert_eq!(document["errors"][0]["code"], "crs.latitude_out_of_range");
}

#[test]
fn what_is_not_json_is_quarantined_under_the_key_of_the_request() {
    let head = proven(head("application/geo+json")).with("idempotency-key", "k");
    let envelope = kept(&keeping(|_| {}), &head, b"\xff{");
    assert_eq!(envelope.key.value, "k#quarantined");
    assert_eq!(envelope.inline_payload(), Some(&b"\xff{"[..]));
}

#[test]
fn what_is_good_is_not_quarantined() {
    let envelope = kept(
        &keeping(|_| {}),
        &proven(head("application/json")),
        point("a", "[1,2]").as_bytes(),
    );
    assert_eq!((envelope.kind, envelope.report), (Kind::Accepted, None));
}

#[test]
fn over_its_budget_a_bad_body_is_refused() {
    let head = proven(head("application/geo+json"));
    let bytes = kept(&keeping(|_| {}), &head, mixed().as_bytes())
        .encode()
        .len();
    let budget = |bytes: usize| {
        let door =
            keeping(|settings| settings.quarantine_bytes_max = u32::try_from(bytes).unwrap());
        ask(&door, &head, mixed().as_bytes()).status
    };
    assert_eq!(
        (budget(bytes), budget(bytes - 1), budget(0)),
        (202, 422, 422)
    );
}

#[test]
fn nothing_is_kept_of_who_does_not_prove_where_it_comes_from() {
    let answer = ask(&keeping(|_| {}), &head("application/json"), b"{");
    assert_eq!(told(&answer).0, 401);
    let mut open = SourceSettings::new(AuthSettings::None);
    open.on_refusal = OnRefusal::Quarantine;
    assert_eq!(
        open.resolve("open", |_| None).unwrap_err().to_string(),
        "source `open`: `on_refusal = \"quarantine\"` needs an `auth`: anybody could fill the poison"
    );
}

#[test]
fn leniently_the_good_are_accepted_and_the_whole_body_is_kept_beside() {
    let head = proven(lenient("application/geo+json"));
    let answer = ask(&keeping(|_| {}), &head, mixed().as_bytes());
    assert_eq!(statuses(&answer), ["accepted", "quarantined", "accepted"]);
    let enqueue = send(&keeping(|_| {}), &head, mixed().as_bytes()).unwrap();
    let kinds: Vec<Kind> = enqueue.envelopes().map(|envelope| envelope.kind).collect();
    assert_eq!(kinds, [Kind::Accepted, Kind::Accepted, Kind::Quarantined]);
}
