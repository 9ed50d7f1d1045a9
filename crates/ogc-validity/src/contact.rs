//! How two edges meet. Decided exactly; a point is computed only for a crossing, and only to be told.

use std::cmp::Ordering;

use crate::exact::{Point, area, before, side};

/// An edge: from, to. The two differ.
pub(crate) type Edge = [Point; 2];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Contact {
    /// They have no point in common.
    Apart,
    /// They cross, each in the inside of the other.
    Cross,
    /// They have one point in common, an end of at least one of them.
    Touch(Point),
    /// They run along each other between two points, each an end of one of them.
    Overlap(Point, Point),
}

#[inline]
pub(crate) fn contact(a: Edge, b: Edge) -> Contact {
    let (b0, b1) = (side(a[0], a[1], b[0]), side(a[0], a[1], b[1]));
    if b0 == b1 {
        return if b0.is_eq() {
            along(a, b)
        } else {
            Contact::Apart
        };
    }
    let (a0, a1) = (side(b[0], b[1], a[0]), side(b[0], b[1], a[1]));
    if a0 == a1 {
        return Contact::Apart;
    }
    // Each edge reaches both sides of the other's line; an end on the line is the one common point.
    let ends = [(b0, b[0]), (b1, b[1]), (a0, a[0]), (a1, a[1])];
    match ends.into_iter().find(|(side, _)| side.is_eq()) {
        Some((_, end)) => Contact::Touch(end),
        None => Contact::Cross,
    }
}

/// Edges on one line.
fn along(a: Edge, b: Edge) -> Contact {
    let ([a_low, a_high], [b_low, b_high]) = (rising(a), rising(b));
    let low = if before(a_low, b_low) { b_low } else { a_low };
    let high = if before(a_high, b_high) {
        a_high
    } else {
        b_high
    };
    if before(low, high) {
        Contact::Overlap(low, high)
    } else if low == high {
        Contact::Touch(low)
    } else {
        Contact::Apart
    }
}

fn rising(edge: Edge) -> Edge {
    if before(edge[1], edge[0]) {
        [edge[1], edge[0]]
    } else {
        edge
    }
}

/// Whether edges on one line run the same way.
pub(crate) fn same_way(a: Edge, b: Edge) -> bool {
    before(a[0], a[1]) == before(b[0], b[1])
}

/// Where two crossing edges cross, to a few units in the last place, and never outside the box of either.
pub(crate) fn crossing_point(a: Edge, b: Edge) -> Point {
    let (short, long) = if extent(a) < extent(b) {
        (a, b)
    } else {
        (b, a)
    };
    let (start, end) = (
        area(long[0], long[1], short[0]),
        area(long[0], long[1], short[1]),
    );
    let share = start / (start - end);
    [0, 1].map(|axis| {
        let (from, to) = (short[0][axis], short[1][axis]);
        let ordinate = if share < 0.5 {
            from + share * (to - from)
        } else {
            to - (end / (end - start)) * (to - from)
        };
        [short, long].iter().fold(ordinate, |inside, edge| {
            between(inside, edge[0][axis], edge[1][axis])
        })
    })
}

fn extent(edge: Edge) -> f64 {
    (edge[1][0] - edge[0][0]).abs() + (edge[1][1] - edge[0][1]).abs()
}

fn between(ordinate: f64, a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if ordinate < low {
        low
    } else if ordinate > high {
        high
    } else {
        ordinate
    }
}

/// The order of two directions round a centre, counter-clockwise from due east. Equal when they are the same.
pub(crate) fn round(center: Point, a: Point, b: Point) -> Ordering {
    let lower = |point: Point| before_by_y(point, center);
    lower(a)
        .cmp(&lower(b))
        .then_with(|| side(center, a, b).reverse())
}

fn before_by_y(a: Point, b: Point) -> bool {
    a[1] < b[1] || (a[1] == b[1] && a[0] < b[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_edges_meet_in_one_of_four_ways() {
        let edge = [[0.0, 0.0], [4.0, 0.0]];
        let cases = [
            ([[0.0, 1.0], [4.0, 1.0]], Contact::Apart),
            ([[5.0, 0.0], [6.0, 0.0]], Contact::Apart),
            ([[5.0, -1.0], [5.0, 1.0]], Contact::Apart),
            ([[1.0, -1.0], [1.0, 1.0]], Contact::Cross),
            ([[1.0, 0.0], [1.0, 1.0]], Contact::Touch([1.0, 0.0])),
            ([[4.0, 0.0], [9.0, 0.0]], Contact::Touch([4.0, 0.0])),
            ([[0.0, 1.0], [0.0, -1.0]], Contact::Touch([0.0, 0.0])),
            (
                [[3.0, 0.0], [-9.0, 0.0]],
                Contact::Overlap([0.0, 0.0], [3.0, 0.0]),
            ),
        ];
        for (other, expected) in cases {
            assert_eq!(contact(edge, other), expected, "{other:?}");
            assert_eq!(contact(other, edge), expected, "{other:?} the other way");
        }
    }

    #[test]
    fn directions_are_ordered_counter_clockwise_from_east() {
        let around = [
            [1.0, 0.0],
            [1.0, 1.0],
            [0.0, 2.0],
            [-1.0, 0.0],
            [-1.0, -1.0],
            [0.0, -1.0],
            [1.0, -1.0],
        ];
        for pair in around.windows(2) {
            assert_eq!(
                round([0.0, 0.0], pair[0], pair[1]),
                Ordering::Less,
                "{pair:?}"
            );
        }
        assert_eq!(round([0.0, 0.0], [1.0, 1.0], [2.0, 2.0]), Ordering::Equal);
    }
}
