//! Making a GeoPackage, and recognising one.

use rusqlite::Connection;

/// `PRAGMA application_id`: "GPKG".
pub(crate) const APPLICATION_ID: i64 = 0x4750_4b47;
/// `PRAGMA user_version` of version 1.4.0.
const USER_VERSION: i64 = 10_400;
/// The reference system of the feature layer: WGS 84 in degrees, as events come. Another
/// one would need reprojection, which nothing does.
pub(crate) const SRS_ID: i32 = 4326;

/// The GeoPackage tables and the feature layer, in the open transaction.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    let tables = include_str!("schema.sql").replace("{srs_id}", &SRS_ID.to_string());
    connection.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {USER_VERSION};
         {tables}
         {}",
        include_str!("rtree.sql"),
    ))
}
