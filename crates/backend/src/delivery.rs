//! A delivery: one hand-over of what stands on the queue. It is settled by being consumed;
//! a delivery that is dropped stays on the queue and comes again under the next epoch.

use crate::key::EventKey;
use crate::recorded::Recorded;
use crate::retry_state::RetryState;
use crate::settlement::{Mismatch, Settlement};
use hexlane_core::Envelope;
use hexlane_core::envelope::EnvelopeError;

/// The queue's handle for a delivery, and the entry's name in dead letters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Receipt(Box<str>);

impl Receipt {
    /// A handle as the queue writes it.
    #[must_use]
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What the queue had for an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// An event.
    Event(Box<Envelope>),
    /// Bytes that are not an envelope this build reads; for poison, verbatim.
    Unreadable {
        /// The bytes.
        bytes: Vec<u8>,
        /// Why not.
        reason: EnvelopeError,
    },
    /// The entry is known and its bytes are gone; for poison, code `body_lost`.
    Lost,
}

impl Body {
    /// The body that these bytes are.
    #[must_use]
    pub fn decode(bytes: Vec<u8>) -> Self {
        match Envelope::decode(&bytes) {
            Ok(envelope) => Self::Event(Box::new(envelope)),
            Err(reason) => Self::Unreadable { bytes, reason },
        }
    }
}

/// One hand-over of an entry.
#[derive(Debug, PartialEq)]
#[must_use = "a delivery that is not settled comes again only under the next epoch"]
pub struct Delivery {
    receipt: Receipt,
    body: Body,
    retry: RetryState,
    size_bytes: usize,
}

impl Delivery {
    /// For queues: a hand-over.
    pub const fn new(receipt: Receipt, body: Body, retry: RetryState, size_bytes: usize) -> Self {
        Self {
            receipt,
            body,
            retry,
            size_bytes,
        }
    }

    /// The queue's handle.
    #[must_use]
    pub const fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// What the queue had.
    #[must_use]
    pub const fn body(&self) -> &Body {
        &self.body
    }

    /// The event, when it is one.
    #[must_use]
    pub fn envelope(&self) -> Option<&Envelope> {
        match &self.body {
            Body::Event(envelope) => Some(envelope),
            Body::Unreadable { .. } | Body::Lost => None,
        }
    }

    /// What was tried so far.
    #[must_use]
    pub const fn retry(&self) -> &RetryState {
        &self.retry
    }

    /// Encoded size; what it costs of a credit.
    #[must_use]
    pub const fn size_bytes(&self) -> usize {
        self.size_bytes
    }

    /// The key under which it must be recorded. An entry that is no event goes by its
    /// entry id under the source `(unreadable)`.
    #[must_use]
    pub fn key(&self) -> EventKey {
        self.envelope().map_or_else(
            || EventKey {
                source: "(unreadable)".to_owned(),
                key: format!("entry:{}", self.receipt.as_str()),
            },
            EventKey::of,
        )
    }

    /// Done: the proof says where the event lives now.
    ///
    /// # Errors
    /// When the proof is of another key; both come back.
    pub fn ack(self, proof: Recorded) -> Result<Settlement, Box<Mismatch>> {
        if self.key() == *proof.key() {
            Ok(Settlement::acked(self, proof))
        } else {
            Err(Box::new(Mismatch {
                delivery: self,
                proof,
            }))
        }
    }

    /// Not yet: keep what was tried, durably.
    pub const fn defer(self, retry: RetryState) -> Settlement {
        Settlement::deferred(self, retry)
    }

    pub(crate) fn with_retry(mut self, retry: RetryState) -> Self {
        self.retry = retry;
        self
    }

    pub(crate) fn twin(&self) -> Self {
        Self {
            receipt: self.receipt.clone(),
            body: self.body.clone(),
            retry: self.retry.clone(),
            size_bytes: self.size_bytes,
        }
    }
}
