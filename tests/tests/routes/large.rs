//! Payloads too large for a message, by R2.

use super::queue::{dead, settled};
use super::{EVENTS, assert_accepted, assert_unavailable, feature, send};
use hexlane_servers::free_port;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::dev::Dev;
use hexlane_tests::edge::Edge;
use hexlane_tests::geopackage;
use hexlane_tests::http::Request;
use hexlane_tests::relay::{Mode, Relay};
use serde_json::json;

fn large(id: &str) -> Request {
    noted(id, 200_000)
}

fn noted(id: &str, note_bytes: usize) -> Request {
    Request::post(EVENTS, feature(id, [7.0, 8.0], &"n".repeat(note_bytes)))
}

#[test]
fn slow_a_payload_that_is_lost_or_damaged_ends_in_poison_and_the_rest_goes_on() {
    lost_or_damaged(200_000);
}

#[test]
fn slow_so_does_one_that_is_posted_as_a_stream() {
    lost_or_damaged(2_000_000);
}

fn lost_or_damaged(note_bytes: usize) {
    let large = |id: &str| noted(id, note_bytes);
    let mut consumer = Consumer::start();
    let relay = Relay::to(consumer.port);
    let dev = Dev::start(relay.port);
    relay.set(Mode::Away);
    for id in ["lost", "damaged", "cut", "whole"] {
        assert_accepted(&dev.send(&large(id)), 1);
    }
    let objects = dev.objects();
    assert_eq!(objects.len(), 4, "{objects:?}");
    let by_size = |id: &str| {
        let bytes = large(id).body.len() as u64;
        let found = objects.iter().find(|(_, size)| *size == bytes);
        found.expect("an object of that size").0.clone()
    };
    assert!(objects.iter().all(|(key, _)| key.starts_with("incoming/")));
    dev.remove(&by_size("lost"));
    dev.overwrite(
        &by_size("damaged"),
        &vec![b'x'; large("damaged").body.len()],
    );
    dev.overwrite(&by_size("cut"), &large("cut").body[..1_000]);
    relay.set(Mode::Pass);
    settled(&consumer, "dead", 3);
    settled(&consumer, "applied", 1);
    let kept: Vec<u64> = dev.objects().into_iter().map(|(_, size)| size).collect();
    assert_eq!(
        kept.len(),
        2,
        "what is damaged stays to be looked at: {kept:?}"
    );
    // Sent again, a lost event is there.
    assert_accepted(&dev.send(&large("lost")), 1);
    settled(&consumer, "applied", 2);
    consumer.stop();
    let expected = [
        "poison blob_corrupt",
        "poison blob_corrupt",
        "poison body_lost",
    ];
    assert_eq!(dead(&consumer), expected);
    assert_eq!(geopackage::count(&consumer.geopackage(), "features"), 2);
}

#[test]
fn slow_an_upload_that_fails_is_503_taken_back_and_nothing_is_enqueued() {
    let consumer = Consumer::start();
    let dev = Dev::start(consumer.port);
    dev.plan(&json!({"refuseParts": true}));
    assert_unavailable(&dev.send(&large("upload")), "a part that is refused");
    let seen = dev.seen();
    assert_eq!((&seen["sends"], &seen["aborts"]), (&json!(0), &json!(1)));
    assert_eq!(dev.objects(), []);
    // A refused payload is not stored at all.
    let bad = feature("bad", [700.0, 8.0], &"n".repeat(200_000));
    let answer = dev.send(&Request::post(EVENTS, bad));
    assert_eq!(answer.status, 422, "{}", answer.text());
    dev.plan(&json!({"refuseParts": false}));
    assert_accepted(&dev.send(&large("upload")), 1);
    let status = settled(&consumer, "applied", 1);
    assert_eq!(status["duplicate"], 0, "{status}");
    assert_eq!(dev.objects(), []);
}

#[test]
fn without_a_bucket_an_envelope_over_the_limit_of_the_route_is_413() {
    let queue = Relay::to(free_port());
    let edge = Edge::start_on_queue(queue.port);
    let answer = send(edge.port, &large("nowhere"));
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert_eq!(answer.json()["code"], "limit.envelope_bytes");
    assert_eq!(queue.requests(), 0);
}
