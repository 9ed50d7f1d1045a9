//! Routes `queue` and `redis`, large payloads and the bridge, each in real workerd: what is
//! accepted has its effect or stands in the stream, what fails on its way is 503, and what
//! was promised is never lost.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "routes/bindings.rs"]
mod bindings;
#[path = "routes/large.rs"]
mod large;
#[path = "routes/queue.rs"]
mod queue;
#[path = "routes/redis.rs"]
mod redis;
#[path = "routes/redis_cluster.rs"]
mod redis_cluster;

use hexlane_tests::http::{self, Request, Response};
use serde_json::Value;
use std::time::Duration;

const EVENTS: &str = "/v1/events/demo";
/// A message that failed comes again after seconds.
const DRAIN_LIMIT: Duration = Duration::from_mins(2);

fn feature(id: &str, place: [f64; 2], note: &str) -> String {
    let [x, y] = place;
    format!(
        r#"{{"type":"Feature","id":"{id}","geometry":{{"type":"Point","coordinates":[{x},{y}]}},"properties":{{"note":"{note}"}}}}"#
    )
}

/// So many points, each in a cell of its own, with a note of that length.
fn collection(prefix: &str, features: u32, note_bytes: usize) -> String {
    let note = "n".repeat(note_bytes);
    let at = |number: u32| {
        let place = [
            f64::from(number % 300) - 150.0,
            f64::from(number % 120) - 60.0,
        ];
        feature(&format!("{prefix}-{number}"), place, &note)
    };
    let features: Vec<String> = (0..features).map(at).collect();
    let features = features.join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#)
}

fn send(port: u16, request: &Request) -> Response {
    http::send(port, request).expect("an answer")
}

fn assert_accepted(answer: &Response, events: usize) {
    assert_eq!(answer.status, 202, "{}", answer.text());
    assert_eq!(answer.json()["accepted"], events, "{}", answer.text());
}

fn assert_unavailable(answer: &Response, how: &str) {
    assert_eq!(answer.status, 503, "{how}: {}", answer.text());
    assert_eq!(answer.json()["code"], "queue.unavailable", "{how}");
    assert!(answer.header("retry-after").is_some(), "{how}");
}

fn assert_misconfigured(answer: &Response, how: &str) {
    assert_eq!(answer.status, 500, "{how}: {}", answer.text());
    assert_eq!(answer.json()["code"], "settings.invalid", "{how}");
}

/// The results of an acceptance, by status.
fn statuses(answer: &Response) -> Vec<String> {
    let document = answer.json();
    let results = document["results"].as_array().expect("results").iter();
    let status = |result: &Value| result["status"].as_str().expect("a status").to_owned();
    results.map(status).collect()
}
