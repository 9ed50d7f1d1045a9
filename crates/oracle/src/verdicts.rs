//! Verdicts in full: what is accepted with its lane, what is refused with its report.

use crate::OracleError;
use hexlane_core::Envelope;
use hexlane_core::json_text::JsonText;
use hexlane_core::judge::{Entry, Format, Judged, Request};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{Source, SourceSettings};
use hexlane_core::violation::Violation;
use serde_json::{Value, json};

/// 2027-01-15T08:00:00Z; no answer tells the time.
const NOW_US: i64 = 1_800_000_000_000_000;

const SETTINGS: &[u8] = br#"{"auth":"none"}"#;
const BODY: &[u8] = br#"{"type":"Feature","id":"n","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#;

pub(crate) fn judge(input: &[u8]) -> Result<Vec<u8>, OracleError> {
    let mut lines = input.split(|byte| *byte == b'\n');
    let source = source(lines.next().unwrap_or_default())?;
    let mut answer = Vec::new();
    for body in lines.filter(|line| !line.is_empty()) {
        let told = tell(&verdict(&source, body));
        answer.extend_from_slice(told.to_string().as_bytes());
        answer.push(b'\n');
    }
    Ok(answer)
}

/// An envelope that was accepted, to be given another payload.
pub(crate) fn accepted() -> Result<Envelope, OracleError> {
    match verdict(&source(SETTINGS)?, BODY).entries.pop() {
        Some(Entry::Event(envelope)) => Ok(*envelope),
        other => Err(OracleError::Input(format!("not accepted: {other:?}"))),
    }
}

fn source(settings: &[u8]) -> Result<Source, OracleError> {
    let settings: SourceSettings =
        serde_json::from_slice(settings).map_err(|error| OracleError::Input(error.to_string()))?;
    settings
        .resolve("oracle", |_| None)
        .map_err(|error| OracleError::Input(error.to_string()))
}

fn verdict(source: &Source, body: &[u8]) -> Judged {
    let request = Request {
        source,
        body,
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: NOW_US,
    };
    hexlane_core::judge::judge(&request, &Limits::default(), ShardMap::default())
}

fn tell(judged: &Judged) -> Value {
    let events = judged.entries.iter().map(|entry| match entry {
        Entry::Event(envelope) => json!({
            "cell": envelope.cell.map(|cell| cell.to_string()),
            "lane": envelope.lane_key.as_str(),
            "shard": envelope.shard.get(),
            "bbox": envelope.bbox,
        }),
        Entry::DuplicateOf(first) => json!({ "duplicate_of": first }),
        Entry::Refused => Value::Null,
    });
    let events: Vec<Value> = events.collect();
    let violations: Vec<Value> = judged.report.violations().iter().map(view).collect();
    json!({ "events": events, "violations": violations })
}

/// As it is told, byte for byte.
fn view(violation: &Violation) -> Value {
    let mut json = JsonText::default();
    violation.tell(&mut json);
    Value::String(json.into_text())
}
