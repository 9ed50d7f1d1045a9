//! A PostgreSQL with PostGIS: the map of a consumer, and a judge from outside, into which
//! GDAL imports and in which GEOS compares.

use crate::geopackage;
use hexlane_servers::{PASSWORD, postgres};
use std::path::Path;
use std::process::Command;

/// A server with one database, `map`.
pub struct Postgis {
    /// The server.
    pub server: postgres::Server,
}

impl Postgis {
    /// A fresh one.
    #[must_use]
    pub fn start() -> Self {
        Self {
            server: postgres::Server::start(),
        }
    }

    /// The one number of a query.
    ///
    /// # Panics
    /// When the query fails, or the number is negative.
    #[must_use]
    pub fn number(&self, sql: &str) -> u64 {
        let number = wait_for(self.server.number(sql));
        number.try_into().expect("a count")
    }

    /// Statements of the superuser.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn sql(&self, database: &str, sql: &str) {
        wait_for(self.server.sql(database, sql));
    }

    /// Imports one layer of a file as GDAL reads it: the table has that name, the geometries
    /// stand in `geom`, and columns are in lower case.
    ///
    /// # Panics
    /// When GDAL is absent or refuses.
    pub fn import(&self, file: &Path, layer: Option<&str>, table: &str) {
        let mut import = Command::new("ogr2ogr");
        // GDAL would give heights an SRID of their own, and leave them out of a mixed layer.
        import.args(["-f", "PostgreSQL", "-nln", table, "-a_srs", "EPSG:4326"]);
        import.args(["-dim", "XYZ"]);
        import.args(["-lco", "GEOMETRY_NAME=geom", "-lco", "SPATIAL_INDEX=NONE"]);
        let place = format!(
            "PG:host=127.0.0.1 port={} dbname=map user=postgres",
            self.server.port
        );
        import.env("PGPASSWORD", PASSWORD).arg(place).arg(file);
        import.args(layer);
        geopackage::run(&mut import);
    }
}

fn wait_for<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}
