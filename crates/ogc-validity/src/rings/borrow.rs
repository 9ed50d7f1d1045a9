//! Takes the rings as they lie in the input, when nothing is wrong with any of them alone: no copy, no map of indices.

use std::borrow::Cow;

use super::{Fitness, Part, Ring, Rings};
use crate::exact::{Point, before, side};
use crate::narrow;
use crate::runs;
use crate::scale::Scale;
use crate::shape::Shape;
use crate::tree::Node;

impl<'a> Rings<'a> {
    /// `None` when a ring has to be told, or the coordinates cannot be judged as they are.
    /// Appends the leaves of the rings.
    pub(crate) fn borrow(shape: &Shape<'a>, leaves: &mut Vec<Node>) -> Option<Self> {
        let (points, rest) = shape.coordinates.as_chunks::<2>();
        if shape.stride != 2 || !rest.is_empty() {
            return None;
        }
        let mut table = Vec::with_capacity(shape.ring_ends.len());
        let mut parts = Vec::with_capacity(shape.part_ends.len());
        for part in 0..shape.part_ends.len() {
            let mut shell = Fitness::Empty;
            for (index, number) in shape.part(part).enumerate() {
                let range = shape.ring_range(number);
                if range.is_empty() {
                    continue;
                }
                if !is_ring(&points[range.clone()]) {
                    return None;
                }
                let (edges, own) = (range.start..range.end - 1, leaves.len());
                if !runs::cut(points, edges.clone(), narrow(table.len()), leaves) {
                    return None;
                }
                if index == 0 {
                    shell = Fitness::Fit(table.len());
                }
                table.push(Ring {
                    part: narrow(part),
                    index: narrow(index),
                    first: edges.start,
                    last: edges.end,
                    least: least(points, &leaves[own..]),
                });
            }
            parts.push(Part {
                shell,
                complete: true,
            });
        }
        Some(Self {
            points: Cow::Borrowed(points),
            vertices: None,
            table,
            parts,
            scale: Scale::ONE,
        })
    }
}

/// Whether a ring is closed, of enough points, and not all on one line, for all that its numbers may be.
fn is_ring(ring: &[Point]) -> bool {
    let [from, to, third, rest @ .., end] = ring else {
        return false;
    };
    let is_off = |point: &Point| !side(*from, *to, *point).is_eq();
    from == end && (is_off(third) || rest.iter().any(is_off))
}

/// The point least by x, then y: in one of the leaves that reach farthest west.
pub(super) fn least(points: &[Point], leaves: &[Node]) -> usize {
    let west = leaves.iter().fold(f64::INFINITY, |west, leaf| {
        if leaf.low[0] < west {
            leaf.low[0]
        } else {
            west
        }
    });
    let mut least = leaves[0].first as usize;
    for leaf in leaves.iter().filter(|leaf| leaf.low[0] == west) {
        for point in leaf.first as usize..leaf.last as usize {
            if before(points[point], points[least]) {
                least = point;
            }
        }
    }
    least
}
