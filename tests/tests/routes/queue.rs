//! Route `queue` and the bridge, from the door to the map.

use super::{DRAIN_LIMIT, EVENTS, assert_accepted, assert_unavailable, collection, feature, send};
use hexlane_servers::free_port;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::dev::Dev;
use hexlane_tests::edge::Edge;
use hexlane_tests::geopackage;
use hexlane_tests::http::{Request, Response};
use hexlane_tests::relay::{Mode, Relay};
use hexlane_tests::wait;
use serde_json::{Value, json};
use std::time::Duration;

/// The dead letters of a consumer that has stopped, by code.
pub(crate) fn dead(consumer: &Consumer) -> Vec<String> {
    let sql = "SELECT code, destination FROM dead_letters ORDER BY code";
    let rows = geopackage::query(&consumer.geopackage(), sql);
    let told = |row: &Value| {
        let of = |name: &str| {
            row["properties"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        format!("{} {}", of("destination"), of("code"))
    };
    rows.iter().map(told).collect()
}

/// Waits until so many deliveries have ended so.
pub(crate) fn settled(consumer: &Consumer, outcome: &str, count: u64) -> Value {
    wait::until("an end of every event", DRAIN_LIMIT, || {
        let status = consumer.status();
        let settled = &status["settled"];
        (settled[outcome] == count && status["waiting"] == 0).then(|| settled.clone())
    })
}

#[test]
fn slow_what_is_accepted_is_on_the_map_and_sending_again_has_one_effect() {
    let mut consumer = Consumer::start();
    let dev = Dev::start(consumer.port);
    // 250 messages of 2 KB: three calls by count, three by bytes.
    let request = Request::post(EVENTS, collection("q", 250, 2_000));
    assert_accepted(&dev.send(&request), 250);
    assert_eq!(dev.seen()["sends"], 3);
    settled(&consumer, "applied", 250);
    assert_accepted(&dev.send(&request), 250);
    let settled = settled(&consumer, "duplicate", 250);
    assert_eq!(settled["applied"], 250);
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 250);
    assert_eq!(dead(&consumer), Vec::<String>::new());
}

#[test]
fn slow_a_queue_that_refuses_the_second_call_is_503_and_sending_again_has_one_effect() {
    let mut consumer = Consumer::start();
    let dev = Dev::start(consumer.port);
    let request = Request::post(EVENTS, collection("r", 250, 10));
    // The second call and both of its repeats.
    dev.plan(&json!({"refuseSends": [2, 3, 4]}));
    assert_unavailable(&dev.send(&request), "refused to the end");
    assert_eq!(dev.seen()["sends"], 4, "no third call after that");
    settled(&consumer, "applied", 100);
    // One refusal alone is repeated, and nobody hears of it.
    dev.plan(&json!({"sends": 0, "refuseSends": [2]}));
    assert_accepted(&dev.send(&request), 250);
    assert_eq!(dev.seen()["sends"], 4);
    let settled = settled(&consumer, "applied", 250);
    assert_eq!(settled["duplicate"], 100);
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 250);
}

#[test]
fn slow_what_the_relay_does_not_take_comes_again_and_what_it_took_does_not() {
    let mut consumer = Consumer::start();
    let relay = Relay::to(consumer.port);
    let dev = Dev::start(relay.port);
    let answered = |status| {
        let headers = vec![("retry-after".to_owned(), "1".to_owned())];
        let body = Vec::new();
        Mode::Answer(Response {
            status,
            headers,
            body,
        })
    };
    let modes = [Mode::Away, answered(503), answered(429), Mode::LoseAnswer];
    for (number, mode) in modes.into_iter().enumerate() {
        let before = dev.seen()["handed"].as_u64().expect("a number");
        relay.set(mode);
        let id = format!("again-{number}");
        let request = Request::post(EVENTS, feature(&id, [1.0, 2.0], ""));
        assert_accepted(&dev.send(&request), 1);
        dev.await_hand_overs(before + 1, DRAIN_LIMIT);
        relay.set(Mode::Pass);
        dev.await_hand_overs(before + 2, DRAIN_LIMIT);
    }
    // The lost answer had brought its event already.
    let settled = settled(&consumer, "applied", 4);
    assert_eq!(settled["duplicate"], 1, "{settled}");
    consumer.stop();
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 4);
    let handed = dev.seen()["handed"].as_u64();
    assert_eq!(handed, Some(8), "what was acked came again");
}

#[test]
fn slow_what_was_promised_and_cannot_be_applied_ends_in_poison() {
    let mut consumer = Consumer::start();
    let dev = Dev::start(consumer.port);
    let keyed = |place| {
        Request::post(EVENTS, feature("keyed", place, "")).with("idempotency-key", "one key")
    };
    assert_accepted(&dev.send(&keyed([1.0, 2.0])), 1);
    settled(&consumer, "applied", 1);
    assert_accepted(&dev.send(&keyed([3.0, 4.0])), 1);
    settled(&consumer, "dead", 1);
    dev.put("bytes", b"\xff\xfe no envelope");
    dev.put("text", b"a text of somebody else");
    dev.put("json", br#"{"type":"Point","coordinates":[1,2]}"#);
    settled(&consumer, "dead", 4);
    // The queue goes on behind them.
    let after = Request::post(EVENTS, feature("after", [5.0, 6.0], ""));
    assert_accepted(&dev.send(&after), 1);
    settled(&consumer, "applied", 2);
    consumer.stop();
    let unreadable = "poison envelope.unreadable";
    let expected = [
        unreadable,
        unreadable,
        unreadable,
        "poison idempotency.key_reused",
    ];
    assert_eq!(dead(&consumer), expected);
    let file = consumer.geopackage();
    let kept = "SELECT COUNT(*) AS n FROM dead_letters WHERE code = 'envelope.unreadable' \
                AND CAST(raw_payload AS TEXT) = 'a text of somebody else'";
    assert_eq!(geopackage::number(&file, kept), 1);
    assert_eq!(geopackage::count(&file, "features"), 2);
}

#[test]
fn a_message_is_one_event_in_bytes_and_a_refused_request_makes_no_call() {
    let queue = Relay::to(free_port());
    queue.set(Mode::confirm());
    let edge = Edge::start_on_queue(queue.port);
    let good = Request::post(EVENTS, collection("c", 101, 10));
    assert_accepted(&send(edge.port, &good), 101);
    assert_eq!(queue.requests(), 2);
    let bad = collection("c", 101, 10).replace("[-50,", "[-500,");
    let answer = send(edge.port, &Request::post(EVENTS, bad));
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(queue.requests(), 2);
    queue.set(Mode::Away);
    assert_unavailable(&send(edge.port, &good), "a queue that is away");
    assert_eq!(queue.requests(), 5, "the first call and two repeats");
}

#[test]
fn slow_a_queue_that_never_answers_is_503_before_a_sender_gives_up() {
    let queue = Relay::to(free_port());
    queue.set(Mode::Silent);
    let edge = Edge::start_on_queue(queue.port);
    let waited = wait::Deadline::after(Duration::from_secs(20));
    let request = Request::post(EVENTS, feature("silent", [1.0, 2.0], ""));
    assert_unavailable(&send(edge.port, &request), "silence");
    assert!(!waited.passed(), "after {:?}", waited.elapsed());
}
