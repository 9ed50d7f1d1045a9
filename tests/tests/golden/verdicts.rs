//! Whole answers to committed bodies: the door as linked into this test, the native
//! intake, and the Worker in wasm, byte for byte.

use super::vectors::{hold, read};
use hexlane_door::{Answer, Budget, Decision, Door, DoorSettings, Enqueued, Head};
use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request};
use hexlane_tests::settings;
use serde_json::{Map, Value, json};

/// 2027-01-15T08:00:00Z; no answer tells the time.
const NOW_US: i64 = 1_800_000_000_000_000;

fn request(vector: &Value) -> Request {
    let text = |name: &str| vector[name].as_str();
    let source = text("source").unwrap_or("demo");
    let body = text("body").expect("a body");
    let mut request = Request::post(&format!("/v1/events/{source}"), body);
    for (member, header) in [
        ("content_crs", "content-crs"),
        ("idempotency_key", "idempotency-key"),
    ] {
        if let Some(value) = text(member) {
            request = request.with(header, value);
        }
    }
    request
}

fn door() -> Door {
    let settings: DoorSettings = settings::door().try_into().expect("the door's settings");
    let secret = |name: &str| Some(settings::secret(name).to_owned());
    settings
        .resolve(secret)
        .expect("the door's settings resolve")
}

fn judge(door: &Door, request: &Request) -> Answer {
    let head = Head::new(&request.method, &request.path);
    let head = request
        .headers
        .iter()
        .fold(head, |head, (name, value)| head.with(name, value));
    let opened = match door.open(&head) {
        Ok(opened) => opened,
        Err(answer) => return answer,
    };
    let mut meter = opened.meter(&Budget::new(1 << 30)).expect("room");
    meter.push(&request.body).expect("a body below the cap");
    match opened.judge(meter.finish().expect("a whole body"), NOW_US) {
        Decision::Answer(answer) => answer,
        Decision::Enqueue(enqueue) => {
            let said = vec![Enqueued::New; enqueue.envelopes().count()];
            enqueue.settle(Ok(&said))
        }
    }
}

#[test]
fn the_door_gives_each_body_its_golden_answer() {
    let door = door();
    hold("verdicts", |vector| {
        let answer = judge(&door, &request(vector));
        let text = String::from_utf8(answer.body).expect("answers are UTF-8");
        Map::from_iter([
            ("answer".to_owned(), json!(text)),
            ("status".to_owned(), json!(answer.status)),
        ])
    });
}

#[test]
fn native_intake_and_wasm_give_each_body_its_golden_answer_to_the_byte() {
    let (native, behind) = (Consumer::start(), Consumer::start());
    let edge = Edge::start(behind.port);
    let mut differing = Vec::new();
    let vectors = read("verdicts");
    for vector in &vectors {
        for (front, port) in [("native", native.port), ("wasm", edge.port)] {
            let answer = http::send(port, &request(vector)).expect("an answer");
            let same = answer.status == vector["status"]
                && answer.body == vector["answer"].as_str().unwrap_or_default().as_bytes();
            if !same {
                let (name, text) = (&vector["name"], answer.text());
                differing.push(format!(
                    "{name}, {front}: {} {text}\n  golden {}",
                    answer.status, vector["answer"]
                ));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    eprintln!(
        "{} golden answers, byte-equal from the native intake and from wasm",
        vectors.len()
    );
}
