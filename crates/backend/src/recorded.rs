//! The proof that a store has an event now: the only thing an ack can be made of.

use crate::key::EventKey;
use hexlane_core::Outcome;

/// A sink or the dead letters have this event durably, with this outcome.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a proof that is not used leaves its delivery unsettled"]
pub struct Recorded {
    key: EventKey,
    outcome: Outcome,
}

impl Recorded {
    /// For sinks and dead letters alone, after their commit. An engine that calls this
    /// acks without a receipt; the architecture test looks for it.
    pub const fn by_store(key: EventKey, outcome: Outcome) -> Self {
        Self { key, outcome }
    }

    /// Whose proof it is.
    #[must_use]
    pub const fn key(&self) -> &EventKey {
        &self.key
    }

    /// What became of the event.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    pub(crate) fn twin(&self) -> Self {
        Self {
            key: self.key.clone(),
            outcome: self.outcome,
        }
    }
}
