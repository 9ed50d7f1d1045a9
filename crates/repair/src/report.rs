//! What comes out beside the geometry: what changed, or why nothing was repaired; and the limits.

use ogc_validity::{OwnedShape, Report, ShapeError};
use std::fmt;

use crate::step::Step;

/// How large a geometry may be and how much work a repair may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Vertices that go into the overlay: of the parts that a fault concerns. It takes some 300 bytes for each.
    pub vertices_max: usize,
    /// Faults, and so crossings of edges, of which each becomes a vertex of the overlay: n edges can cross n²/2 times.
    /// They are counted by the judge before the overlay begins.
    pub crossings_max: u64,
    /// Vertex steps of all judgements, as `ogc_validity::Limits::work_max`. The rule `structure` compares each hole with
    /// its shell: holes times vertices of a part count too.
    pub work_max: u64,
}

#[cfg(feature = "overlay")]
impl Limits {
    pub(crate) fn spend_vertices(&mut self, vertices: usize) -> Result<(), Refusal> {
        let left = self.vertices_max.checked_sub(vertices);
        self.vertices_max = left.ok_or(Refusal::TooManyVertices)?;
        Ok(())
    }

    pub(crate) fn spend_crossings(&mut self, crossings: u64) -> Result<(), Refusal> {
        let left = self.crossings_max.checked_sub(crossings);
        self.crossings_max = left.ok_or(Refusal::TooComplex)?;
        Ok(())
    }

    pub(crate) fn spend_work(&mut self, steps: u64) -> Result<(), Refusal> {
        let left = self.work_max.checked_sub(steps);
        self.work_max = left.ok_or(Refusal::TooComplex)?;
        Ok(())
    }
}

impl Default for Limits {
    /// A million vertices, a million crossings, 400 million steps: seconds at the worst.
    fn default() -> Self {
        Self {
            vertices_max: 1_000_000,
            crossings_max: 1_000_000,
            work_max: 400_000_000,
        }
    }
}

/// What one step did. Before and after are of the whole geometry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Which step.
    pub step: Step,
    /// Parts (polygons, lines, points) before and after.
    pub parts: [usize; 2],
    /// Rings, or lines, before and after.
    pub rings: [usize; 2],
    /// Area of shells less holes before and after, each ring by itself: what a bowtie's lobes cancel is not in it.
    pub area: [f64; 2],
    /// Vertices in the result at no place where the input has one.
    pub vertices_added: usize,
    /// Distinct places of the input's vertices that the result lacks.
    pub vertices_dropped: usize,
    /// Vertices of the input that stand elsewhere now: swapped, shifted by 360°, or merged with one too close to tell apart.
    pub vertices_moved: usize,
    /// Rings or lines of the input that enclose nothing (or have no length) and are gone: a collapse of dimension.
    pub collapsed: usize,
}

/// A repaired geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The result. Polygonal results of `make-valid` and `split-antimeridian` are judged valid.
    pub geometry: OwnedShape,
    /// The steps that changed something, in the order asked. Empty: the geometry is bit-equal to the input.
    pub changes: Vec<Change>,
}

/// Why a geometry was not repaired. None of these passes by trying again with the same limits.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The arrays describe no shape.
    Shape(ShapeError),
    /// The step needs the overlay, which this build leaves out.
    Unavailable,
    /// More vertices than [`Limits::vertices_max`].
    TooManyVertices,
    /// More crossings or more work than the limits allow.
    TooComplex,
    /// An ordinate is NaN or infinite: nobody knows where it belongs.
    NonFinite,
    /// Coordinates beyond 2⁸⁰⁰, or all under 2⁻⁸⁰⁰: no grid holds them. Or longitudes beyond 10⁶, to be cut at ±180°.
    Magnitude,
    /// Nothing with area (or length) is left.
    Collapsed,
    /// A ring goes round a pole: RFC 7946 has no way to cut it that keeps its meaning.
    Pole,
    /// The polygons cross themselves where `split-antimeridian` is asked: ask for `make-valid` first.
    InvalidBefore(Box<Report>),
    /// The result is not valid. It is thrown away.
    InvalidAfter(Box<Report>),
}

impl Refusal {
    /// The stable name for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Shape(_) => "repair.shape",
            Self::Unavailable => "repair.unavailable",
            Self::TooManyVertices => "repair.too_many_vertices",
            Self::TooComplex => "repair.too_complex",
            Self::NonFinite => "repair.non_finite",
            Self::Magnitude => "repair.magnitude",
            Self::Collapsed => "repair.collapsed",
            Self::Pole => "repair.pole",
            Self::InvalidBefore(_) => "repair.invalid_before",
            Self::InvalidAfter(_) => "repair.invalid_after",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Shape(error) => return error.fmt(out),
            Self::Unavailable => "this build leaves the repair out",
            Self::TooManyVertices => "more vertices than a repair takes",
            Self::TooComplex => "more crossings than a repair takes",
            Self::NonFinite => "a coordinate is not a finite number",
            Self::Magnitude => "coordinates are too large or too small to be repaired",
            Self::Collapsed => "nothing is left after the repair",
            Self::Pole => "a ring goes round a pole",
            Self::InvalidBefore(_) => "polygons cross themselves: make them valid first",
            Self::InvalidAfter(_) => "the result of the repair is not valid",
        })
    }
}

impl std::error::Error for Refusal {}

impl From<ShapeError> for Refusal {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}
