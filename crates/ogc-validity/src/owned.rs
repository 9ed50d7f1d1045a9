//! A shape that owns its arrays, for those who have none.

use crate::shape::{Shape, ShapeKind};

/// A geometry in flat arrays of its own; see [`Shape`] for what they mean.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedShape {
    /// What the coordinates describe.
    pub kind: ShapeKind,
    /// `x, y` or `x, y, z` of every vertex, in document order.
    pub coordinates: Vec<f64>,
    /// Numbers per vertex: 2 or 3.
    pub stride: usize,
    /// Where each ring (or line) ends, in vertices.
    pub ring_ends: Vec<u32>,
    /// Where each part ends, in rings.
    pub part_ends: Vec<u32>,
}

impl OwnedShape {
    /// The shape to be judged.
    #[must_use]
    pub fn shape(&self) -> Shape<'_> {
        Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: self.stride,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        }
    }
}
