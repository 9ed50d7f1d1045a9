//! Cuts a ring into runs of edges and takes their boxes, in one pass over its points.
//!
//! The pass also finds out whether the points can be judged as they are. A run that rises or falls strictly in x and in y
//! has its box, its finiteness and its lack of repeats told by its two ends, so that a smooth ring costs two comparisons
//! a number.

use std::ops::Range;

use crate::exact::Point;
use crate::narrow;
use crate::scale::is_ordinary;
use crate::tree::Node;

/// Edges looked at together, and at most under a leaf that is not strictly steady: what fits a cache line or two.
pub(crate) const STEP_EDGES: usize = 8;

/// Edges at most under one leaf: enough that the leaves of a smooth ring weigh nothing, few enough to bisect in a few steps.
pub(crate) const LEAF_EDGES_MAX: usize = 64;

/// Appends the leaves of a ring with the edges `edges`. False when a number cannot be judged as it is, or a position
/// follows itself.
pub(crate) fn cut(
    points: &[Point],
    edges: Range<usize>,
    ring: u32,
    leaves: &mut Vec<Node>,
) -> bool {
    let mut plain = true;
    let mut first = edges.start;
    while first < edges.end {
        let ahead = &points[first..=edges.end.min(first + LEAF_EDGES_MAX)];
        let (steady, heading) = steady_edges(ahead);
        let leaf = if steady > 0 {
            steady_leaf(&ahead[..=steady], heading)
        } else {
            match ahead.first_chunk::<{ STEP_EDGES + 1 }>() {
                Some(run) => measure(run),
                None => measure(ahead),
            }
        };
        plain &= leaf.plain;
        let last = first + leaf.edges;
        leaves.push(Node::leaf(
            leaf.bounds,
            ring,
            narrow(first)..narrow(last),
            leaf.quadrants,
        ));
        first = last;
    }
    plain
}

/// What a pass over a run tells.
struct Run {
    edges: usize,
    bounds: [Point; 2],
    quadrants: u8,
    plain: bool,
}

/// Which way edges run, strictly: a bit each for east, west, north, south.
type Heading = u8;

const ANYWHERE: Heading = 0b1111;

/// How many edges from the first on keep to one heading in x and one in y, in whole steps; and the heading.
#[inline]
fn steady_edges(ahead: &[Point]) -> (usize, Heading) {
    let (mut edges, mut heading) = (0, ANYWHERE);
    while edges + 1 < ahead.len() {
        let rest = &ahead[edges..];
        let (step, next) = match rest.first_chunk::<{ STEP_EDGES + 1 }>() {
            Some(run) => (STEP_EDGES, heading_of(run)),
            None => (rest.len() - 1, heading_of(rest)),
        };
        if !is_steady(heading & next) {
            break;
        }
        heading &= next;
        edges += step;
    }
    (edges, heading)
}

const fn is_steady(heading: Heading) -> bool {
    heading & 0b0011 != 0 && heading & 0b1100 != 0
}

/// By the least and the greatest step, which the compiler takes for both axes at once. A difference is zero only for
/// equal numbers; one that is no number is kept by the sum, and leads nowhere.
#[inline]
fn heading_of(run: &[Point]) -> Heading {
    let (mut least, mut most, mut sum) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2], [0.0; 2]);
    for (from, to) in run.iter().zip(&run[1..]) {
        for axis in [0, 1] {
            let step = to[axis] - from[axis];
            least[axis] = if step < least[axis] {
                step
            } else {
                least[axis]
            };
            most[axis] = if step > most[axis] { step } else { most[axis] };
            sum[axis] += step;
        }
    }
    if (sum[0] + sum[1]).is_nan() {
        return 0;
    }
    let bit = |set: bool, at: u8| u8::from(set) << at;
    bit(least[0] > 0.0, 0) | bit(most[0] < 0.0, 1) | bit(least[1] > 0.0, 2) | bit(most[1] < 0.0, 3)
}

#[inline]
fn steady_leaf(run: &[Point], heading: Heading) -> Run {
    let (from, to) = (run[0], run[run.len() - 1]);
    let [west, south] = [heading & 0b0010 != 0, heading & 0b1000 != 0];
    let (low, high) = (
        [
            if west { to[0] } else { from[0] },
            if south { to[1] } else { from[1] },
        ],
        [
            if west { from[0] } else { to[0] },
            if south { from[1] } else { to[1] },
        ],
    );
    Run {
        edges: run.len() - 1,
        bounds: [low, high],
        quadrants: 1 << (u8::from(south) | u8::from(west) << 1),
        plain: lie_on_one_side_of_zero(low, high) || all_ordinary(run),
    }
}

/// Whether all numbers between two ordinary points are ordinary: those that may be too small lie next to zero.
#[inline]
fn lie_on_one_side_of_zero(low: Point, high: Point) -> bool {
    let one_side = |axis: usize| low[axis] > 0.0 || high[axis] < 0.0;
    one_side(0) && one_side(1) && all_ordinary(&[low, high])
}

#[inline]
fn all_ordinary(points: &[Point]) -> bool {
    points
        .iter()
        .all(|point| is_ordinary(point[0]) & is_ordinary(point[1]))
}

/// The box of a run of points, and the closed quadrants in which all its edges run, a bit each: north-east, south-east,
/// north-west, south-west. Without branches.
#[allow(
    clippy::needless_bitwise_bool,
    reason = "without branches the compiler takes several numbers in one step"
)]
#[inline]
fn measure(run: &[Point]) -> Run {
    let (mut low, mut high, mut sum) = (run[0], run[0], run[0]);
    let [mut east, mut west, mut north, mut south, mut moves] = [true; 5];
    for (from, to) in run.iter().zip(&run[1..]) {
        for axis in [0, 1] {
            low[axis] = if to[axis] < low[axis] {
                to[axis]
            } else {
                low[axis]
            };
            high[axis] = if to[axis] > high[axis] {
                to[axis]
            } else {
                high[axis]
            };
            sum[axis] += to[axis];
        }
        east &= from[0] <= to[0];
        west &= from[0] >= to[0];
        north &= from[1] <= to[1];
        south &= from[1] >= to[1];
        moves &= (from[0] != to[0]) | (from[1] != to[1]);
    }
    let bit = |set: bool, at: u8| u8::from(set) << at;
    // What is no number is kept by the sum, and not by comparisons.
    let numbers = !(sum[0].is_nan() | sum[1].is_nan());
    Run {
        edges: run.len() - 1,
        bounds: [low, high],
        quadrants: bit(east & north, 0)
            | bit(east & south, 1)
            | bit(west & north, 2)
            | bit(west & south, 3),
        plain: moves & numbers && (lie_on_one_side_of_zero(low, high) || all_ordinary(run)),
    }
}
