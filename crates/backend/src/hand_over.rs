//! Which entries of a shard the present epoch had, for queues over an ordered log: first
//! everything up to the mark that stood when the epoch began, then the rest. A queue that
//! keeps this in memory forgets nothing by a crash: the next epoch begins anew.

use crate::queue::Position;
use hexlane_core::lane::Shard;
use std::ops::RangeInclusive;

/// How far the present epoch has read.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandOver {
    mark: u64,
    handed: u64,
    pending_loaded: bool,
}

impl HandOver {
    /// A new epoch begins; `mark` is the highest sequence number given out so far.
    #[must_use]
    pub const fn begin(mark: u64) -> Self {
        Self {
            mark,
            handed: 0,
            pending_loaded: false,
        }
    }

    /// The sequence numbers to read next; none when new entries must wait for the
    /// pending ones.
    #[must_use]
    pub fn next(&self, position: Position) -> Option<RangeInclusive<u64>> {
        match position {
            Position::Pending => Some(self.handed.saturating_add(1)..=self.mark),
            Position::New if self.pending_loaded => {
                Some(self.handed.max(self.mark).saturating_add(1)..=u64::MAX)
            }
            Position::New => None,
        }
    }

    /// Notes what a fetch with credit handed out last.
    pub const fn note(&mut self, position: Position, last: Option<u64>) {
        match (position, last) {
            (_, Some(sequence)) => self.handed = sequence,
            (Position::Pending, None) => self.pending_loaded = true,
            (Position::New, None) => {}
        }
    }
}

/// Waiting entries of one shard, counted as they come and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardCount {
    /// Everything that is not acked.
    pub waiting: u64,
    /// Of those, handed out under the present epoch.
    pub handed: u64,
    /// Encoded size of everything not acked.
    pub bytes: u64,
}

impl ShardCount {
    /// An entry came.
    pub const fn add(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// An entry was acked.
    pub const fn remove(&mut self, bytes: u64) {
        self.waiting = self.waiting.saturating_sub(1);
        self.handed = self.handed.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// As the queue reports it.
    #[must_use]
    pub const fn report(self, shard: Shard, oldest_age_ms: Option<u64>) -> crate::ShardBacklog {
        crate::ShardBacklog {
            shard,
            ready: self.waiting.saturating_sub(self.handed),
            in_flight: self.handed,
            oldest_age_ms,
            bytes: self.bytes,
        }
    }
}
