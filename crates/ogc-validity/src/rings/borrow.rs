//! Takes the rings as they lie in the input, when nothing is wrong with any of them alone: no copy, no map of indices.

use std::borrow::Cow;

use super::{Fitness, Part, Ring, Rings};
use crate::exact::{Point, before, side};
use crate::narrow;
use crate::scale::{Scale, is_ordinary};
use crate::shape::Shape;

impl<'a> Rings<'a> {
    /// `None` when a ring has to be told, or the coordinates cannot be judged as they are.
    pub(crate) fn borrow(shape: &Shape<'a>) -> Option<Self> {
        let (points, rest) = shape.coordinates.as_chunks::<2>();
        if shape.stride != 2 || !rest.is_empty() {
            return None;
        }
        let mut table = Vec::with_capacity(shape.ring_ends.len());
        let mut parts = Vec::with_capacity(shape.part_ends.len());
        let lone = shape.ring_ends.len() == 1;
        for part in 0..shape.part_ends.len() {
            let mut shell = Fitness::Empty;
            for (index, number) in shape.part(part).enumerate() {
                let range = shape.ring_range(number);
                if range.is_empty() {
                    continue;
                }
                let ring = &points[range.clone()];
                if !is_fit(ring) {
                    return None;
                }
                if index == 0 {
                    shell = Fitness::Fit(table.len());
                }
                // A lone ring is not compared with others by its least point.
                let least = if lone { 0 } else { least(ring) };
                table.push(Ring {
                    part: narrow(part),
                    index: narrow(index),
                    first: range.start,
                    last: range.end - 1,
                    least: range.start + least,
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

fn is_fit(ring: &[Point]) -> bool {
    let [from, to, _, rest @ .., end] = ring else {
        return false;
    };
    let turns =
        || !side(*from, *to, ring[2]).is_eq() || rest.iter().any(|p| !side(*from, *to, *p).is_eq());
    from == end && is_plain(ring) && turns()
}

/// Whether all numbers can be judged as they are and no position follows itself. Without a branch a number, so that
/// several are looked at in one step.
#[allow(
    clippy::needless_bitwise_bool,
    reason = "without branches the compiler takes several numbers in one step"
)]
fn is_plain(ring: &[Point]) -> bool {
    let ordinary = |point: &Point| is_ordinary(point[0]) & is_ordinary(point[1]);
    let mut rest = ring;
    while let [first, followers @ ..] = rest {
        let (next, _) = followers.split_at(followers.len().min(64));
        let plain = rest.iter().zip(next).fold(ordinary(first), |all, (a, b)| {
            all & ordinary(b) & ((a[0] != b[0]) | (a[1] != b[1]))
        });
        if !plain {
            return false;
        }
        rest = if next.is_empty() {
            next
        } else {
            &rest[next.len()..]
        };
    }
    true
}

fn least(ring: &[Point]) -> usize {
    let mut least = 0;
    for (index, point) in ring.iter().enumerate() {
        if before(*point, ring[least]) {
            least = index;
        }
    }
    least
}
