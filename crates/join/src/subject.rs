//! The geometry of an event, read once and asked of several layers.

use crate::part::{Part, parts_of};
use geo::{BoundingRect, CoordsIter, Geometry, MapCoordsInPlace};
use geo_traits::to_geo::ToGeoGeometry;
use rstar::AABB;

/// A box of degrees.
pub(crate) type Bounds = AABB<[f64; 2]>;

/// Why bytes give no geometry to ask with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// They are not well-known binary.
    #[error("not well-known binary: {0}")]
    NotWkb(String),
    /// A number in them is NaN or infinite.
    #[error("a coordinate is not a finite number")]
    NotFinite,
}

/// An event's geometry.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(crate) geometry: Geometry<f64>,
    pub(crate) parts: Vec<Part>,
    /// None when it is empty.
    pub(crate) bounds: Option<Bounds>,
}

impl Subject {
    /// Of well-known binary, ISO or extended, in either byte order; heights are not looked at.
    ///
    /// # Errors
    /// When it is none, or has numbers that are none.
    pub fn of_wkb(bytes: &[u8]) -> Result<Self, Unreadable> {
        Ok(Self::of(read_wkb(bytes)?))
    }

    fn of(geometry: Geometry<f64>) -> Self {
        let bounds = bounds_of(&geometry);
        Self {
            parts: parts_of(&geometry),
            geometry,
            bounds,
        }
    }
}

/// A finite geometry; an empty one is an empty collection.
pub(crate) fn read_wkb(bytes: &[u8]) -> Result<Geometry<f64>, Unreadable> {
    let read = wkb::reader::read_wkb(bytes);
    let read = read.map_err(|error| Unreadable::NotWkb(error.to_string()))?;
    let empty = || Geometry::GeometryCollection(geo::GeometryCollection::default());
    let mut geometry = read.try_to_geometry().unwrap_or_else(empty);
    normalise(&mut geometry)?;
    Ok(geometry)
}

/// Refuses what is not finite: indexes order numbers. -0 becomes 0: one of them orders the
/// two apart.
pub(crate) fn normalise(geometry: &mut Geometry<f64>) -> Result<(), Unreadable> {
    let finite = |coord: geo::Coord<f64>| coord.x.is_finite() && coord.y.is_finite();
    if !geometry.coords_iter().all(finite) {
        return Err(Unreadable::NotFinite);
    }
    geometry.map_coords_in_place(|coord| geo::Coord {
        x: coord.x + 0.0,
        y: coord.y + 0.0,
    });
    Ok(())
}

pub(crate) fn bounds_of(geometry: &Geometry<f64>) -> Option<Bounds> {
    let rect = geometry.bounding_rect()?;
    let corner = |coord: geo::Coord<f64>| [coord.x, coord.y];
    Some(AABB::from_corners(corner(rect.min()), corner(rect.max())))
}
