//! Lists kept beside an entry or a dead letter, as JSON text that a person can query.
//! What does not read back is an empty list: the history explains, it decides nothing.

use hexlane_backend::Attempt;
use hexlane_core::FailureClass;
use serde_json::{Value, json};

/// Attempts as text.
pub(crate) fn attempts_to_text(attempts: &[Attempt]) -> String {
    let each = attempts.iter().map(|attempt| {
        json!({"at_us": attempt.at_us, "class": attempt.class.as_str(), "code": attempt.code})
    });
    Value::Array(each.collect()).to_string()
}

/// Attempts from text.
pub(crate) fn attempts_of_text(text: &str) -> Vec<Attempt> {
    list(text).iter().filter_map(attempt).collect()
}

fn attempt(value: &Value) -> Option<Attempt> {
    Some(Attempt {
        at_us: value.get("at_us")?.as_i64()?,
        class: FailureClass::from_name(value.get("class")?.as_str()?)?,
        code: value.get("code")?.as_str()?.to_owned(),
    })
}

/// Names as text.
pub(crate) fn names_to_text(names: &[String]) -> String {
    json!(names).to_string()
}

/// Names from text.
pub(crate) fn names_of_text(text: &str) -> Vec<String> {
    list(text)
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

fn list(text: &str) -> Vec<Value> {
    match serde_json::from_str(text) {
        Ok(Value::Array(values)) => values,
        Ok(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_),
        )
        | Err(_) => Vec::new(),
    }
}
