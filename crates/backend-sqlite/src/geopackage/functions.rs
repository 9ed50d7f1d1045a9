//! The SQL functions that GeoPackage R-tree triggers call (OGC 12-128r19, F.3). Registered
//! on every connection of ours; QGIS and GDAL bring their own.

use super::binary;
use hexlane_core::geometry::Bounds;
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// One number of the bounds.
type Corner = fn(Bounds) -> f64;

/// Registers `ST_IsEmpty`, `ST_MinX`, `ST_MaxX`, `ST_MinY`, `ST_MaxY`.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("ST_IsEmpty", 1, flags, |context| {
        Ok(geometry(context).map(|bounds| bounds.is_none()))
    })?;
    let corners: [(&str, Corner); 4] = [
        ("ST_MinX", |bounds| bounds.x[0]),
        ("ST_MaxX", |bounds| bounds.x[1]),
        ("ST_MinY", |bounds| bounds.y[0]),
        ("ST_MaxY", |bounds| bounds.y[1]),
    ];
    for (name, corner) in corners {
        connection.create_scalar_function(name, 1, flags, move |context| {
            Ok(geometry(context).flatten().map(corner))
        })?;
    }
    Ok(())
}

/// The argument's bounds; none of a NULL, an inner none of an empty geometry.
#[expect(clippy::option_option, reason = "NULL and empty differ in SQL")]
fn geometry(context: &Context<'_>) -> Option<Option<Bounds>> {
    match context.get_raw(0) {
        ValueRef::Blob(bytes) => Some(binary::bounds(bytes)),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => None,
    }
}
