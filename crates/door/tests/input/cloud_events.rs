//! `CloudEvents` over HTTP: which mode, and what the answer says.

use crate::support::{ask, document, door, head, open_door, point, send, told};
use hexlane_core::source::{AuthSettings, TypeOp};
use hexlane_door::Head;

fn binary(kind: &str) -> Head {
    head("application/geo+json")
        .with("ce-specversion", "1.0")
        .with("ce-id", "e%201")
        .with("ce-source", "/fleet")
        .with("ce-type", kind)
}

fn event(kind: &str, place: &str) -> String {
    let data = point("truck", place);
    format!(r#"{{"specversion":"1.0","id":"e 1","source":"/fleet","type":"{kind}","data":{data}}}"#)
}

#[test]
fn the_three_modes_name_one_event_alike() {
    let door = open_door();
    let structured = head("application/cloudevents+json; charset=utf-8");
    let batch = head("application/cloudevents-batch+json");
    let answers = [
        ask(&door, &binary("moved"), point("truck", "[1,2]").as_bytes()),
        ask(&door, &structured, event("moved", "[1,2]").as_bytes()),
        ask(
            &door,
            &batch,
            format!("[{}]", event("moved", "[1,2]")).as_bytes(),
        ),
    ];
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (202, &answers[0].body));
    }
    let result = &document(&answers[0])["results"][0];
    assert_eq!(result["idempotency_key"], "/fleet e 1#ce0");
    assert_eq!(result["event_id"], "e 1");
}

#[test]
fn a_type_that_the_source_does_not_take_is_422_in_every_mode() {
    let door = door(AuthSettings::None, |settings| {
        let types = &mut settings.cloud_events.types;
        types.insert("moved".to_owned(), TypeOp::Upsert);
    });
    let structured = head("application/cloudevents+json");
    let batch = head("application/cloudevents-batch+json");
    for answer in [
        ask(
            &door,
            &binary("painted"),
            point("truck", "[1,2]").as_bytes(),
        ),
        ask(&door, &structured, event("painted", "[1,2]").as_bytes()),
        ask(
            &door,
            &batch,
            format!("[{}]", event("painted", "[1,2]")).as_bytes(),
        ),
    ] {
        assert_eq!(told(&answer), (422, "cloud_event.type".to_owned()));
    }
}

#[test]
fn without_its_mark_a_request_is_no_event() {
    let head = head("application/geo+json")
        .with("ce-id", "e")
        .with("ce-source", "/s");
    let enqueue = send(&open_door(), &head, point("truck", "[1,2]").as_bytes()).unwrap();
    let envelope = enqueue.envelopes().next().unwrap();
    assert!(envelope.key.value.starts_with("sha256:"));
    let other = binary("moved").with("ce-specversion", "1.1");
    let answer = ask(&open_door(), &other, point("truck", "[1,2]").as_bytes());
    assert_eq!(told(&answer), (422, "cloud_event.specversion".to_owned()));
}

#[test]
fn leniently_the_good_events_of_a_batch_are_accepted() {
    let body = format!(
        "[{},{}]",
        event("moved", "[100,95]"),
        event("moved", "[1,2]").replace("e 1", "e 2")
    );
    let head = head("application/cloudevents-batch+json").with("prefer", "handling=lenient");
    let answer = ask(&open_door(), &head, body.as_bytes());
    assert_eq!(
        (answer.status, &document(&answer)["accepted"]),
        (202, &1.into())
    );
    assert_eq!(
        document(&answer)["errors"][0]["pointer"],
        "/0/data/geometry/coordinates"
    );
}
