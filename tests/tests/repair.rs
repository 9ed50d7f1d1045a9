//! `Prefer: repair`: what the source allows and the sender asks for is mended at the door, and
//! stands mended on the map; the payload stays as it was sent.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use hexlane_tests::geopackage;
use hexlane_tests::http::{self, Request, Response};
use serde_json::{Value, json};
use std::time::Duration;

const DRAIN_LIMIT: Duration = Duration::from_secs(30);
const BOWTIE: &str = "[[[0,0],[2,2],[2,0],[0,2],[0,0]]]";
const OPEN: &str = "[[[4,4],[6,4],[6,6],[4,6]]]";

fn polygon(id: &str, coordinates: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{{"type":"Polygon","coordinates":{coordinates}}}}}"#
    )
}

fn ask(port: u16, body: &str, preference: Option<&str>) -> Response {
    let request = Request::post("/v1/events/mending", body);
    let request = match preference {
        Some(preference) => request.with("prefer", preference),
        None => request,
    };
    http::send(port, &request).expect("an answer")
}

fn code(answer: &Response) -> Value {
    answer.json()["code"].clone()
}

/// Each feature of the map, once the consumer has stopped: its geometry as text.
fn map(mut consumer: Consumer, applied: u64) -> Vec<(String, String)> {
    let status = consumer.drained(DRAIN_LIMIT);
    let settled = json!({"applied": applied, "dead": 0, "duplicate": 0, "stale": 0});
    assert_eq!(status["settled"], settled, "{status}");
    consumer.stop();
    geopackage::geometries(&consumer.geopackage(), "features", "entity")
}

#[test]
fn a_bowtie_is_accepted_when_that_is_asked_and_stands_repaired_on_the_map() {
    let consumer = Consumer::start();
    let body = polygon("bow", BOWTIE);
    let plain = ask(consumer.port, &body, None);
    assert_eq!(plain.status, 422);
    assert_eq!(code(&plain), "geometry.self_intersection");
    assert_eq!(plain.header("preference-applied"), None);
    let answer = ask(
        consumer.port,
        &body,
        Some("repair=\"close-ring,make-valid\""),
    );
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert_eq!(
        answer.header("preference-applied"),
        Some("repair=\"close-ring,make-valid:even_odd\"")
    );
    let result = &answer.json()["results"][0];
    assert_eq!(result["derived"], json!(["make-valid:even_odd"]));
    assert_eq!(result["repaired"][0]["parts"], json!([1, 2]));
    let over = "[[[177,10],[-175,10],[-175,20],[177,20],[177,10]]]";
    let split = ask(
        consumer.port,
        &polygon("over", over),
        Some("repair=split-antimeridian"),
    );
    assert_eq!(split.status, 202, "{}", split.text());
    let map = map(consumer, 2);
    let shape = |entity: usize| map[entity].1.replace("MULTIPOLYGON ", "").replace(' ', ",");
    assert_eq!([&*map[0].0, &*map[1].0], ["bow", "over"]);
    let (bow, over) = (shape(0), shape(1));
    assert_eq!(bow, "(((0,2,0,0,1,1,0,2)),((2,2,1,1,2,0,2,2)))");
    assert!(
        over.contains("180,10") && over.contains("-180,20"),
        "{over}"
    );
}

#[test]
fn the_edge_mends_what_needs_no_overlay_and_says_that_it_does_not_do_the_rest() {
    let consumer = Consumer::start();
    let edge = Edge::start(consumer.port);
    let open = polygon("open", OPEN);
    let plain = ask(edge.port, &open, None);
    assert_eq!(
        (plain.status, code(&plain)),
        (422, "geometry.not_closed".into())
    );
    let answer = ask(edge.port, &open, Some("repair=close-ring"));
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert_eq!(
        answer.header("preference-applied"),
        Some("repair=\"close-ring\"")
    );
    let bowtie = ask(
        edge.port,
        &polygon("bow", BOWTIE),
        Some("repair=\"close-ring,make-valid\""),
    );
    assert_eq!(bowtie.status, 422, "{}", bowtie.text());
    assert_eq!(bowtie.header("preference-applied"), None);
    let warning = &bowtie.json()["warnings"][0];
    assert_eq!(warning["code"], "repair.not_applied");
    let message = warning["message"].as_str().unwrap();
    assert!(
        message.contains("cannot do `make-valid:even_odd`"),
        "{message}"
    );
    let map = map(consumer, 1);
    assert_eq!(map[0].0, "open");
    let closed = map[0].1.replace(' ', ",");
    assert_eq!(closed.matches("4,4").count(), 2, "{closed}");
}
