//! What is done with reference systems: which are taken, how exactly, and where every
//! place must lie.

use super::Canonical;
use crate::source::CrsPolicy;

/// A source's rule, or that under which an accepted event is read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CrsRule {
    pub(crate) policy: CrsPolicy,
    /// How far from its place a reprojected position may come to lie; none takes what the
    /// list has.
    pub(crate) accuracy_mm_max: Option<u32>,
    pub(crate) canonical: Canonical,
    /// What is given as declared outside is the word of an envelope and not of a header: the
    /// body may say otherwise, as it did at the door.
    pub(crate) from_envelope: bool,
}

impl CrsRule {
    /// The rule under which the door took an event. What it took is not asked again how exact
    /// it is, nor where it lies.
    pub(crate) const fn of_envelope(policy: CrsPolicy) -> Self {
        Self {
            policy,
            accuracy_mm_max: None,
            canonical: Canonical::LonLat,
            from_envelope: true,
        }
    }
}

impl CrsPolicy {
    /// A policy and nothing besides.
    pub(crate) const fn rule(self) -> CrsRule {
        CrsRule {
            policy: self,
            accuracy_mm_max: None,
            canonical: Canonical::LonLat,
            from_envelope: false,
        }
    }
}
