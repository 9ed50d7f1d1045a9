//! A settlement on its way to the queue, and what follows when it is durable.

use crate::end::End;
use crate::row::Row;
use hexlane_backend::{Attempt, Delivery, Recorded, RetryState, Settlement};
use hexlane_core::Outcome;
use hexlane_core::lane::LaneKey;
use hexlane_delivery as delivery;
use hexlane_delivery::Cause;
use std::time::Duration;

/// A settlement that the queue has not confirmed.
#[derive(Debug)]
pub(crate) struct Closing {
    pub(crate) settlement: Settlement,
    pub(crate) fetched_at: Duration,
    pub(crate) then: Then,
}

/// What follows.
#[derive(Debug)]
pub(crate) enum Then {
    /// The event has left.
    Gone(Outcome),
    /// Its key may go on from here: it first, then these.
    Again {
        /// The key, in flight until then.
        key: LaneKey,
        /// The events of the key that were in the batch behind it.
        behind: Vec<Row>,
    },
}

impl Closing {
    /// Acks a delivery with a store's proof.
    pub(crate) fn ack(row: Row, proof: Recorded) -> Result<Self, End> {
        let outcome = proof.outcome();
        let settlement = row
            .delivery
            .ack(proof)
            .map_err(|_| End::defect("store.proof_mismatch"))?;
        Ok(Self {
            settlement,
            fetched_at: row.fetched_at,
            then: Then::Gone(outcome),
        })
    }

    /// Defers a delivery, and with it those of its key behind it.
    pub(crate) fn defer(row: Row, retry: RetryState, behind: Vec<Row>) -> Self {
        Self {
            settlement: row.delivery.defer(retry),
            fetched_at: row.fetched_at,
            then: Then::Again {
                key: row.key,
                behind,
            },
        }
    }
}

/// What the schedule needs of what the queue keeps.
pub(crate) fn retry_state(delivery: &Delivery) -> delivery::RetryState {
    let kept = delivery.retry();
    delivery::RetryState {
        attempts: kept.attempts,
        failures: kept.failures,
        first_attempt_at_us: kept.first_attempt_at_us,
        previous_delay_ms: kept.previous_delay_ms,
    }
}

/// What the queue is to keep after an attempt that failed.
pub(crate) fn kept_after(
    kept: &RetryState,
    state: delivery::RetryState,
    due_at_us: i64,
    attempt: Attempt,
) -> RetryState {
    let mut history = kept.history.clone();
    let last_code = Some(attempt.code.clone());
    history.push(attempt);
    RetryState {
        attempts: state.attempts,
        failures: state.failures,
        due_at_us,
        previous_delay_ms: state.previous_delay_ms,
        first_attempt_at_us: state.first_attempt_at_us,
        last_code,
        history,
    }
    .bounded()
}

/// An attempt that failed so.
pub(crate) fn attempt_of(cause: &Cause, at_us: i64) -> Attempt {
    Attempt {
        at_us,
        class: cause.class(),
        code: cause.code().into_owned(),
    }
}
