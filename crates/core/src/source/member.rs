//! What a source's contract asks of a member.

use crate::json::{Kind, Value};
use crate::source::rfc3339_us;
use serde::{Deserialize, Serialize};

/// The type of a required member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberType {
    /// Any string.
    String,
    /// Any number.
    Number,
    /// A number written without fraction and exponent.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string that is an RFC 3339 time with offset.
    Time,
}

impl MemberType {
    /// What it is called in a sentence.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Integer => "a number without fraction and exponent",
            Self::Boolean => "a boolean",
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Time => "an RFC 3339 time with offset",
        }
    }

    /// Whether a value is of the type.
    pub(crate) fn takes(self, value: Value<'_>) -> bool {
        let kind = value.kind();
        match self {
            Self::String => kind == Kind::String,
            Self::Number => kind == Kind::Number,
            Self::Integer => kind == Kind::Number && !value.raw().contains(['.', 'e', 'E']),
            Self::Boolean => kind == Kind::Bool,
            Self::Object => kind == Kind::Object,
            Self::Array => kind == Kind::Array,
            Self::Time => value
                .as_text()
                .is_some_and(|text| rfc3339_us(&text).is_some()),
        }
    }
}
