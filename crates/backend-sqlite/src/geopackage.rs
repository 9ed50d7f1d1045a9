//! GeoPackage 1.4 (OGC 12-128r19) as far as Hexlane writes it: the binary geometry, the
//! functions that its R-tree triggers call, the tables that make a file one, the extent.
//!
//! It reads the geometries of other writers too (a person may have edited the map). It
//! judges no geometry; what is not well-known binary is refused.

pub(crate) mod binary;
pub(crate) mod extent;
pub(crate) mod functions;
pub(crate) mod schema;
