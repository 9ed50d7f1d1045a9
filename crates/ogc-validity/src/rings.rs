//! The rings of a shape that are fit to be judged together, as flat points without repeats. Each point knows the vertex
//! it came from. What makes a ring unfit is told where it is read.

mod borrow;
mod read;

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::exact::{Point, side};
use crate::fault::Place;
use crate::narrow;
use crate::scale::Scale;

/// A fit ring: its edges are `first..last`, edge `e` running from point `e` to point `e + 1`; point `last` repeats
/// point `first`.
#[derive(Debug, Clone)]
pub(crate) struct Ring {
    pub(crate) part: u32,
    /// Its number in its part, as in the input.
    pub(crate) index: u32,
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The point least by x, then y.
    pub(crate) least: usize,
}

impl Ring {
    pub(crate) fn is_shell(&self) -> bool {
        self.index == 0
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.last - self.first
    }

    /// The point after, round the ring.
    pub(crate) fn next(&self, point: usize) -> usize {
        if point + 1 == self.last {
            self.first
        } else {
            point + 1
        }
    }

    /// The point before, round the ring.
    pub(crate) fn previous(&self, point: usize) -> usize {
        if point == self.first {
            self.last - 1
        } else {
            point - 1
        }
    }
}

/// What became of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fitness {
    /// It has no position; that is no fault.
    Empty,
    /// It was told and left out.
    Unfit,
    /// It is stored under this number.
    Fit(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) shell: Fitness,
    /// Whether none of its rings is unfit.
    pub(crate) complete: bool,
}

#[derive(Debug)]
pub(crate) struct Rings<'a> {
    /// The input itself where it can be judged as it is, else a copy.
    pub(crate) points: Cow<'a, [Point]>,
    /// The first of the repeated vertices that a point stands for. None where each vertex is a point.
    vertices: Option<Vec<u32>>,
    pub(crate) table: Vec<Ring>,
    pub(crate) parts: Vec<Part>,
    scale: Scale,
}

impl Rings<'_> {
    /// The two ends of an edge.
    pub(crate) fn edge(&self, edge: usize) -> [Point; 2] {
        [self.points[edge], self.points[edge + 1]]
    }

    /// The ring of a point, or of an edge.
    pub(crate) fn ring_of(&self, point: usize) -> usize {
        self.table.partition_point(|ring| ring.last <= point)
    }

    /// `Greater` when the ring runs with its inside on the left. Sure when the ring does not cross itself.
    pub(crate) fn winding(&self, ring: &Ring) -> Ordering {
        let least = ring.least;
        side(
            self.points[ring.previous(least)],
            self.points[least],
            self.points[least + 1],
        )
    }

    pub(crate) fn edge_place(&self, ring: &Ring, edge: usize) -> Place {
        Place {
            part: ring.part,
            ring: ring.index,
            vertex: match &self.vertices {
                Some(vertices) => vertices[edge + 1] - 1,
                None => narrow(edge - ring.first),
            },
        }
    }

    pub(crate) fn point_place(&self, ring: &Ring, point: usize) -> Place {
        Place {
            part: ring.part,
            ring: ring.index,
            vertex: match &self.vertices {
                Some(vertices) => vertices[point],
                None => narrow(point - ring.first),
            },
        }
    }

    /// A stored or computed point in the units of the input.
    pub(crate) fn location(&self, point: Point) -> Point {
        // A negative zero is told as zero, copied or not.
        self.scale.undo(point).map(|ordinate| ordinate + 0.0)
    }
}
