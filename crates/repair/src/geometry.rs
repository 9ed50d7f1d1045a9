//! The geometry that a repair owns: the arrays of `ogc_validity::Shape`.

use ogc_validity::{Limits, Shape, ShapeError, ShapeKind, judge};
use std::ops::Range;

/// A geometry that owns its arrays; the layout is that of [`Shape`].
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// What the coordinates describe.
    pub kind: ShapeKind,
    /// `x, y` or `x, y, z` of every vertex.
    pub coordinates: Vec<f64>,
    /// Numbers per vertex: 2 or 3.
    pub stride: usize,
    /// Where each ring or line ends, in vertices.
    pub ring_ends: Vec<u32>,
    /// Where each part ends, in rings.
    pub part_ends: Vec<u32>,
}

impl Geometry {
    /// Copies a shape. Refuses tables that do not describe one.
    pub fn of(shape: &Shape<'_>) -> Result<Self, ShapeError> {
        let nothing = Limits {
            faults_max: 0,
            work_max: Some(0),
        };
        judge(shape, &nothing)?;
        Ok(Self {
            kind: shape.kind,
            coordinates: shape.coordinates.to_vec(),
            stride: shape.stride,
            ring_ends: shape.ring_ends.to_vec(),
            part_ends: shape.part_ends.to_vec(),
        })
    }

    /// The same geometry, borrowed, as the judge reads it.
    #[must_use]
    pub fn as_shape(&self) -> Shape<'_> {
        Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: self.stride,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        }
    }

    pub(crate) fn empty_like(&self) -> Self {
        Self {
            kind: self.kind,
            coordinates: Vec::new(),
            stride: self.stride,
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        }
    }

    pub(crate) fn is_polygonal(&self) -> bool {
        matches!(self.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon)
    }

    pub(crate) fn is_points(&self) -> bool {
        matches!(self.kind, ShapeKind::Point | ShapeKind::MultiPoint)
    }

    pub(crate) fn vertex_count(&self) -> usize {
        self.coordinates.len() / self.stride
    }

    /// The vertices of one ring or line, by number.
    pub(crate) fn ring_range(&self, ring: usize) -> Range<usize> {
        between(&self.ring_ends, ring)
    }

    pub(crate) fn ring(&self, ring: usize) -> &[f64] {
        let range = self.ring_range(ring);
        &self.coordinates[range.start * self.stride..range.end * self.stride]
    }

    /// The rings of one part, by number.
    pub(crate) fn part(&self, part: usize) -> Range<usize> {
        between(&self.part_ends, part)
    }

    pub(crate) fn vertex(&self, vertex: usize) -> &[f64] {
        &self.coordinates[vertex * self.stride..(vertex + 1) * self.stride]
    }

    pub(crate) fn xy(&self, vertex: usize) -> [f64; 2] {
        let ordinates = self.vertex(vertex);
        [ordinates[0], ordinates[1]]
    }

    pub(crate) fn end_ring(&mut self) {
        self.ring_ends.push(narrow(self.vertex_count()));
    }

    pub(crate) fn end_part(&mut self) {
        self.part_ends.push(narrow(self.ring_ends.len()));
    }

    /// Appends a part of another geometry, as it stands.
    pub(crate) fn copy_part(&mut self, other: &Self, part: usize) {
        for ring in other.part(part) {
            self.coordinates.extend_from_slice(other.ring(ring));
            self.end_ring();
        }
        self.end_part();
    }

    /// A single kind becomes its multi kind where it has come to hold several.
    pub(crate) fn widen(&mut self) {
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

    /// The area of the shells less that of the holes, each ring by itself and whichever way it runs.
    pub(crate) fn area(&self) -> f64 {
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
