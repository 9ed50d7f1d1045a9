//! What comes out: the judgement, its report, and the limits it was made under.

use crate::fault::{Fault, FaultKind};

/// How much to keep and how much to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Faults kept, the first in document order; the totals count the rest. They bound the memory of a report.
    pub faults_max: usize,
    /// Vertex steps: about one for each vertex read, box compared or pair of edges compared. `None` sets no bound.
    pub work_max: Option<u64>,
}

impl Default for Limits {
    /// A hundred faults (more than a person reads), work without bound.
    fn default() -> Self {
        Self {
            faults_max: 100,
            work_max: None,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Judgement {
    /// No fault.
    Valid,
    /// At least one fault.
    Invalid(Report),
    /// The work bound was met before the first fault or the end. Never a guess. Also when a polygon mixes coordinates so
    /// far apart in magnitude (10²⁹⁶) that no arithmetic here is exact for all.
    Undecided {
        /// Vertex steps done.
        work_done: u64,
    },
}

/// The faults of one geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// In document order: by `at`, then `other`, then kind. At most [`Limits::faults_max`].
    pub faults: Vec<Fault>,
    /// How many were found, kept or not.
    pub totals: Totals,
    /// False when the work bound ended the search: the geometry is invalid, and there may be more faults.
    pub complete: bool,
}

/// Faults found, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    counts: [u64; FaultKind::ALL.len()],
}

impl Totals {
    /// Faults of one kind.
    #[must_use]
    pub fn get(&self, kind: FaultKind) -> u64 {
        self.counts[kind as usize]
    }

    /// Faults of all kinds.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The kinds that occur, each with its count.
    pub fn iter(&self) -> impl Iterator<Item = (FaultKind, u64)> + '_ {
        FaultKind::ALL
            .into_iter()
            .map(|kind| (kind, self.get(kind)))
            .filter(|(_, count)| *count > 0)
    }

    pub(crate) fn count(&mut self, kind: FaultKind) {
        self.counts[kind as usize] += 1;
    }
}
