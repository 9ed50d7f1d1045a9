//! A door, a request to it, and its answer with every event taken by the queue.

use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_door::{Answer, Budget, Decision, Door, DoorSettings, Enqueue, Enqueued, Head};
use serde_json::Value;

pub(crate) const NOW_US: i64 = 1_796_040_000_000_000;
pub(crate) const NOW_S: i64 = NOW_US / 1_000_000;
/// Bytes of a body.
pub(crate) const BODY_BYTES_MAX: u64 = 64 * 1024;
/// The value of the secret `HOOK`.
pub(crate) const WHSEC: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A door with one source, `it`.
pub(crate) fn door(auth: AuthSettings, change: impl FnOnce(&mut SourceSettings)) -> Door {
    let mut settings = DoorSettings::default();
    settings.limits.body_bytes_max = BODY_BYTES_MAX;
    let mut source = SourceSettings::new(auth);
    change(&mut source);
    settings.sources.insert("it".to_owned(), source);
    let secret = |name: &str| (name == "HOOK").then(|| WHSEC.to_owned());
    settings.resolve(secret).unwrap()
}

pub(crate) fn open_door() -> Door {
    door(AuthSettings::None, |_| {})
}

/// A head of that media type to the source `it`.
pub(crate) fn head(content_type: &str) -> Head {
    Head::new("POST", "/v1/events/it").with("content-type", content_type)
}

/// The events to put on the queue, or the refusal.
pub(crate) fn send(door: &Door, head: &Head, body: &[u8]) -> Result<Enqueue, Answer> {
    let opened = door.open(head)?;
    let mut meter = opened.meter(&Budget::new(1 << 20))?;
    meter.push(body)?;
    match opened.judge(meter.finish()?, NOW_US) {
        Decision::Answer(answer) => Err(answer),
        Decision::Enqueue(enqueue) => Ok(enqueue),
    }
}

/// The answer once the queue has taken every event.
pub(crate) fn ask(door: &Door, head: &Head, body: &[u8]) -> Answer {
    match send(door, head, body) {
        Ok(enqueue) => {
            let said = vec![Enqueued::New; enqueue.envelopes().count()];
            enqueue.settle(Ok(&said))
        }
        Err(answer) => answer,
    }
}

pub(crate) fn document(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap()
}

/// Status, and the code of a refusal.
pub(crate) fn told(answer: &Answer) -> (u16, String) {
    let document = document(answer);
    let code = document["code"].as_str().unwrap_or_default();
    (answer.status, code.to_owned())
}

/// The status of each result.
pub(crate) fn statuses(answer: &Answer) -> Vec<String> {
    let document = document(answer);
    let results = document["results"].as_array().unwrap();
    let status = |result: &Value| result["status"].as_str().unwrap().to_owned();
    results.iter().map(status).collect()
}

pub(crate) fn point(id: &str, place: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{{"type":"Point","coordinates":{place}}}}}"#
    )
}
