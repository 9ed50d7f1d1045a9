//! The lane point: one documented, deterministic point of a geometry.
//!
//! - A point is itself; of several points, the first.
//! - A line gives its middle vertex (index n / 2); of several lines, the first.
//! - A polygon gives a point inside it: on the horizontal line half-way between the
//!   two vertex heights that enclose the middle of its box, the middle of the widest
//!   stretch inside (even-odd over all its rings; the first of equals). Of several
//!   polygons, the one of the largest shell by planar area (the first of equals).
//! - Of a collection, the first member of the highest dimension.
//!
//! Only `+ - * /` and comparisons are used, which IEEE 754 fixes, so that native and
//! wasm agree to the bit. Never by polygon fill: H3's fill fails across ±180 and at
//! the poles. `geo::InteriorPoint` is not used: it may panic, and its measures go
//! through functions whose last bit differs between targets.

use crate::geometry::{Geometry, Primitive};
use geo::{Area, Coord, LineString, Polygon};
use ogc_validity::ShapeKind;
use std::ops::Range;

/// The point whose cell is the geometry's lane cell: longitude, latitude. None when
/// the geometry is empty.
#[must_use]
pub fn lane_point(geometry: &Geometry) -> Option<[f64; 2]> {
    let mut best: Option<&Primitive> = None;
    for primitive in geometry
        .primitives
        .iter()
        .filter(|each| each.vertices() > 0)
    {
        if best.is_none_or(|best| dimension(primitive.kind) > dimension(best.kind)) {
            best = Some(primitive);
        }
    }
    point_of(best?)
}

const fn dimension(kind: ShapeKind) -> u8 {
    match kind {
        ShapeKind::Point | ShapeKind::MultiPoint => 0,
        ShapeKind::LineString | ShapeKind::MultiLineString => 1,
        ShapeKind::Polygon | ShapeKind::MultiPolygon => 2,
    }
}

fn point_of(primitive: &Primitive) -> Option<[f64; 2]> {
    match primitive.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => position(primitive, 0),
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            let line = primitive.rings().find(|line| !line.is_empty())?;
            position(primitive, line.start + line.len() / 2)
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => {
            let rings: Vec<Range<usize>> = primitive.rings().collect();
            let part = largest_part(primitive, &rings)?;
            inside(primitive, &rings[part.clone()])
                .or_else(|| position(primitive, rings[part.start].start))
        }
    }
}

fn position(primitive: &Primitive, vertex: usize) -> Option<[f64; 2]> {
    let at = vertex * primitive.stride;
    Some([
        *primitive.coordinates.get(at)?,
        *primitive.coordinates.get(at + 1)?,
    ])
}

fn largest_part(primitive: &Primitive, rings: &[Range<usize>]) -> Option<Range<usize>> {
    let mut parts = primitive.parts().filter(|part| !part.is_empty());
    let first = parts.next()?;
    let mut best: Option<(f64, Range<usize>)> = None;
    for part in std::iter::once(first.clone()).chain(parts) {
        let area = shell_area(primitive, &rings[part.start]);
        if best.as_ref().is_none_or(|(largest, _)| area > *largest) {
            best = Some((area, part));
        }
    }
    best.map(|(_, part)| part)
}

fn shell_area(primitive: &Primitive, ring: &Range<usize>) -> f64 {
    let numbers = ring.start * primitive.stride..ring.end * primitive.stride;
    let shell: LineString<f64> = primitive
        .coordinates
        .get(numbers)
        .unwrap_or_default()
        .chunks_exact(primitive.stride)
        .map(|position| Coord {
            x: position[0],
            y: position[1],
        })
        .collect();
    Polygon::new(shell, Vec::new()).unsigned_area()
}

fn inside(primitive: &Primitive, rings: &[Range<usize>]) -> Option<[f64; 2]> {
    let y = scan_height(primitive, rings)?;
    let mut crossings = crossings(primitive, rings, y);
    crossings.sort_unstable_by(f64::total_cmp);
    let mut widest: Option<(f64, f64)> = None;
    for pair in crossings.chunks_exact(2) {
        let width = pair[1] - pair[0];
        if widest.is_none_or(|(width_max, _)| width > width_max) {
            widest = Some((width, pair[0] + width / 2.0));
        }
    }
    widest.map(|(_, x)| [x, y])
}

/// Half-way between the nearest vertex heights at or below and above the middle of
/// the box: no vertex lies on the line, so every crossing is a proper one.
fn scan_height(primitive: &Primitive, rings: &[Range<usize>]) -> Option<f64> {
    let heights = || {
        rings.iter().flat_map(Clone::clone).filter_map(|vertex| {
            primitive
                .coordinates
                .get(vertex * primitive.stride + 1)
                .copied()
        })
    };
    let first = heights().next()?;
    let (low, high) = heights().fold((first, first), |(low, high), y| {
        (
            if y < low { y } else { low },
            if y > high { y } else { high },
        )
    });
    let middle = low + (high - low) / 2.0;
    let (below, above) = heights().fold((low, high), |(below, above), y| {
        if y <= middle {
            (if y > below { y } else { below }, above)
        } else {
            (below, if y < above { y } else { above })
        }
    });
    if above > below {
        Some(below + (above - below) / 2.0)
    } else {
        None
    }
}

fn crossings(primitive: &Primitive, rings: &[Range<usize>], y: f64) -> Vec<f64> {
    let mut found = Vec::new();
    for ring in rings {
        let start = ring.start * primitive.stride;
        let end = ring.end * primitive.stride;
        let Some(numbers) = primitive.coordinates.get(start..end) else {
            continue;
        };
        let mut positions = numbers.chunks_exact(primitive.stride);
        let Some(mut from) = positions.next() else {
            continue;
        };
        for to in positions {
            if (from[1] > y) != (to[1] > y) {
                let share = (y - from[1]) / (to[1] - from[1]);
                found.push(from[0] + share * (to[0] - from[0]));
            }
            from = to;
        }
    }
    found
}
