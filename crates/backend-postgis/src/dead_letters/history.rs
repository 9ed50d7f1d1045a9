//! Lists kept beside a dead letter, as JSON text that a person can query. What does not
//! read back is an empty list: the history explains, it decides nothing.

use hexlane_backend::Attempt;
use hexlane_core::FailureClass;
use serde_json::{Value, json};

/// Attempts as text.
pub(super) fn to_text(attempts: &[Attempt]) -> String {
    let each = attempts.iter().map(|attempt| {
        json!({"at_us": attempt.at_us, "class": attempt.class.as_str(), "code": attempt.code})
    });
    Value::Array(each.collect()).to_string()
}

/// Attempts from text.
pub(super) fn of_text(text: &str) -> Vec<Attempt> {
    let values: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
    values.iter().filter_map(attempt).collect()
}

fn attempt(value: &Value) -> Option<Attempt> {
    Some(Attempt {
        at_us: value.get("at_us")?.as_i64()?,
        class: FailureClass::from_name(value.get("class")?.as_str()?)?,
        code: value.get("code")?.as_str()?.to_owned(),
    })
}
