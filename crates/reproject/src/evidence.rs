//! Where a declared CRS and the coordinates under it do not fit. Each is a hint for the
//! sender, none changes a coordinate.

use crate::code::{Area, System};
use crate::mercator::LATITUDE_MAX;
use crate::transform::Transform;

/// Degrees by which a place may miss the area of use: the areas are boxes around what EPSG
/// means, and features cross borders.
const MARGIN_DEGREES: f64 = 1.0;

fn positions(coordinates: &[f64], stride: usize) -> impl Iterator<Item = (f64, f64)> + Clone {
    let places = coordinates.chunks_exact(stride.max(2));
    places.map(|place| (place[0], place[1]))
}

/// Declared as degrees, and every x is beyond ±180: these look like metres. Not of an empty
/// slice.
#[must_use]
pub fn looks_projected(coordinates: &[f64], stride: usize) -> bool {
    let mut places = positions(coordinates, stride).peekable();
    places.peek().is_some() && places.all(|(x, _)| x.abs() > 180.0)
}

/// No position lies in the system's area of use as given, and every one does when x and y
/// are swapped. `to_lon_lat` is the way from the system to [`Target::LonLat`].
///
/// [`Target::LonLat`]: crate::Target::LonLat
#[must_use]
pub fn axes_swapped(
    system: &System,
    to_lon_lat: &Transform,
    coordinates: &[f64],
    stride: usize,
) -> bool {
    let inside = |x: f64, y: f64| is_inside(to_lon_lat, &system.area, x, y);
    let mut places = positions(coordinates, stride).peekable();
    places.peek().is_some() && places.all(|(x, y)| !inside(x, y) && inside(y, x))
}

/// No position lies in the system's area of use. `to_lon_lat` is as in [`axes_swapped`].
#[must_use]
pub fn outside_area(
    system: &System,
    to_lon_lat: &Transform,
    coordinates: &[f64],
    stride: usize,
) -> bool {
    let mut places = positions(coordinates, stride).peekable();
    places.peek().is_some() && places.all(|(x, y)| !is_inside(to_lon_lat, &system.area, x, y))
}

fn is_inside(transform: &Transform, area: &Area, x: f64, y: f64) -> bool {
    transform
        .point(x, y)
        .is_ok_and(|(lon, lat)| area.contains(lon, lat, MARGIN_DEGREES))
}

/// The first position, of longitudes and latitudes, that EPSG:3857 has no place for.
#[must_use]
pub fn beyond_web_mercator(coordinates: &[f64], stride: usize) -> Option<usize> {
    positions(coordinates, stride).position(|(_, lat)| lat.abs() > LATITUDE_MAX)
}
