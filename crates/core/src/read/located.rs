//! A primitive as read, and the way back: from one of its positions to the pointer and the
//! byte offset in the document. Nothing of that is made before a fault is told.

use crate::geometry::Primitive;
use crate::json::Tables;
use crate::pointer;
use crate::violation::Place;
use ogc_validity::ShapeKind;

/// A primitive, and where it comes from.
pub(super) struct Located<'a> {
    pub(super) primitive: Primitive,
    /// Pointer to its `coordinates`.
    pub(super) pointer: String,
    /// Where they start, in bytes.
    pub(super) start: usize,
    pub(super) tables: &'a Tables,
    /// Of each ring or line; one of a multi-point, none of a point.
    pub(super) sources: Vec<Source>,
    /// Where the positions start that are in no table.
    pub(super) strays: Vec<usize>,
    /// Its positions are not those of the document: they have no places in it.
    pub(super) derived: bool,
}

/// Where the positions of a ring or line stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// In the table of that number.
    Table(u32),
    /// Each by itself, from that stray on.
    Strays(usize),
}

impl Located<'_> {
    /// The place, pointer and byte offset of a position by its number in the primitive.
    pub(super) fn place_of(&self, vertex: usize) -> (Place, String, usize) {
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let primitive = &self.primitive;
        let place = if primitive.kind == ShapeKind::MultiPoint {
            Place {
                part: number(vertex),
                ring: 0,
                vertex: 0,
            }
        } else {
            let ring = primitive
                .ring_ends
                .partition_point(|end| *end as usize <= vertex);
            let ring_start = ring
                .checked_sub(1)
                .map_or(0, |before| primitive.ring_ends[before] as usize);
            let part = primitive
                .part_ends
                .partition_point(|end| *end as usize <= ring);
            let part_start = part
                .checked_sub(1)
                .map_or(0, |before| primitive.part_ends[before] as usize);
            Place {
                part: number(part),
                ring: number(ring - part_start),
                vertex: number(vertex - ring_start),
            }
        };
        let (pointer, offset) = self.place_in_document(place);
        (place, pointer, offset)
    }

    /// Pointer and byte offset of a place.
    pub(super) fn place_in_document(&self, place: Place) -> (String, usize) {
        let [part, ring, vertex] = [place.part, place.ring, place.vertex].map(|each| each as usize);
        let part_start = part
            .checked_sub(1)
            .and_then(|before| self.primitive.part_ends.get(before));
        let ring_number = part_start.map_or(0, |start| *start as usize) + ring;
        let path: &[usize] = match self.primitive.kind {
            ShapeKind::Point => &[],
            ShapeKind::MultiPoint => &[part],
            ShapeKind::LineString => &[vertex],
            ShapeKind::MultiLineString | ShapeKind::Polygon => &[ring, vertex],
            ShapeKind::MultiPolygon => &[part, ring, vertex],
        };
        let offset = match self.primitive.kind {
            ShapeKind::Point => self.start,
            ShapeKind::MultiPoint => self.offset(0, part),
            ShapeKind::LineString
            | ShapeKind::MultiLineString
            | ShapeKind::Polygon
            | ShapeKind::MultiPolygon => self.offset(ring_number, vertex),
        };
        (pointer::elements(&self.pointer, path), offset)
    }

    /// Where each position stands in the document, in bytes.
    pub(super) fn offsets(&self) -> Vec<usize> {
        let vertices = self.primitive.positions().count();
        (0..vertices)
            .map(|vertex| self.place_of(vertex).2)
            .collect()
    }

    fn offset(&self, ring: usize, vertex: usize) -> usize {
        match self.sources.get(ring) {
            Some(Source::Table(number)) => self.tables.offset(*number, vertex),
            Some(Source::Strays(first)) => {
                let stray = self.strays.get(first + vertex);
                stray.or(self.strays.last()).copied().unwrap_or(self.start)
            }
            None => self.start,
        }
    }
}
