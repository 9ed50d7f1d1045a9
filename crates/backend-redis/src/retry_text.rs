//! What was tried, as JSON text that a person can read in Redis.

use hexlane_backend::{Attempt, RetryState};
use hexlane_core::FailureClass;
use serde_json::{Value, json};

/// As text.
pub(crate) fn to_text(retry: &RetryState) -> String {
    let history = retry.history.iter().map(|attempt| {
        json!({"at_us": attempt.at_us, "class": attempt.class.as_str(), "code": attempt.code})
    });
    json!({
        "attempts": retry.attempts,
        "failures": retry.failures,
        "due_at_us": retry.due_at_us,
        "previous_delay_ms": retry.previous_delay_ms,
        "first_attempt_at_us": retry.first_attempt_at_us,
        "last_code": retry.last_code,
        "history": history.collect::<Vec<_>>(),
    })
    .to_string()
}

/// From text. What does not read back counts as never tried: the age limit bounds it.
pub(crate) fn of_text(text: &[u8]) -> RetryState {
    serde_json::from_slice(text)
        .ok()
        .and_then(|value| state(&value))
        .unwrap_or_default()
}

fn state(value: &Value) -> Option<RetryState> {
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    let history = value.get("history").and_then(Value::as_array);
    Some(RetryState {
        attempts: u32::try_from(number("attempts")?).ok()?,
        failures: u32::try_from(number("failures")?).ok()?,
        due_at_us: value.get("due_at_us").and_then(Value::as_i64)?,
        previous_delay_ms: number("previous_delay_ms")?,
        first_attempt_at_us: value.get("first_attempt_at_us").and_then(Value::as_i64),
        last_code: value
            .get("last_code")
            .and_then(Value::as_str)
            .map(str::to_owned),
        history: history
            .map(|all| all.iter().filter_map(attempt).collect())
            .unwrap_or_default(),
    })
}

fn attempt(value: &Value) -> Option<Attempt> {
    Some(Attempt {
        at_us: value.get("at_us")?.as_i64()?,
        class: FailureClass::from_name(value.get("class")?.as_str()?)?,
        code: value.get("code")?.as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_back_whole() {
        let tried = RetryState {
            attempts: 3,
            failures: 2,
            due_at_us: -5,
            previous_delay_ms: u64::MAX,
            first_attempt_at_us: Some(9),
            last_code: Some("sink.timeout".to_owned()),
            history: vec![Attempt {
                at_us: 7,
                class: FailureClass::Unknown,
                code: "x".to_owned(),
            }],
        };
        assert_eq!(of_text(to_text(&tried).as_bytes()), tried);
    }

    #[test]
    fn what_does_not_read_back_was_never_tried() {
        assert_eq!(of_text(b"{\"attempts\":-1}"), RetryState::default());
        assert_eq!(of_text(b"\xff"), RetryState::default());
    }
}
