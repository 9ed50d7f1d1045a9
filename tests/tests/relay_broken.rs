//! The way from the Worker to the relay, broken in every way: no 202 without a durable
//! enqueue; what is unclear is 503, and sending it again has one effect.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_servers::free_port;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request, Response};
use hexlane_tests::relay::{Mode, Relay};
use hexlane_tests::wait;
use hexlane_tests::{geopackage, settings};
use serde_json::json;
use std::time::Duration;

const EVENTS: &str = "/v1/events/demo";
const DRAIN_LIMIT: Duration = Duration::from_secs(30);
const RECOVERY_LIMIT: Duration = Duration::from_mins(1);

fn event(id: &str) -> Request {
    let body = format!(
        r#"{{"type":"Feature","id":"{id}","geometry":{{"type":"Point","coordinates":[1,2]}},"properties":{{}}}}"#
    );
    Request::post(EVENTS, body)
}

fn send(port: u16, request: &Request) -> Response {
    http::send(port, request).expect("an answer")
}

fn assert_unclear(answer: &Response, how: &str) {
    assert_eq!(answer.status, 503, "{how}: {}", answer.text());
    assert_eq!(answer.json()["code"], "queue.unavailable", "{how}");
    let retry_after = answer
        .header("retry-after")
        .and_then(|text| text.parse::<u32>().ok());
    assert!(
        retry_after.is_some_and(|seconds| seconds >= 1),
        "{how}: {retry_after:?}"
    );
}

fn answered(status: u16, body: &str) -> Mode {
    Mode::Answer(Response {
        status,
        headers: Vec::new(),
        body: body.as_bytes().to_vec(),
    })
}

#[test]
fn a_relay_that_is_away_is_503_and_sending_again_has_one_effect() {
    let mut consumer = Consumer::start();
    let edge = Edge::start(consumer.port);
    consumer.kill();
    for _ in 0..3 {
        assert_unclear(&send(edge.port, &event("away")), "nothing listens");
    }
    consumer.restart();
    let answer = send(edge.port, &event("away"));
    assert_eq!(
        answer.json()["results"][0]["status"],
        "accepted",
        "{}",
        answer.text()
    );
    assert_eq!(consumer.drained(DRAIN_LIMIT)["settled"]["applied"], 1);
}

#[test]
fn a_relay_that_never_was_is_503() {
    let edge = Edge::start(free_port());
    assert_unclear(&send(edge.port, &event("nowhere")), "no relay");
}

#[test]
fn a_relay_that_restarts_is_503_until_it_is_back_and_the_event_is_there_once() {
    let mut consumer = Consumer::start();
    let edge = Edge::start(consumer.port);
    consumer.kill();
    consumer.begin_restart();
    let answer = wait::until("a 202", RECOVERY_LIMIT, || {
        let answer = send(edge.port, &event("restarting"));
        if answer.status == 202 {
            return Some(answer);
        }
        assert_unclear(&answer, "while it restarts");
        None
    });
    assert_eq!(answer.json()["accepted"], 1);
    consumer.await_ready();
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], 1, "{status}");
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 1);
}

#[test]
fn an_answer_that_is_lost_is_503_and_sending_again_has_one_effect() {
    let mut consumer = Consumer::start();
    let relay = Relay::to(consumer.port);
    let edge = Edge::start(relay.port);
    for (number, mode) in [Mode::LoseAnswer, Mode::CutAnswer(5)]
        .into_iter()
        .enumerate()
    {
        let id = format!("lost-{number}");
        relay.set(mode.clone());
        assert_unclear(&send(edge.port, &event(&id)), &format!("{mode:?}"));
        relay.set(Mode::Pass);
        let again = send(edge.port, &event(&id));
        assert_eq!(again.status, 202, "{}", again.text());
        // The first sending had reached the queue, and the answer says so.
        assert_eq!(
            again.json()["results"][0]["status"],
            "duplicate",
            "{}",
            again.text()
        );
    }
    let status = consumer.drained(DRAIN_LIMIT);
    assert_eq!(status["settled"]["applied"], 2, "{status}");
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 2);
}

#[test]
fn an_answer_that_confirms_nothing_is_503_and_nothing_is_enqueued() {
    let consumer = Consumer::start();
    let relay = Relay::to(consumer.port);
    let edge = Edge::start(relay.port);
    for mode in [
        Mode::Away,
        answered(200, ""),
        answered(200, "{}"),
        answered(200, r#"{"results":[]}"#),
        answered(200, r#"{"results":["enqueued","enqueued"]}"#),
        answered(200, r#"{"results":["perhaps"]}"#),
        answered(200, "<html>a captive portal</html>"),
        answered(202, r#"{"results":["enqueued"]}"#),
        answered(302, ""),
        answered(401, "{}"),
        answered(404, "{}"),
        answered(500, "{}"),
    ] {
        relay.set(mode.clone());
        assert_unclear(
            &send(edge.port, &event("unconfirmed")),
            &format!("{mode:?}"),
        );
    }
    let status = consumer.drained(DRAIN_LIMIT);
    let none = status["settled"]
        .as_object()
        .is_some_and(|all| all.values().all(|each| *each == json!(0)));
    assert!(none, "{status}");
}

#[test]
fn a_backlog_at_its_cap_is_429_with_the_time_that_the_relay_gives() {
    let relay = Relay::to(free_port());
    let edge = Edge::start(relay.port);
    let headers = vec![("retry-after".to_owned(), "17".to_owned())];
    relay.set(Mode::Answer(Response {
        status: 429,
        headers,
        body: Vec::new(),
    }));
    let answer = send(edge.port, &event("full"));
    assert_eq!(answer.status, 429, "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("17"));
    assert_eq!(answer.json()["code"], "backlog.full");
}

#[test]
fn slow_a_relay_that_never_answers_is_503_before_a_sender_gives_up() {
    let relay = Relay::to(free_port());
    let edge = Edge::start(relay.port);
    relay.set(Mode::Silent);
    let waited = wait::Deadline::after(Duration::from_secs(25));
    assert_unclear(&send(edge.port, &event("silence")), "silence");
    assert!(!waited.passed(), "after {:?}", waited.elapsed());
}

#[test]
fn a_batch_that_is_not_signed_as_the_relay_wants_is_refused_and_the_sender_gets_503() {
    let consumer = Consumer::start();
    let vars = [
        ("RELAY_URL".to_owned(), toml::Value::from(consumer.url())),
        ("DOOR".to_owned(), settings::door().into()),
    ];
    let mut secrets = settings::SECRETS;
    secrets[0].1 = "whsec_YW5vdGhlci1zZWNyZXQtdGhhbi10aGUtcmVsYXk=";
    let edge = Edge::start_with(&vars.into_iter().collect(), &secrets);
    assert_unclear(&send(edge.port, &event("unsigned")), "another secret");
    assert_eq!(
        consumer.metric("hexlane_queue_events_enqueued_total", ""),
        0
    );
}
