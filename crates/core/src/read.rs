//! From bytes to features: GeoJSON by RFC 7946, every violation with its place.
//!
//! It reads a Feature, a `FeatureCollection` or a bare geometry, one feature at a time,
//! and hands each to a visitor, so that memory holds one geometry and not all of them.
//! It decides nothing about identity, lanes or versions: that is the source's contract.

mod bbox;
mod declared;
mod derive;
mod document;
mod edit;
mod feature;
mod geometry;
mod known;
mod located;
mod mercator;
mod place;
mod positions;
mod ranges;
mod records;
#[cfg(feature = "reproject")]
mod reproject;
mod topology;

pub(crate) use derive::judge_derived;
pub(crate) use document::{duplicates, outline, oversized, read, read_part, read_sieved};
pub use edit::Edit;
pub(crate) use edit::Edits;
pub(crate) use place::{Offsets, Place};
pub(crate) use records::{Record, lines, sequence};

use crate::code::Code;
use crate::crs::{CrsRule, Declared};
use crate::geometry::Geometry;
use crate::json::{Index, Value};
use crate::limits::Limits;
use crate::repair::{Derivation, Step};
use crate::violation::{Report, Violation};
use std::ops::Range;

/// What a reading is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) limits: &'a Limits,
    /// Header `Content-Crs`, as received.
    pub(crate) content_crs: Option<&'a str>,
    /// What is done with another CRS than OGC:CRS84.
    pub(crate) crs: CrsRule,
    /// Whether validity is judged; a consumer of the same contract does not.
    pub(crate) judge: bool,
    /// Repairs that are tried, in order.
    pub(crate) repair: &'a [Step],
    /// Whether what repairs changed is told as changes of the text.
    pub(crate) edits: Edits,
}

/// One feature as read.
pub(crate) struct Feature<'a> {
    /// From 0, in document order.
    pub(crate) index: u32,
    /// The feature, or the bare geometry.
    pub(crate) value: Value<'a>,
    /// Whether it is a Feature and not a bare geometry.
    pub(crate) whole: bool,
    /// Pointer to it in the document.
    pub(crate) pointer: String,
    /// None when null, absent or not readable.
    pub(crate) geometry: Option<Geometry>,
    /// The CRS in force, as declared; none when none was.
    pub(crate) declared: Option<Declared>,
    /// The EPSG code from which its geometry is reprojected; none when it stands as it was sent.
    pub(crate) reprojected: Option<u32>,
    /// What was done to its geometry.
    pub(crate) derivation: Derivation,
    /// The same as changes of the text, where that was asked.
    pub(crate) edits: Vec<Edit>,
    /// Its violations.
    pub(crate) report: Report,
}

/// State that all features of one document share.
struct Course<'a> {
    ask: Ask<'a>,
    index: &'a Index,
    /// From where the first feature starts to where the last one so far ends.
    features: Range<usize>,
    /// The index of its first feature in the request.
    first: u32,
    vertices_left: u64,
    work_left: u64,
    /// A declaration outside of every feature is in force in one of them.
    outside_in_force: bool,
    repair_left: RepairLeft,
    #[cfg(feature = "reproject")]
    ways: reproject::Ways,
}

/// What is left for the overlay of repairs.
#[derive(Clone, Copy, Debug)]
struct RepairLeft {
    vertices: u64,
    crossings: u64,
}

/// What the documents of one request share.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    /// The index of the next document's first feature.
    pub(crate) first: u32,
    vertices_left: u64,
    work_left: u64,
    repair_left: RepairLeft,
    #[cfg(feature = "reproject")]
    ways: reproject::Ways,
}

impl Share {
    pub(crate) fn of(limits: &Limits) -> Self {
        Self {
            first: 0,
            vertices_left: limits.vertices_max,
            work_left: limits.work_max,
            repair_left: RepairLeft {
                vertices: limits.repair_vertices_max,
                crossings: limits.repair_vertices_max,
            },
            #[cfg(feature = "reproject")]
            ways: reproject::Ways::default(),
        }
    }
}

impl Course<'_> {
    /// Notes that a feature was read; features come in document order.
    fn pass(&mut self, feature: Value<'_>) {
        if self.features.is_empty() {
            self.features.start = feature.start;
        }
        self.features.end = feature.end;
    }

    /// Takes positions from the budget; a violation when it is spent.
    fn spend_vertices(&mut self, vertices: u64) -> Option<Violation> {
        if let Some(left) = self.vertices_left.checked_sub(vertices) {
            self.vertices_left = left;
            return None;
        }
        self.vertices_left = 0;
        let most = self.ask.limits.vertices_max;
        Some(Violation::new(
            Code::LimitVertices,
            format!("more than {most} positions in one request"),
        ))
    }
}

#[cfg(test)]
mod tests;
