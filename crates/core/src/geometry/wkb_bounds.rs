//! What a store must know of well-known binary (ISO 13249-3, OGC 06-103r4): that it is
//! whole, whether it is empty, and its bounds. Either byte order, XY to XYZM. Depth and
//! counts are bounded by what is there.

/// How deep collections may nest.
const DEPTH_MAX: usize = 32;

/// The bounds of a geometry; none of them when it is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least and greatest x.
    pub x: [f64; 2],
    /// Least and greatest y.
    pub y: [f64; 2],
}

/// Why bytes are not well-known binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WkbError {
    /// They end too early.
    #[error("well-known binary ends too early")]
    Short,
    /// They go on after the end.
    #[error("well-known binary goes on after its end")]
    Trailing,
    /// A byte order that is neither 0 nor 1.
    #[error("byte order {0} in well-known binary")]
    ByteOrder(u8),
    /// A geometry type that is not in the standard's first seven.
    #[error("geometry type {0} in well-known binary")]
    Type(u32),
    /// Nested too deeply.
    #[error("collections nested too deeply")]
    Depth,
}

/// The bounds of a whole geometry; none when it is empty.
///
/// # Errors
/// When the bytes are not one whole geometry.
pub fn wkb_bounds(bytes: &[u8]) -> Result<Option<Bounds>, WkbError> {
    let mut reader = Reader {
        rest: bytes,
        bounds: None,
    };
    reader.geometry(0)?;
    if reader.rest.is_empty() {
        Ok(reader.bounds)
    } else {
        Err(WkbError::Trailing)
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    bounds: Option<Bounds>,
}

/// Byte order and numbers a position of the geometry that is read.
#[derive(Clone, Copy)]
struct Layout {
    little_endian: bool,
    numbers: usize,
}

impl Reader<'_> {
    fn geometry(&mut self, depth: usize) -> Result<(), WkbError> {
        if depth > DEPTH_MAX {
            return Err(WkbError::Depth);
        }
        let (kind, layout) = self.head()?;
        match kind {
            1 => self.positions(1, layout),
            2 => self.sequence(layout),
            3 => (0..self.count(layout, 4)?).try_for_each(|_| self.sequence(layout)),
            4..=7 => (0..self.count(layout, 5)?).try_for_each(|_| self.geometry(depth + 1)),
            other => Err(WkbError::Type(other)),
        }
    }

    fn head(&mut self) -> Result<(u32, Layout), WkbError> {
        let [order] = self.take()?;
        let little_endian = match order {
            0 => false,
            1 => true,
            other => return Err(WkbError::ByteOrder(other)),
        };
        let code = self.number(little_endian)?;
        let numbers = match code / 1_000 {
            0 => 2,
            1 | 2 => 3,
            3 => 4,
            _ => return Err(WkbError::Type(code)),
        };
        Ok((
            code % 1_000,
            Layout {
                little_endian,
                numbers,
            },
        ))
    }

    fn sequence(&mut self, layout: Layout) -> Result<(), WkbError> {
        let count = self.count(layout, layout.numbers * 8)?;
        self.positions(count, layout)
    }

    fn positions(&mut self, count: usize, layout: Layout) -> Result<(), WkbError> {
        for _ in 0..count {
            let x = self.double(layout)?;
            let y = self.double(layout)?;
            for _ in 2..layout.numbers {
                self.double(layout)?;
            }
            self.grow(x, y);
        }
        Ok(())
    }

    /// NaN is the empty point.
    fn grow(&mut self, x: f64, y: f64) {
        if x.is_nan() || y.is_nan() {
            return;
        }
        let old = self.bounds.unwrap_or(Bounds {
            x: [x, x],
            y: [y, y],
        });
        self.bounds = Some(Bounds {
            x: [old.x[0].min(x), old.x[1].max(x)],
            y: [old.y[0].min(y), old.y[1].max(y)],
        });
    }

    /// A count of items of at least that many bytes each.
    fn count(&mut self, layout: Layout, item_bytes_min: usize) -> Result<usize, WkbError> {
        let count = usize::try_from(self.number(layout.little_endian)?).unwrap_or(usize::MAX);
        if count > self.rest.len() / item_bytes_min {
            return Err(WkbError::Short);
        }
        Ok(count)
    }

    fn number(&mut self, little_endian: bool) -> Result<u32, WkbError> {
        let bytes = self.take()?;
        Ok(if little_endian {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        })
    }

    fn double(&mut self, layout: Layout) -> Result<f64, WkbError> {
        let bytes = self.take()?;
        Ok(if layout.little_endian {
            f64::from_le_bytes(bytes)
        } else {
            f64::from_be_bytes(bytes)
        })
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], WkbError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(WkbError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Geometry, Primitive};
    use proptest::prelude::*;

    fn polygon_z() -> Vec<u8> {
        Geometry {
            collection: false,
            primitives: vec![Primitive {
                kind: ogc_validity::ShapeKind::Polygon,
                coordinates: vec![0.0, 0.0, 9.0, 4.0, 0.0, 9.0, 4.0, 3.0, 9.0, 0.0, 0.0, 9.0],
                stride: 3,
                ring_ends: vec![4],
                part_ends: vec![1],
            }],
        }
        .to_wkb()
    }

    #[test]
    fn what_core_writes_is_read() {
        let expected = Bounds {
            x: [0.0, 4.0],
            y: [0.0, 3.0],
        };
        assert_eq!(wkb_bounds(&polygon_z()), Ok(Some(expected)));
    }

    #[test]
    fn both_byte_orders_are_read() {
        let big = [
            &[0, 0, 0, 0, 1][..],
            &2.5f64.to_be_bytes(),
            &(-1.0f64).to_be_bytes(),
        ]
        .concat();
        assert_eq!(
            wkb_bounds(&big),
            Ok(Some(Bounds {
                x: [2.5, 2.5],
                y: [-1.0, -1.0]
            }))
        );
    }

    #[test]
    fn an_empty_point_and_an_empty_collection_have_no_bounds() {
        let nan = f64::NAN.to_le_bytes();
        assert_eq!(
            wkb_bounds(&[&[1, 1, 0, 0, 0][..], &nan, &nan].concat()),
            Ok(None)
        );
        assert_eq!(wkb_bounds(&[1, 7, 0, 0, 0, 0, 0, 0, 0]), Ok(None));
    }

    #[test]
    fn a_cut_anywhere_is_an_error_and_so_is_more() {
        let whole = polygon_z();
        for end in 0..whole.len() {
            assert_eq!(
                wkb_bounds(&whole[..end]),
                Err(WkbError::Short),
                "cut at {end}"
            );
        }
        assert_eq!(
            wkb_bounds(&[whole, vec![0]].concat()),
            Err(WkbError::Trailing)
        );
    }

    proptest! {
        #[test]
        fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _answer = wkb_bounds(&bytes);
        }
    }
}
