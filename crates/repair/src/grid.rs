//! The grid of whole numbers on which the overlay works, and the way back.
//!
//! A coordinate times a power of two, so that doubles near the largest one are exact on it (60 bits for 53). A point that
//! comes back is looked up: where a vertex of the input stands, its own bits are taken; any other is new.

use i_overlay::i_float::int::point::IntPoint;
use ogc_validity::OwnedShape;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::geometry::Tables;
use crate::report::Refusal;

pub(crate) type Point = IntPoint<i64>;
pub(crate) type Contour = Vec<Point>;
pub(crate) type Shapes = Vec<Vec<Contour>>;

/// Bits of the largest coordinate; the engine takes 62.
const BITS: i32 = 60;
/// Powers of two between which the largest coordinate may lie.
const EXPONENT_MAX: i32 = 800;

/// The scale: a power of two and its inverse.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    scale: f64,
    inverse: f64,
}

impl Grid {
    pub(crate) fn over(coordinates: impl Iterator<Item = f64>) -> Result<Self, Refusal> {
        let mut largest = 0.0_f64;
        for coordinate in coordinates {
            if !coordinate.is_finite() {
                return Err(Refusal::NonFinite);
            }
            if coordinate.abs() > largest {
                largest = coordinate.abs();
            }
        }
        if largest == 0.0 {
            return Err(Refusal::Collapsed);
        }
        let exponent = exponent(largest);
        if exponent.abs() > EXPONENT_MAX {
            return Err(Refusal::Magnitude);
        }
        // The largest is under 2^(exponent + 1).
        let shift = BITS - exponent - 1;
        Ok(Self {
            scale: power(shift),
            inverse: power(-shift),
        })
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "under 2^60 by the choice of the scale"
    )]
    pub(crate) fn point(&self, xy: [f64; 2]) -> Point {
        let whole = |coordinate: f64| {
            let scaled = coordinate * self.scale;
            // Half away from zero, without the library's rounding: the same bits on every target.
            (if scaled < 0.0 {
                scaled - 0.5
            } else {
                scaled + 0.5
            }) as i64
        };
        Point::new(whole(xy[0]), whole(xy[1]))
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "a new point is rounded to the nearest double"
    )]
    pub(crate) fn place(&self, point: Point) -> [f64; 2] {
        [point.x as f64 * self.inverse, point.y as f64 * self.inverse]
    }
}

fn exponent(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52) & 0x7ff;
    i32::try_from(biased).unwrap_or(0) - 1023
}

fn power(exponent: i32) -> f64 {
    let biased = u64::try_from(exponent + 1023).unwrap_or(0);
    f64::from_bits(biased << 52)
}

/// How near a new point must be to a vertex to be it: 2⁻⁵¹ of the largest coordinate, some units in its last place.
const NEAR: i64 = 1 << 9;
/// The side of a bucket, as a shift: a point's neighbours are in its bucket and those around.
const BUCKET: u32 = 10;

/// Which vertex of the input stands at a point of the grid: the first in document order.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    first: BTreeMap<(i64, i64), usize>,
    buckets: BTreeMap<(i64, i64), Vec<(Point, usize)>>,
}

impl Origins {
    pub(crate) fn note(&mut self, point: Point, vertex: usize) {
        if let Entry::Vacant(entry) = self.first.entry((point.x, point.y)) {
            entry.insert(vertex);
            let bucket = (point.x >> BUCKET, point.y >> BUCKET);
            self.buckets
                .entry(bucket)
                .or_default()
                .push((point, vertex));
        }
    }

    pub(crate) fn of(&self, point: Point) -> Option<usize> {
        self.first.get(&(point.x, point.y)).copied()
    }

    /// As [`Origins::of`], or else the nearest vertex where one is near.
    pub(crate) fn near(&self, point: Point) -> Option<usize> {
        self.of(point).or_else(|| {
            let (x, y) = (point.x >> BUCKET, point.y >> BUCKET);
            let around = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)));
            let found = around
                .filter_map(|bucket| self.buckets.get(&bucket))
                .flatten();
            let far = |each: Point| (each.x - point.x).abs().max((each.y - point.y).abs());
            let nearest = found.min_by_key(|(each, vertex)| (far(*each), *vertex));
            nearest
                .filter(|(each, _)| far(*each) <= NEAR)
                .map(|(_, vertex)| *vertex)
        })
    }

    /// Vertices noted whose place is another's by a hair.
    pub(crate) fn merged(
        &self,
        geometry: &OwnedShape,
        noted: impl Iterator<Item = (Point, usize)>,
    ) -> usize {
        let elsewhere = |(point, vertex): &(Point, usize)| {
            self.of(*point)
                .is_some_and(|first| geometry.xy(first) != geometry.xy(*vertex))
        };
        noted.filter(elsewhere).count()
    }
}

/// Gives each vertex of a ring its height: the input's own, and for a new one what lies between its neighbours along the
/// ring, by length. A ring of new vertices alone takes `otherwise`.
pub(crate) fn heights(ring: &[([f64; 2], Option<f64>)], otherwise: f64) -> Vec<f64> {
    let count = ring.len();
    let Some(start) = ring.iter().position(|(_, height)| height.is_some()) else {
        return vec![otherwise; count];
    };
    let mut out = vec![otherwise; count];
    let mut from = start;
    while from < start + count {
        let low = ring[from % count].1.unwrap_or(otherwise);
        let to = (from + 1..=from + count)
            .find(|at| ring[at % count].1.is_some())
            .unwrap_or(from + count);
        let high = ring[to % count].1.unwrap_or(otherwise);
        let length = |at: usize| {
            let [a, b] = [ring[at % count].0, ring[(at + 1) % count].0];
            let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
            (dx * dx + dy * dy).sqrt()
        };
        let whole: f64 = (from..to).map(length).sum();
        let mut done = 0.0;
        for at in from..to {
            let share = if whole > 0.0 { done / whole } else { 0.0 };
            out[at % count] = low + (high - low) * share;
            done += length(at);
        }
        from = to;
    }
    out
}
