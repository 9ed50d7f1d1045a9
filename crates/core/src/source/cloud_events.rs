//! What a source makes of CloudEvents.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CloudEventSettings {
    /// The types that the source takes, and what each does; empty takes every type, and
    /// the feature says what it does.
    pub types: BTreeMap<String, TypeOp>,
    /// Whether `time` is the version of every event of the source. It takes nothing but
    /// `CloudEvents` then: one rule orders all that is said of an entity.
    pub time_is_version: bool,
}

/// What an event of a type does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeOp {
    /// Puts the entity's state.
    Upsert,
    /// Removes it.
    Delete,
    /// What the feature's own op says.
    Feature,
}
