//! Coordinates of a declared CRS to EPSG:4326 or EPSG:3857, by a list of codes with an
//! accuracy each.
//!
//! [`look_up`] says of an EPSG code that it is supported and how well, that it needs a datum
//! grid, or that it is not supported; it never falls back to WGS 84. [`Transform`] changes a
//! slice of coordinates in place. [`evidence`] tells where a declaration does not fit the
//! coordinates under it.
//!
//! The order is x, y (easting, northing; longitude, latitude) whatever the code says of its
//! axes: so GeoJSON, PostGIS and GDAL read it. Heights are left as they are.
//!
//! It knows no JSON and no names, reads no file, asks no clock. The list is data, generated
//! from the EPSG dataset by `data/generate.py`; the arithmetic is proj4rs, but for Web
//! Mercator. Points equal PROJ's within a centimetre (`tests/points.rs`).

mod code;
pub mod evidence;
mod mercator;
mod table;
mod transform;

pub use code::{Area, Lookup, System, codes, look_up};
pub use mercator::LATITUDE_MAX;
pub use transform::{DefinitionError, Failure, FailureKind, Target, Transform};
