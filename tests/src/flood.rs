//! Many events, each an entity of its own, and a sender that does not give up.

use crate::http::{self, Request, Response};
use crate::wait;
use std::time::Duration;

/// One feature somewhere on the earth, `entity-N` by `event-N`.
fn feature(number: u64) -> String {
    let spread = |times: u64, range: u64| {
        let hundredths = u32::try_from(number * times % range).expect("it is below the range");
        (f64::from(hundredths) - f64::from(u32::try_from(range / 2).expect("degrees"))) / 100.0
    };
    let (longitude, latitude) = (spread(7_919, 36_000), spread(104_729, 17_000));
    format!(
        r#"{{"type":"Feature","id":"entity-{number}","geometry":{{"type":"Point","coordinates":[{longitude},{latitude}]}},"properties":{{"event_id":"event-{number}"}}}}"#
    )
}

/// A request of so many of them.
#[must_use]
pub fn batch(first: u64, count: u64) -> Request {
    let features: Vec<String> = (first..first + count).map(feature).collect();
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    );
    Request::post("/v1/events/demo", body)
}

/// Sends again until it is taken, as a sender should: while nothing answers, and at 503.
///
/// # Panics
/// At any other answer, and at the limit.
#[must_use]
pub fn deliver(port: u16, request: &Request, limit: Duration) -> Response {
    wait::until("a 202", limit, || {
        let answer = http::send(port, request).ok();
        let taken = answer.filter(|answer| {
            assert!(
                matches!(answer.status, 202 | 503),
                "{} {}",
                answer.status,
                answer.text()
            );
            answer.status == 202
        });
        if taken.is_none() {
            wait::pause(Duration::from_millis(100));
        }
        taken
    })
}
