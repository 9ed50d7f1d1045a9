//! EPSG:3857, Web Mercator: the sphere of WGS 84's semi-major axis under geodetic
//! latitudes (EPSG method 1024). Its arithmetic is `libm`'s: the same bits everywhere.

use core::f64::consts::{FRAC_PI_2, PI};

/// The latitude at which the square map ends; Web Mercator means nothing beyond.
pub const LATITUDE_MAX: f64 = 85.051_129;

const RADIUS_M: f64 = 6_378_137.0;

/// Longitude and latitude in degrees to metres.
pub(crate) fn forward(lon: f64, lat: f64) -> (f64, f64) {
    let (lam, phi) = (lon * (PI / 180.0), lat * (PI / 180.0));
    // Exact at the equator, and odd in the latitude.
    (RADIUS_M * lam, RADIUS_M * libm::atanh(libm::sin(phi)))
}

/// Metres to longitude and latitude in degrees.
pub(crate) fn inverse(x: f64, y: f64) -> (f64, f64) {
    let phi = FRAC_PI_2 - 2.0 * libm::atan(libm::exp(-y / RADIUS_M));
    (x / RADIUS_M * (180.0 / PI), phi * (180.0 / PI))
}
