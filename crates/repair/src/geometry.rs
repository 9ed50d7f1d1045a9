//! What the repairs ask of an owned shape and do to one.

use ogc_validity::{Limits, OwnedShape, Shape, ShapeError, ShapeKind, judge};
use std::ops::Range;

/// Copies a shape. Refuses tables that do not describe one.
pub(crate) fn copy_of(shape: &Shape<'_>) -> Result<OwnedShape, ShapeError> {
    let nothing = Limits {
        faults_max: 0,
        work_max: Some(0),
    };
    judge(shape, &nothing)?;
    Ok(OwnedShape {
        kind: shape.kind,
        coordinates: shape.coordinates.to_vec(),
        stride: shape.stride,
        ring_ends: shape.ring_ends.to_vec(),
        part_ends: shape.part_ends.to_vec(),
    })
}

/// What the repairs ask of a shape and do to one.
#[cfg_attr(
    not(feature = "overlay"),
    allow(dead_code, reason = "the overlay asks most of it")
)]
pub(crate) trait Tables: Sized {
    fn empty_like(&self) -> Self;

    fn is_polygonal(&self) -> bool;

    fn is_points(&self) -> bool;

    /// The vertices of one ring or line, by number.
    fn ring_range(&self, ring: usize) -> Range<usize>;

    fn ring(&self, ring: usize) -> &[f64];

    /// The rings of one part, by number.
    fn part(&self, part: usize) -> Range<usize>;

    fn vertex(&self, vertex: usize) -> &[f64];

    fn xy(&self, vertex: usize) -> [f64; 2];

    fn end_ring(&mut self);

    fn end_part(&mut self);

    /// Appends a part of another geometry, as it stands.
    fn copy_part(&mut self, other: &Self, part: usize);

    /// A single kind becomes its multi kind where it has come to hold several.
    fn widen(&mut self);

    /// The area of the shells less that of the holes, each ring by itself and whichever way it runs.
    fn area(&self) -> f64;
}

impl Tables for OwnedShape {
    fn empty_like(&self) -> Self {
        Self {
            kind: self.kind,
            coordinates: Vec::new(),
            stride: self.stride,
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        }
    }

    fn is_polygonal(&self) -> bool {
        matches!(self.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon)
    }

    fn is_points(&self) -> bool {
        matches!(self.kind, ShapeKind::Point | ShapeKind::MultiPoint)
    }

    fn ring_range(&self, ring: usize) -> Range<usize> {
        between(&self.ring_ends, ring)
    }

    fn ring(&self, ring: usize) -> &[f64] {
        let range = self.ring_range(ring);
        &self.coordinates[range.start * self.stride..range.end * self.stride]
    }

    fn part(&self, part: usize) -> Range<usize> {
        between(&self.part_ends, part)
    }

    fn vertex(&self, vertex: usize) -> &[f64] {
        &self.coordinates[vertex * self.stride..(vertex + 1) * self.stride]
    }

    fn xy(&self, vertex: usize) -> [f64; 2] {
        let ordinates = self.vertex(vertex);
        [ordinates[0], ordinates[1]]
    }

    fn end_ring(&mut self) {
        self.ring_ends.push(narrow(self.vertices()));
    }

    fn end_part(&mut self) {
        self.part_ends.push(narrow(self.ring_ends.len()));
    }

    fn copy_part(&mut self, other: &Self, part: usize) {
        for ring in other.part(part) {
            self.coordinates.extend_from_slice(other.ring(ring));
            self.end_ring();
        }
        self.end_part();
    }

    fn widen(&mut self) {
        self.kind = match self.kind {
            ShapeKind::Polygon if self.part_ends.len() > 1 => ShapeKind::MultiPolygon,
            ShapeKind::LineString if self.ring_ends.len() > 1 => ShapeKind::MultiLineString,
            ShapeKind::Point
            | ShapeKind::MultiPoint
            | ShapeKind::LineString
            | ShapeKind::MultiLineString
            | ShapeKind::Polygon
            | ShapeKind::MultiPolygon => self.kind,
        };
    }

    fn area(&self) -> f64 {
        if !self.is_polygonal() {
            return 0.0;
        }
        let parts = (0..self.part_ends.len()).flat_map(|part| {
            let rings = self.part(part);
            let shell = rings.start;
            rings.map(move |ring| (ring, if ring == shell { 1.0 } else { -1.0 }))
        });
        parts
            .map(|(ring, sign)| sign * twice_area(self.ring(ring), self.stride).abs() / 2.0)
            .sum()
    }
}

/// Twice the signed area of a ring, from its first vertex; positive when it runs counter-clockwise.
pub(crate) fn twice_area(ring: &[f64], stride: usize) -> f64 {
    let [x0, y0] = [
        ring.first().copied().unwrap_or(0.0),
        ring.get(1).copied().unwrap_or(0.0),
    ];
    let heads = ring.chunks_exact(stride);
    let tails = heads.clone().skip(1);
    heads
        .zip(tails)
        .map(|(a, b)| (a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0))
        .sum()
}

fn between(ends: &[u32], index: usize) -> Range<usize> {
    let start = index.checked_sub(1).map_or(0, |before| ends[before]);
    start as usize..ends[index] as usize
}

/// Counts fit 32 bits: the limit of vertices is below, see `Limits`.
pub(crate) fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
