//! A geometry as the core holds it: flat coordinates and tables of ends, no tree of
//! small vectors. It says nothing about validity; `ogc-validity` judges its shapes.

mod wkb;
mod wkb_bounds;
mod wkb_read;

/// A point, line or polygon, single or multiple.
pub use ogc_validity::OwnedShape as Primitive;
pub use wkb_bounds::{Bounds, WkbError, wkb_bounds};

/// One geometry: a single primitive, or the flattened members of a collection.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Geometry {
    /// Whether it was a `GeometryCollection`.
    pub collection: bool,
    /// The primitives, in document order; exactly one unless a collection.
    pub primitives: Vec<Primitive>,
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

    /// The geometry of well-known binary as [`Geometry::to_wkb`] writes it; none of other bytes.
    #[must_use]
    pub fn of_wkb(bytes: &[u8]) -> Option<Self> {
        wkb_read::read(bytes)
    }

    /// ISO well-known binary, little-endian; with Z when every position has one.
    #[must_use]
    pub fn to_wkb(&self) -> Vec<u8> {
        wkb::write(self)
    }
}
