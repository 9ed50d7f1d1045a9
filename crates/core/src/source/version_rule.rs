//! Where a source keeps the version of its events, and in which form.

use super::rfc3339_us;
use crate::json::{Kind, Value};
use serde::{Deserialize, Serialize};

/// As written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionSettings {
    /// JSON Pointer into the feature.
    pub pointer: String,
    /// What stands there.
    pub form: VersionForm,
}

/// What a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionForm {
    /// A whole number that grows.
    Sequence,
    /// An RFC 3339 time with offset.
    Rfc3339,
    /// Seconds since 1970, with or without a fraction.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
}

impl VersionForm {
    /// The name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Rfc3339 => "rfc3339",
            Self::EpochS => "epoch_s",
            Self::EpochMs => "epoch_ms",
        }
    }
}

/// As resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRule {
    pub(crate) pointer: String,
    pub(crate) form: VersionForm,
    /// Whether an event without it is refused; else its time of acceptance stands in.
    pub(crate) required: bool,
}

impl VersionRule {
    pub(super) fn of(settings: Option<&VersionSettings>) -> Self {
        match settings {
            Some(VersionSettings { pointer, form }) => Self {
                pointer: pointer.clone(),
                form: *form,
                required: true,
            },
            None => Self {
                pointer: "/properties/observed_at".to_owned(),
                form: VersionForm::Rfc3339,
                required: false,
            },
        }
    }

    /// Whether its values are times.
    pub(crate) const fn is_time(&self) -> bool {
        match self.form {
            VersionForm::Sequence => false,
            VersionForm::Rfc3339 | VersionForm::EpochS | VersionForm::EpochMs => true,
        }
    }

    /// The value: a sequence number, or µs since 1970. None when it has another form.
    pub(crate) fn value(&self, value: Value<'_>) -> Option<i64> {
        match (self.form, value.kind()) {
            (VersionForm::Rfc3339, Kind::String) => rfc3339_us(&value.as_text()?),
            (VersionForm::Sequence, Kind::Number) => value.raw().parse().ok(),
            (VersionForm::Sequence, Kind::String) => value.as_text()?.parse().ok(),
            (VersionForm::EpochS, Kind::Number) => scaled_us(value.raw(), 6),
            (VersionForm::EpochMs, Kind::Number) => scaled_us(value.raw(), 3),
            _ => None,
        }
    }
}

/// A decimal number shifted left by `digits`, exactly: a double would lose µs.
fn scaled_us(text: &str, digits: usize) -> Option<i64> {
    if text.contains(['e', 'E']) {
        return None;
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut shifted = String::from(whole);
    for at in 0..digits {
        shifted.push(
            fraction
                .as_bytes()
                .get(at)
                .map_or('0', |digit| char::from(*digit)),
        );
    }
    shifted.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_times_are_read_exactly() {
        assert_eq!(scaled_us("1700000000", 6), Some(1_700_000_000_000_000));
        assert_eq!(
            scaled_us("1700000000.123456789", 6),
            Some(1_700_000_000_123_456)
        );
        assert_eq!(scaled_us("1517613228000", 3), Some(1_517_613_228_000_000));
        assert_eq!(scaled_us("-1.5", 3), Some(-1_500));
        assert_eq!(scaled_us("1e9", 6), None);
        assert_eq!(scaled_us("99999999999999999999", 3), None);
    }
}
