//! What is done with reference systems: which are taken, how exactly, and where every
//! place must lie.

use super::Canonical;
use crate::source::CrsPolicy;

/// What is done with another system than OGC:CRS84.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OtherCrs {
    /// It is an error.
    #[default]
    Refuse,
    /// Judged in its own coordinates, then reprojected; an error where that cannot be.
    Reproject,
    /// Judged in its own coordinates alone.
    AsItStands,
}

impl From<CrsPolicy> for OtherCrs {
    fn from(policy: CrsPolicy) -> Self {
        match policy {
            CrsPolicy::Reject => Self::Refuse,
            CrsPolicy::Reproject => Self::Reproject,
        }
    }
}

impl OtherCrs {
    /// This and nothing besides.
    pub(crate) const fn rule(self) -> CrsRule {
        CrsRule {
            other: self,
            accuracy_mm_max: None,
            canonical: Canonical::LonLat,
            from_envelope: false,
        }
    }
}

/// A source's rule, or that under which an accepted event is read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CrsRule {
    pub(crate) other: OtherCrs,
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
    pub(crate) const fn of_envelope(other: OtherCrs) -> Self {
        Self {
            from_envelope: true,
            ..other.rule()
        }
    }
}
