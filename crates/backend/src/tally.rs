//! The tally: how many deliveries ended how, kept by the store that ended them.
//!
//! # What every tally holds
//! - A count commits with the outcome it counts: what `apply` and `record` answered is in
//!   it, after a crash too, and what rolled back is not.
//! - Each delivery counts where it ended. A dead event that a later delivery brings to the
//!   map is one `dead` and one `applied`: two deliveries, two ends. Counts never fall; what
//!   is dead still is told by [`DeadLetters::count`](crate::DeadLetters::count).
//! - `lookup` counts nothing: the commit that it finds has counted. A dead letter recorded
//!   again for the same entries counts nothing; a conflict counts once it is recorded dead.
//!
//! So what was published is what is counted and what waits. Only a delivery whose ack was
//! lost between the store and the queue is in it twice: it comes again, as a duplicate.

use crate::failure::Failure;
use hexlane_core::Outcome;
use std::future::Future;

/// Deliveries by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// The map changed.
    pub applied: u64,
    /// A newer version stood already.
    pub stale: u64,
    /// The key had its effect before.
    pub duplicate: u64,
    /// Recorded among the dead letters.
    pub dead: u64,
}

impl OutcomeCounts {
    /// How many ended so.
    #[must_use]
    pub const fn of(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Applied => self.applied,
            Outcome::Stale => self.stale,
            Outcome::Duplicate => self.duplicate,
            Outcome::Dead => self.dead,
        }
    }

    /// Counts so many more.
    pub const fn add(&mut self, outcome: Outcome, deliveries: u64) {
        let count = match outcome {
            Outcome::Applied => &mut self.applied,
            Outcome::Stale => &mut self.stale,
            Outcome::Duplicate => &mut self.duplicate,
            Outcome::Dead => &mut self.dead,
        };
        *count = count.saturating_add(deliveries);
    }
}

impl FromIterator<Outcome> for OutcomeCounts {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.add(outcome, 1);
        }
        counts
    }
}

/// Knows how deliveries ended.
pub trait Tally: Send + Sync + 'static {
    /// How many ended how, since the store was made.
    fn tally(&self) -> impl Future<Output = Result<OutcomeCounts, Failure>> + Send;
}
