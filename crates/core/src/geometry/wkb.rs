//! ISO well-known binary (ISO 13249-3), little-endian. Z is written when the whole
//! geometry has it; a geometry of mixed dimensions is written in two.

use super::{Geometry, Primitive};
use ogc_validity::ShapeKind;

const LITTLE_ENDIAN: u8 = 1;
const Z_OFFSET: u32 = 1000;
const POINT: u32 = 1;
const LINE_STRING: u32 = 2;
const POLYGON: u32 = 3;
const MULTI_POINT: u32 = 4;
const MULTI_LINE_STRING: u32 = 5;
const MULTI_POLYGON: u32 = 6;
const COLLECTION: u32 = 7;

pub(super) fn write(geometry: &Geometry) -> Vec<u8> {
    let has_z = geometry
        .primitives
        .iter()
        .all(|primitive| primitive.stride == 3);
    let numbers: usize = geometry
        .primitives
        .iter()
        .map(|each| each.coordinates.len())
        .sum();
    let mut writer = Writer {
        bytes: Vec::with_capacity(64 + numbers * 8),
        has_z,
    };
    if geometry.collection {
        writer.head(COLLECTION);
        writer.count(geometry.primitives.len());
    }
    for primitive in &geometry.primitives {
        writer.primitive(primitive);
    }
    writer.bytes
}

struct Writer {
    bytes: Vec<u8>,
    has_z: bool,
}

impl Writer {
    fn head(&mut self, kind: u32) {
        self.bytes.push(LITTLE_ENDIAN);
        let kind = if self.has_z { kind + Z_OFFSET } else { kind };
        self.bytes.extend_from_slice(&kind.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&count.to_le_bytes());
    }

    fn positions(&mut self, primitive: &Primitive, range: std::ops::Range<usize>) {
        let kept = if self.has_z { 3 } else { 2 };
        let numbers = range.start * primitive.stride..range.end * primitive.stride;
        for position in primitive.coordinates[numbers].chunks_exact(primitive.stride) {
            for number in &position[..kept] {
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
    }

    fn sequence(&mut self, primitive: &Primitive, range: std::ops::Range<usize>) {
        self.count(range.len());
        self.positions(primitive, range);
    }

    fn polygon(&mut self, primitive: &Primitive, rings: &[std::ops::Range<usize>]) {
        self.head(POLYGON);
        self.count(rings.len());
        for ring in rings {
            self.sequence(primitive, ring.clone());
        }
    }

    fn primitive(&mut self, primitive: &Primitive) {
        let rings: Vec<_> = primitive.rings().collect();
        match primitive.kind {
            ShapeKind::Point => {
                self.head(POINT);
                self.positions(primitive, 0..1);
            }
            ShapeKind::MultiPoint => {
                self.head(MULTI_POINT);
                self.count(primitive.vertices());
                for vertex in 0..primitive.vertices() {
                    self.head(POINT);
                    self.positions(primitive, vertex..vertex + 1);
                }
            }
            ShapeKind::LineString => {
                self.head(LINE_STRING);
                self.sequence(primitive, 0..primitive.vertices());
            }
            ShapeKind::MultiLineString => {
                self.head(MULTI_LINE_STRING);
                self.count(rings.len());
                for line in rings {
                    self.head(LINE_STRING);
                    self.sequence(primitive, line);
                }
            }
            ShapeKind::Polygon => self.polygon(primitive, &rings),
            ShapeKind::MultiPolygon => {
                self.head(MULTI_POLYGON);
                self.count(primitive.part_ends.len());
                for part in primitive.parts() {
                    self.polygon(primitive, &rings[part]);
                }
            }
        }
    }
}
