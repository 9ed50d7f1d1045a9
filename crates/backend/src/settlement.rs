//! The final decision for a delivery. Made by consuming it, so that a second ack of the
//! same delivery does not compile, nor one without a proof:
//!
//! ```compile_fail,E0382
//! # use hexlane_backend::{Delivery, Recorded, Settlement};
//! fn twice(delivery: Delivery, first: Recorded, second: Recorded) {
//!     let once = delivery.ack(first);
//!     let again = delivery.ack(second);
//! }
//! ```
//!
//! ```compile_fail,E0061
//! # use hexlane_backend::{Delivery, Settlement};
//! fn without_proof(delivery: Delivery) {
//!     let settlement = delivery.ack();
//! }
//! ```

use crate::delivery::{Delivery, Receipt};
use crate::failure::StoreError;
use crate::recorded::Recorded;
use crate::retry_state::RetryState;

/// Ack with a proof, or defer with what was tried.
#[derive(Debug, PartialEq)]
#[must_use = "a settlement does nothing until the queue has it"]
pub struct Settlement {
    delivery: Delivery,
    decision: Decision,
}

#[derive(Debug, PartialEq)]
enum Decision {
    Ack(Recorded),
    Defer(RetryState),
}

impl Settlement {
    pub(crate) const fn acked(delivery: Delivery, proof: Recorded) -> Self {
        Self {
            delivery,
            decision: Decision::Ack(proof),
        }
    }

    pub(crate) const fn deferred(delivery: Delivery, retry: RetryState) -> Self {
        Self {
            delivery,
            decision: Decision::Defer(retry),
        }
    }

    /// Which entry it is about.
    #[must_use]
    pub const fn receipt(&self) -> &Receipt {
        self.delivery.receipt()
    }

    /// Encoded size of the entry.
    #[must_use]
    pub const fn size_bytes(&self) -> usize {
        self.delivery.size_bytes()
    }

    /// What to keep for a deferred entry; none for an ack.
    #[must_use]
    pub const fn deferral(&self) -> Option<&RetryState> {
        match &self.decision {
            Decision::Ack(_) => None,
            Decision::Defer(retry) => Some(retry),
        }
    }

    /// The proof of an ack; none for a deferral.
    #[must_use]
    pub const fn proof(&self) -> Option<&Recorded> {
        match &self.decision {
            Decision::Ack(proof) => Some(proof),
            Decision::Defer(_) => None,
        }
    }

    /// For queues: what the caller gets back once the settlement is durable.
    pub fn settle(self) -> Settled {
        match self.decision {
            Decision::Ack(_) => Settled::Acked,
            Decision::Defer(retry) => Settled::Deferred(self.delivery.with_retry(retry.bounded())),
        }
    }

    pub(crate) fn twin(&self) -> Self {
        let decision = match &self.decision {
            Decision::Ack(proof) => Decision::Ack(proof.twin()),
            Decision::Defer(retry) => Decision::Defer(retry.clone()),
        };
        Self {
            delivery: self.delivery.twin(),
            decision,
        }
    }
}

/// What the queue made of a settlement.
#[derive(Debug, PartialEq)]
#[must_use = "a deferred delivery is in hand again"]
pub enum Settled {
    /// The entry is gone from the queue.
    Acked,
    /// The entry stays where it was in order, its retry state is durable, and the
    /// delivery is in hand again for the next attempt.
    Deferred(Delivery),
}

/// The queue did not answer that it settled. Settling is idempotent: the same settlements
/// may be sent again.
#[derive(Debug, thiserror::Error)]
#[error("{} settlements not confirmed: {error}", settlements.len())]
pub struct Unsettled {
    /// What was asked, in order.
    pub settlements: Vec<Settlement>,
    /// Why.
    pub error: StoreError,
}

/// A proof of another event than the delivery's.
#[derive(Debug, thiserror::Error)]
#[error("the proof is of {}, the delivery of {}", proof.key(), delivery.key())]
pub struct Mismatch {
    /// The delivery, unsettled.
    pub delivery: Delivery,
    /// The proof.
    pub proof: Recorded,
}
