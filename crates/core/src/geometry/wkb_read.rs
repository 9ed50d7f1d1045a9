//! Well-known binary back to a geometry: what `wkb` writes, and nothing else. A consumer under
//! another contract judges a derived geometry again from this.

use super::{Geometry, Primitive};
use ogc_validity::ShapeKind;

const COLLECTION: u32 = 7;

/// Bytes of a geometry's head: byte order and type.
const HEAD_BYTES: usize = 5;

pub(super) fn read(bytes: &[u8]) -> Option<Geometry> {
    let mut reader = Reader { rest: bytes };
    let (kind, stride) = reader.head()?;
    let geometry = if kind == COLLECTION {
        let count = reader.count(HEAD_BYTES)?;
        let members = (0..count).map(|_| {
            let (kind, stride) = reader.head()?;
            reader.primitive(kind, stride)
        });
        Geometry {
            collection: true,
            primitives: members.collect::<Option<_>>()?,
        }
    } else {
        Geometry {
            collection: false,
            primitives: vec![reader.primitive(kind, stride)?],
        }
    };
    reader.rest.is_empty().then_some(geometry)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// Type without its thousand, and numbers a position.
    fn head(&mut self) -> Option<(u32, usize)> {
        let [order] = self.take()?;
        let code = self.number()?;
        let stride = match code / 1_000 {
            0 => 2,
            1 => 3,
            _ => return None,
        };
        (order == 1).then_some((code % 1_000, stride))
    }

    fn primitive(&mut self, kind: u32, stride: usize) -> Option<Primitive> {
        let mut primitive = Primitive {
            kind: match kind {
                1 => ShapeKind::Point,
                2 => ShapeKind::LineString,
                3 => ShapeKind::Polygon,
                4 => ShapeKind::MultiPoint,
                5 => ShapeKind::MultiLineString,
                6 => ShapeKind::MultiPolygon,
                _ => return None,
            },
            coordinates: Vec::new(),
            stride,
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        };
        match primitive.kind {
            ShapeKind::Point => self.positions(1, &mut primitive)?,
            ShapeKind::LineString => self.line(&mut primitive)?,
            ShapeKind::Polygon => self.polygon(&mut primitive)?,
            ShapeKind::MultiPoint | ShapeKind::MultiLineString | ShapeKind::MultiPolygon => {
                for _ in 0..self.count(HEAD_BYTES)? {
                    let (member, its_stride) = self.head()?;
                    if its_stride != stride || member + 3 != kind {
                        return None;
                    }
                    match primitive.kind {
                        ShapeKind::MultiPoint => self.positions(1, &mut primitive)?,
                        ShapeKind::MultiLineString => self.line(&mut primitive)?,
                        ShapeKind::Point
                        | ShapeKind::LineString
                        | ShapeKind::Polygon
                        | ShapeKind::MultiPolygon => self.polygon(&mut primitive)?,
                    }
                }
            }
        }
        Some(primitive)
    }

    fn polygon(&mut self, primitive: &mut Primitive) -> Option<()> {
        for _ in 0..self.count(4)? {
            self.line(primitive)?;
        }
        let rings = u32::try_from(primitive.ring_ends.len()).ok()?;
        primitive.part_ends.push(rings);
        Some(())
    }

    /// A line or a ring.
    fn line(&mut self, primitive: &mut Primitive) -> Option<()> {
        let count = self.count(8 * primitive.stride)?;
        self.positions(count, primitive)?;
        let vertices = u32::try_from(primitive.vertices()).ok()?;
        primitive.ring_ends.push(vertices);
        Some(())
    }

    fn positions(&mut self, count: usize, primitive: &mut Primitive) -> Option<()> {
        for _ in 0..count * primitive.stride {
            let number = self.take().map(f64::from_le_bytes)?;
            primitive.coordinates.push(number);
        }
        Some(())
    }

    /// A count of items of at least that many bytes each: never more than there can be.
    fn count(&mut self, item_bytes_min: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len() / item_bytes_min).then_some(count)
    }

    fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygons() -> Primitive {
        Primitive {
            kind: ShapeKind::MultiPolygon,
            coordinates: (0_i32..33).map(f64::from).collect(),
            stride: 3,
            ring_ends: vec![4, 8, 11],
            part_ends: vec![2, 3],
        }
    }

    fn line() -> Primitive {
        Primitive {
            kind: ShapeKind::LineString,
            coordinates: vec![0.5, -0.0, 3.0, 4.0, 5.0, 6.0],
            stride: 3,
            ring_ends: vec![2],
            part_ends: vec![],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let point = Primitive {
            kind: ShapeKind::MultiPoint,
            coordinates: vec![1.0, 2.0, 3.0, 4.0],
            stride: 2,
            ring_ends: vec![],
            part_ends: vec![],
        };
        for (collection, primitives) in [
            (false, vec![polygons()]),
            (false, vec![line()]),
            (false, vec![point]),
            (true, vec![line(), polygons()]),
        ] {
            let geometry = Geometry {
                collection,
                primitives,
            };
            assert_eq!(read(&geometry.to_wkb()), Some(geometry));
        }
    }

    #[test]
    fn cut_or_foreign_bytes_are_no_geometry() {
        let geometry = Geometry {
            collection: true,
            primitives: vec![polygons(), line()],
        };
        let whole = geometry.to_wkb();
        for length in 0..whole.len() {
            assert_eq!(read(&whole[..length]), None, "{length}");
        }
        assert_eq!(read(&[&whole[..], &[0]].concat()), None);
        // A count of four billion takes no memory.
        assert_eq!(read(&[1, 2, 0, 0, 0, 255, 255, 255, 255]), None);
        assert_eq!(read(&[0, 0, 0, 0, 1]), None);
    }
}
