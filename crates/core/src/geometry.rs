//! A geometry as the core holds it: flat coordinates and tables of ends, no tree of
//! small vectors. It says nothing about validity; `ogc-validity` judges its shapes.

mod wkb;
mod wkb_bounds;

pub use wkb_bounds::{Bounds, WkbError, wkb_bounds};

use ogc_validity::{Shape, ShapeKind};

/// One geometry: a single primitive, or the flattened members of a collection.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Geometry {
    /// Whether it was a `GeometryCollection`.
    pub collection: bool,
    /// The primitives, in document order; exactly one unless a collection.
    pub primitives: Vec<Primitive>,
}

/// A point, line or polygon, single or multiple.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// Its GeoJSON type.
    pub kind: ShapeKind,
    /// x, y (, z) of every position, in document order.
    pub coordinates: Vec<f64>,
    /// 2 or 3 numbers a position.
    pub stride: usize,
    /// Where each line or ring ends, in positions.
    pub ring_ends: Vec<u32>,
    /// Where each polygon ends, in rings.
    pub part_ends: Vec<u32>,
}

impl Primitive {
    /// The borrowed form that is judged.
    #[must_use]
    pub fn shape(&self) -> Shape<'_> {
        Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: self.stride,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        }
    }

    /// How many positions it has.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.coordinates.len() / self.stride
    }

    /// x and y of every position.
    pub fn positions(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.coordinates
            .chunks_exact(self.stride)
            .map(|position| [position[0], position[1]])
    }

    /// The rings or lines, as ranges of positions.
    pub fn rings(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        ranges(&self.ring_ends)
    }

    /// The polygons, as ranges of rings.
    pub fn parts(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        ranges(&self.part_ends)
    }
}

fn ranges(ends: &[u32]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    ends.iter().map(move |end| {
        let end = usize::try_from(*end).unwrap_or(usize::MAX);
        let range = start..end;
        start = end;
        range
    })
}

impl Geometry {
    /// How many positions it has.
    #[must_use]
    pub fn vertices(&self) -> u64 {
        self.primitives
            .iter()
            .map(|primitive| primitive.vertices() as u64)
            .sum()
    }

    /// West, south, east, north of the coordinates as they stand; none when empty.
    #[must_use]
    pub fn bbox(&self) -> Option<[f64; 4]> {
        let mut positions = self.primitives.iter().flat_map(Primitive::positions);
        let [x, y] = positions.next()?;
        let grown = positions.fold([x, y, x, y], |[west, south, east, north], [x, y]| {
            [
                if x < west { x } else { west },
                if y < south { y } else { south },
                if x > east { x } else { east },
                if y > north { y } else { north },
            ]
        });
        Some(grown)
    }

    /// ISO well-known binary, little-endian; with Z when every position has one.
    #[must_use]
    pub fn to_wkb(&self) -> Vec<u8> {
        wkb::write(self)
    }
}
