//! The name under which an event's effect happens once: its idempotency key within its
//! source.

use hexlane_core::Envelope;
use std::fmt;

/// Source and idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey {
    /// Who sent it.
    pub source: String,
    /// The key, verbatim.
    pub key: String,
}

impl EventKey {
    /// The key of an event.
    #[must_use]
    pub fn of(envelope: &Envelope) -> Self {
        Self {
            source: envelope.source.clone(),
            key: envelope.key.value.clone(),
        }
    }
}

impl fmt::Display for EventKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.source, self.key)
    }
}
