//! Payloads too large for a message, by R2.

use super::queue::{dead, settled};
use super::{EVENTS, assert_accepted, assert_unavailable, feature, send};
use hexlane_servers::free_port;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::dev::Dev;
use hexlane_tests::edge::Edge;
use hexlane_tests::geopackage;
use hexlane_tests::http::Request;
use hexlane_tests::process::{programs, resident_bytes};
use hexlane_tests::relay::{Mode, Relay};
use serde_json::json;
use std::fmt::Write as _;

const MB: u64 = 1 << 20;
/// What large events may add to the programs of wrangler together: the Worker, of whose
/// isolate the platform takes 128 MB, the proxy before it, and the simulated bucket.
const ADDED_BYTES_MAX: u64 = 256 * MB;

fn large(id: &str) -> Request {
    Request::post(EVENTS, feature(id, [7.0, 8.0], &"n".repeat(200_000)))
}

/// A `MultiPolygon` of squares with many positions, of at least that size; how many squares.
fn multipolygon(bytes_min: usize) -> (String, usize) {
    let mut polygons = String::new();
    let mut squares = 0_usize;
    while polygons.len() < bytes_min {
        let number = u32::try_from(squares).expect("few squares");
        let (x, y) = (
            f64::from(number % 340) - 170.0,
            f64::from(number / 340) - 80.0,
        );
        if number > 0 {
            polygons.push(',');
        }
        polygons.push_str("[[");
        for step in 0..200_u32 {
            let along = f64::from(step % 50) / 100.0;
            let (dx, dy) = match step / 50 {
                0 => (along, 0.0),
                1 => (0.5, along),
                2 => (0.5 - along, 0.5),
                _ => (0.0, 0.5 - along),
            };
            let _ = write!(polygons, "[{:.9},{:.9}],", x + dx, y + dy);
        }
        let _ = write!(polygons, "[{x:.9},{y:.9}]]]");
        squares += 1;
    }
    let body = format!(
        r#"{{"type":"Feature","id":"big","geometry":{{"type":"MultiPolygon","coordinates":[{polygons}]}},"properties":{{}}}}"#
    );
    (body, squares)
}

#[test]
fn slow_a_multipolygon_of_5_mb_goes_by_the_bucket_and_the_bridge_to_the_map() {
    let mut consumer = Consumer::start();
    let dev = Dev::start(consumer.port);
    let (body, squares) = multipolygon(5_000_000);
    let small = Request::post(EVENTS, feature("small", [9.0, 9.0], ""));
    assert_accepted(&dev.send(&small), 1);
    settled(&consumer, "applied", 1);
    let resident = || -> u64 {
        let programs = programs("workerd", dev.process.id()).into_iter();
        programs.map(resident_bytes).sum()
    };
    let before = resident();
    let request = Request::post(EVENTS, body.clone());
    assert_accepted(&dev.send(&request), 1);
    settled(&consumer, "applied", 2);
    assert_eq!(
        dev.objects(),
        [],
        "the object goes once the relay has the event"
    );
    // Sent again it takes the whole way again, with one effect.
    for times in 1..=4 {
        assert_accepted(&dev.send(&request), 1);
        assert_eq!(settled(&consumer, "duplicate", times)["applied"], 2);
    }
    let (size, after) = (body.len(), resident());
    eprintln!(
        "workerd: {} MB, then {} MB, for {size} bytes",
        before / MB,
        after / MB
    );
    assert!(
        before > 0 && after.saturating_sub(before) < ADDED_BYTES_MAX,
        "{before} {after}"
    );
    consumer.stop();
    let rows = geopackage::geometries(&consumer.geopackage(), "features", "entity");
    let big = rows.iter().find(|(entity, _)| entity == "big");
    let (_, wkt) = big.expect("the large one");
    assert_eq!(wkt.matches(")),((").count() + 1, squares);
}

#[test]
fn slow_a_payload_that_is_lost_or_damaged_ends_in_poison_and_the_rest_goes_on() {
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
