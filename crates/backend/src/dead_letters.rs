//! Dead letters: events that could not be delivered, with their exact bytes and the whole
//! story, in the fields of `dlq.v1`.
//!
//! # What every store of dead letters holds
//! - `record` answers after a commit that also claims the key as `dead`, so that the queue
//!   may forget the entry. A key that is claimed already keeps its claim.
//! - Recording the same key and payload again updates the one record (attempts, times,
//!   reason); a record that was superseded stays closed.
//! - An event whose key and payload had their effect already is not dead: it is answered
//!   `Duplicate` and no record is made.
//! - The bytes read back are the bytes received.
//!
//! Not here: what may be replayed, and when.

use crate::delivery::Body;
use crate::failure::{Failure, StoreError};
use crate::key::EventKey;
use crate::lease::Lease;
use crate::recorded::Recorded;
use crate::retry_state::Attempt;
pub use hexlane_core::Destination;
use hexlane_core::digest::{Sha256Digest, sha256};
use hexlane_core::{FailureClass, Stage};
use std::future::Future;

/// Where a geometry is at fault.
#[derive(Clone, Debug, PartialEq)]
pub struct GeometryError {
    /// As GEOS says it: `Self-intersection[0.5 0.5]`.
    pub reason: String,
    /// x, y in that CRS.
    pub location: Option<[f64; 2]>,
    /// EPSG code of the location.
    pub epsg: Option<u32>,
}

/// An event that could not be delivered.
#[derive(Clone, Debug, PartialEq)]
pub struct DeadLetter {
    /// Retry or poison.
    pub destination: Destination,
    /// The delivery's key.
    pub key: EventKey,
    /// What the queue had: the envelope with its raw payload, or the bytes.
    pub body: Body,
    /// What kind of failure.
    pub class: FailureClass,
    /// Its stable code.
    pub code: String,
    /// Where it failed.
    pub stage: Stage,
    /// The sentence for a person.
    pub error_message: String,
    /// Where the geometry is at fault, when it is.
    pub geometry_error: Option<GeometryError>,
    /// Every violation, JSON array text; `[]` when there is none.
    pub violations: String,
    /// How often it was tried; at least 1.
    pub attempts: u32,
    /// The last attempts, oldest first.
    pub history: Vec<Attempt>,
    /// When the door or the consumer first saw it, µs since 1970.
    pub first_seen_at_us: i64,
    /// When it was given up, µs since 1970.
    pub dead_lettered_at_us: i64,
    /// Entry ids on the queue.
    pub entry_ids: Vec<String>,
}

impl DeadLetter {
    /// How many entry ids are kept: replays add one each.
    pub const ENTRY_IDS_MAX: usize = 16;

    /// Digest of the payload; of the bytes when they are no envelope.
    #[must_use]
    pub fn payload_sha256(&self) -> Sha256Digest {
        match &self.body {
            Body::Event(envelope) => envelope.payload_sha256,
            Body::Unreadable { bytes, .. } => sha256(bytes),
            Body::Lost => sha256(&[]),
        }
    }

    /// Whether it was made of an entry that `earlier`, of the same key and payload, does
    /// not know: another delivery ended here, and this is no repeat after a lost answer.
    #[must_use]
    pub fn ends_another_delivery(&self, earlier: &Self) -> bool {
        self.entry_ids
            .iter()
            .any(|id| !earlier.entry_ids.contains(id))
    }

    /// This record made later than `earlier`, of the same key and payload: first seen
    /// when that was, and with its entry ids before its own.
    #[must_use]
    pub fn after(mut self, earlier: &Self) -> Self {
        self.first_seen_at_us = self.first_seen_at_us.min(earlier.first_seen_at_us);
        let new_ids = std::mem::take(&mut self.entry_ids);
        self.entry_ids.clone_from(&earlier.entry_ids);
        for id in new_ids {
            if !self.entry_ids.contains(&id) {
                self.entry_ids.push(id);
            }
        }
        let surplus = self.entry_ids.len().saturating_sub(Self::ENTRY_IDS_MAX);
        self.entry_ids.drain(..surplus);
        self
    }
}

/// Whether a dead letter still wants something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeadLetterState {
    /// Not delivered.
    Open,
    /// A later delivery of the same key had its effect, or was stale.
    Superseded,
}

impl DeadLetterState {
    /// Every state, in the order of the declaration.
    pub const ALL: [Self; 2] = [Self::Open, Self::Superseded];

    /// The fixed name in stores.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Superseded => "superseded",
        }
    }

    /// The state of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A dead letter as it stands in the store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDeadLetter {
    /// The record.
    pub letter: DeadLetter,
    /// Open or closed.
    pub state: DeadLetterState,
}

/// How many open dead letters there are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadCount {
    /// Retry or poison.
    pub destination: Destination,
    /// What kind of failure.
    pub class: FailureClass,
    /// How many are open.
    pub open: u64,
}

/// Keeps what could not be delivered.
pub trait DeadLetters: Send + Sync + 'static {
    /// Records dead letters, all or none, and answers for each in order after the
    /// commit. Recording again after a lost answer is safe.
    fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> impl Future<Output = Result<Vec<Recorded>, StoreError>> + Send;

    /// Every record of a key, oldest first.
    fn find(
        &self,
        key: EventKey,
    ) -> impl Future<Output = Result<Vec<StoredDeadLetter>, Failure>> + Send;

    /// How many are open, by destination and class; kinds without any are left out.
    fn count(&self) -> impl Future<Output = Result<Vec<DeadCount>, Failure>> + Send;
}
