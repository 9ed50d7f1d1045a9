//! The same geometry, owned: for readers that fill the arrays and for whoever makes one from another.

use crate::shape::{Shape, ShapeKind};
use std::ops::Range;

/// A geometry that owns its arrays; their layout is that of [`Shape`].
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedShape {
    /// What the coordinates describe.
    pub kind: ShapeKind,
    /// `x, y` or `x, y, z` of every vertex, in document order.
    pub coordinates: Vec<f64>,
    /// Numbers per vertex: 2 or 3.
    pub stride: usize,
    /// Where each ring or line ends, in vertices.
    pub ring_ends: Vec<u32>,
    /// Where each part ends, in rings.
    pub part_ends: Vec<u32>,
}

impl OwnedShape {
    /// The borrowed form that is judged.
    #[must_use]
    pub fn as_shape(&self) -> Shape<'_> {
        Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: self.stride,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        }
    }

    /// How many vertices it has.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.coordinates.len() / self.stride
    }

    /// x and y of every vertex.
    pub fn positions(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.coordinates
            .chunks_exact(self.stride)
            .map(|position| [position[0], position[1]])
    }

    /// The rings or lines, as ranges of vertices.
    pub fn rings(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        ranges(&self.ring_ends)
    }

    /// The parts of polygons, as ranges of rings.
    pub fn parts(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        ranges(&self.part_ends)
    }
}

fn ranges(ends: &[u32]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    ends.iter().map(move |end| {
        let end = usize::try_from(*end).unwrap_or(usize::MAX);
        let range = start..end;
        start = end;
        range
    })
}
