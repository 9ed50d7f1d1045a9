//! The geometry as it comes in: flat, borrowed coordinates and two tables that cut them into rings and parts.
//!
//! Checks the tables, never the coordinates: a table that does not fit is a [`ShapeError`], a coordinate that does not
//! fit is a fault.

use std::fmt;
use std::ops::Range;

/// What a [`Shape`] is; the names of OGC Simple Features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShapeKind {
    /// One position, or none.
    Point,
    /// Positions; each is a part.
    MultiPoint,
    /// One line, or none.
    LineString,
    /// Lines; each is a ring of part 0.
    MultiLineString,
    /// One shell and its holes, or nothing.
    Polygon,
    /// Polygons; each is a part.
    MultiPolygon,
}

/// A borrowed geometry in flat arrays.
///
/// | kind | `ring_ends` | `part_ends` |
/// |---|---|---|
/// | points | not read | not read |
/// | line | `[n]`, or empty when there is no position | not read |
/// | lines | one end a line | not read |
/// | polygon | one end a ring, the shell first | `[rings]`, or empty when there is no ring |
/// | polygons | one end a ring, running over all parts | one end a part |
///
/// A ring repeats its first position at its end, as in `GeoJSON` and WKT; one that does not is reported, never closed.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'a> {
    /// What the coordinates describe.
    pub kind: ShapeKind,
    /// `x, y` or `x, y, z` of every vertex, in document order.
    pub coordinates: &'a [f64],
    /// Numbers per vertex: 2 or 3.
    pub stride: usize,
    /// Where each ring (or line) ends, in vertices, exclusive, running over the whole shape.
    pub ring_ends: &'a [u32],
    /// Where each part ends, in rings, exclusive.
    pub part_ends: &'a [u32],
}

/// Tables that do not describe a shape: the caller's mistake, not a fault of the geometry. Again with the same tables
/// fails the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeError {
    /// The stride is neither 2 nor 3.
    Stride,
    /// The number of coordinates is not a multiple of the stride.
    Coordinates,
    /// More vertices than a `u32` counts.
    TooManyVertices,
    /// More than one position in a point, or more than one line in a line.
    TooManyElements,
    /// The ring ends fall, or the last is not the number of vertices.
    RingEnds,
    /// The part ends fall, or the last is not the number of rings, or a polygon has several.
    PartEnds,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Stride => "stride is neither 2 nor 3",
            Self::Coordinates => "coordinates are not a multiple of the stride",
            Self::TooManyVertices => "more vertices than 32 bits count",
            Self::TooManyElements => "several elements in a single point or line",
            Self::RingEnds => "ring ends do not rise to the number of vertices",
            Self::PartEnds => "part ends do not rise to the number of rings",
        })
    }
}

impl std::error::Error for ShapeError {}

/// A vertex as judged: where it lies, and whether its further ordinates are finite.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex {
    pub(crate) xy: [f64; 2],
    pub(crate) finite: bool,
}

impl<'a> Shape<'a> {
    /// Refuses tables that do not fit; after this every look-up below is within its bounds.
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        if self.stride != 2 && self.stride != 3 {
            return Err(ShapeError::Stride);
        }
        if !self.coordinates.len().is_multiple_of(self.stride) {
            return Err(ShapeError::Coordinates);
        }
        let vertices = self.vertex_count();
        if u32::try_from(vertices).is_err() {
            return Err(ShapeError::TooManyVertices);
        }
        match self.kind {
            ShapeKind::Point if vertices > 1 => Err(ShapeError::TooManyElements),
            ShapeKind::Point | ShapeKind::MultiPoint => Ok(()),
            ShapeKind::LineString if self.ring_ends.len() > 1 => Err(ShapeError::TooManyElements),
            ShapeKind::LineString | ShapeKind::MultiLineString => self.check_rings(vertices),
            ShapeKind::Polygon if self.part_ends.len() > 1 => Err(ShapeError::PartEnds),
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                self.check_rings(vertices)?;
                rises_to(self.part_ends, self.ring_ends.len(), ShapeError::PartEnds)
            }
        }
    }

    fn check_rings(&self, vertices: usize) -> Result<(), ShapeError> {
        rises_to(self.ring_ends, vertices, ShapeError::RingEnds)
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.coordinates.len() / self.stride
    }

    /// The coordinates of one ring or line, whole vertices.
    pub(crate) fn ring(&self, ring: usize) -> &'a [f64] {
        let range = self.ring_range(ring);
        &self.coordinates[range.start * self.stride..range.end * self.stride]
    }

    /// The vertices of one ring or line.
    pub(crate) fn ring_range(&self, ring: usize) -> Range<usize> {
        between(self.ring_ends, ring)
    }

    /// The rings of one part.
    pub(crate) fn part(&self, part: usize) -> Range<usize> {
        between(self.part_ends, part)
    }

    pub(crate) fn vertices(
        &self,
        ring: &'a [f64],
    ) -> impl DoubleEndedIterator<Item = Vertex> + ExactSizeIterator + 'a {
        ring.chunks_exact(self.stride).map(|ordinates| Vertex {
            xy: [ordinates[0], ordinates[1]],
            finite: ordinates.iter().all(|ordinate| ordinate.is_finite()),
        })
    }
}

fn between(ends: &[u32], index: usize) -> Range<usize> {
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    start..ends[index] as usize
}

fn rises_to(ends: &[u32], total: usize, error: ShapeError) -> Result<(), ShapeError> {
    let last = ends.last().map_or(0, |end| *end as usize);
    if ends.is_sorted() && last == total {
        Ok(())
    } else {
        Err(error)
    }
}
