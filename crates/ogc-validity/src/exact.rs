//! The one predicate: on which side of a line a point lies. Exact, on the numbers as they are.
//!
//! An error bound settles nearly every call; the rest goes to Shewchuk's adaptive arithmetic in `robust`.

use std::cmp::Ordering;

use robust::Coord;

pub(crate) type Point = [f64; 2];

/// Shewchuk's bound for the plain determinant: (3 + 16 ε) ε.
const ERROR_BOUND: f64 = 3.330_669_073_875_471_6e-16;

/// `Greater` when `point` lies left of the line from `from` to `to`, `Less` when right, `Equal` when on it.
#[inline]
pub(crate) fn side(from: Point, to: Point, point: Point) -> Ordering {
    let left = (from[0] - point[0]) * (to[1] - point[1]);
    let right = (from[1] - point[1]) * (to[0] - point[0]);
    let determinant = left - right;
    let bound = ERROR_BOUND * (left.abs() + right.abs());
    if determinant > bound {
        Ordering::Greater
    } else if determinant < -bound {
        Ordering::Less
    } else if left == 0.0 && right == 0.0 {
        Ordering::Equal
    } else {
        sign(area(from, to, point))
    }
}

/// Twice the signed area of a triangle: its sign is exact, its size good to a few units in the last place.
#[inline(never)]
pub(crate) fn area(a: Point, b: Point, c: Point) -> f64 {
    let coord = |point: Point| Coord {
        x: point[0],
        y: point[1],
    };
    robust::orient2d(coord(a), coord(b), coord(c))
}

fn sign(number: f64) -> Ordering {
    if number > 0.0 {
        Ordering::Greater
    } else if number < 0.0 {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// Order by x, then y; along any straight line this is the order of the points on it.
#[inline]
pub(crate) fn before(a: Point, b: Point) -> bool {
    a[0] < b[0] || (a[0] == b[0] && a[1] < b[1])
}

/// As [`before`], for sorting.
pub(crate) fn lexicographic(a: Point, b: Point) -> Ordering {
    if a == b {
        Ordering::Equal
    } else if before(a, b) {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_one_bit_off_a_line_is_not_on_it() {
        let (from, to) = ([0.0, 0.0], [3.0, 1.0]);
        let third = 1.0 / 3.0;
        let on = [0.75, 0.25];
        assert_eq!(side(from, to, on), Ordering::Equal);
        assert_eq!(
            side(from, to, [0.75, f64::from_bits(0.25_f64.to_bits() + 1)]),
            Ordering::Greater
        );
        assert_eq!(
            side(from, to, [0.75, f64::from_bits(0.25_f64.to_bits() - 1)]),
            Ordering::Less
        );
        assert_eq!(side(from, to, [1.0, third]), Ordering::Less);
    }
}
