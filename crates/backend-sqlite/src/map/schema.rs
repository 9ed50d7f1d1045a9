//! The schema of `map.gpkg` and what must agree with it at every start.

use crate::failure::failure;
use crate::geopackage::schema as geopackage;
use hexlane_backend::{Code, Failure, Part};
use rusqlite::{Connection, OptionalExtension};

/// Version of our tables. The file's `user_version` belongs to GeoPackage.
const SCHEMA_VERSION: i64 = 4;
/// The first version, of developers alone: it kept no tally.
const WITHOUT_TALLY: i64 = 1;
/// Before version 3 nothing was joined.
const WITHOUT_JOINED: i64 = 2;
/// The version before: the map had no name.
const WITHOUT_AUTHORITY: i64 = 3;
/// The map's name, by SQLite's generator, which is seeded by the system.
const AUTHORITY: &str = "
    INSERT OR IGNORE INTO hexlane_meta VALUES ('authority', lower(hex(randomblob(16))));";
/// Asks for it.
pub(crate) const AUTHORITY_QUERY: &str = "SELECT value FROM hexlane_meta WHERE name = 'authority'";
/// The tally, since version 2.
const TALLY: &str = include_str!("tally.sql");
/// Outcomes, and how many deliveries each has.
pub(crate) const TALLY_QUERY: &str = "SELECT outcome, deliveries FROM hexlane_tally";
/// What a file without a tally still knows of it. Its duplicates are forgotten.
const TALLY_OF_CLAIMS: &str = "
    SELECT state AS outcome, count(*) AS deliveries FROM hexlane_claims
      WHERE state IN ('applied', 'stale') GROUP BY state
    UNION ALL SELECT 'dead', count(*) FROM dead_letters";

/// Makes the schema in an empty file, or checks the one that is there.
pub(super) fn prepare(connection: &Connection) -> Result<(), Failure> {
    let told = |error: rusqlite::Error| failure(Part::Sink, &error);
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection
        .query_row(tables, [], |row| row.get(0))
        .map_err(told)?;
    if tables == 0 {
        return create(connection).map_err(told);
    }
    let version = recognise(connection)?;
    check_srs(connection)?;
    if version == WITHOUT_TALLY {
        add_tally(connection).map_err(told)?;
    }
    if version <= WITHOUT_JOINED {
        add_joined(connection).map_err(told)?;
    }
    if version <= WITHOUT_AUTHORITY {
        add_authority(connection).map_err(told)?;
    }
    Ok(())
}

/// How a map that was not prepared is asked for its tally.
pub(crate) fn tally_query(connection: &Connection) -> Result<&'static str, Failure> {
    if recognise(connection)? == WITHOUT_TALLY {
        Ok(TALLY_OF_CLAIMS)
    } else {
        Ok(TALLY_QUERY)
    }
}

/// The version of a map that this build reads.
fn recognise(connection: &Connection) -> Result<i64, Failure> {
    let told = |error: rusqlite::Error| failure(Part::Sink, &error);
    let application: i64 = connection
        .query_row("PRAGMA application_id", [], |row| row.get(0))
        .map_err(told)?;
    let ours = "SELECT 1 FROM sqlite_schema WHERE name = 'hexlane_meta'";
    let ours: Option<i64> = connection
        .query_row(ours, [], |row| row.get(0))
        .optional()
        .map_err(told)?;
    if application != geopackage::APPLICATION_ID || ours.is_none() {
        return Err(refused(
            Code::NotAStore,
            "map.gpkg was not made by hexlane".to_owned(),
        ));
    }
    version(connection)
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    geopackage::create(connection)?;
    connection.execute_batch(&format!(
        "{}
         {TALLY}
         {AUTHORITY}
         INSERT INTO hexlane_meta VALUES ('schema_version', '{SCHEMA_VERSION}');
         COMMIT",
        include_str!("schema.sql"),
    ))?;
    // GDAL reads the application id from the file's first page, not through the WAL.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

fn add_tally(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         {TALLY}
         INSERT INTO hexlane_tally {TALLY_OF_CLAIMS};
         UPDATE hexlane_meta SET value = '{WITHOUT_JOINED}' WHERE name = 'schema_version';
         COMMIT"
    ))
}

fn add_joined(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         ALTER TABLE features ADD COLUMN joined TEXT;
         UPDATE hexlane_meta SET value = '{WITHOUT_AUTHORITY}' WHERE name = 'schema_version';
         COMMIT"
    ))
}

fn add_authority(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         {AUTHORITY}
         UPDATE hexlane_meta SET value = '{SCHEMA_VERSION}' WHERE name = 'schema_version';
         COMMIT"
    ))
}

fn version(connection: &Connection) -> Result<i64, Failure> {
    let version: Option<String> = connection
        .query_row(
            "SELECT value FROM hexlane_meta WHERE name = 'schema_version'",
            [],
            |row| row.get(0),
        )
        .optional()
        .map_err(|error| failure(Part::Sink, &error))?;
    match version
        .as_deref()
        .and_then(|version| version.parse::<i64>().ok())
    {
        Some(version @ WITHOUT_TALLY..=SCHEMA_VERSION) => Ok(version),
        Some(newer) if newer > SCHEMA_VERSION => Err(refused(
            Code::SchemaNewer,
            format!("map.gpkg has schema {newer}, this build reads {SCHEMA_VERSION}"),
        )),
        Some(_) | None => Err(refused(
            Code::NotAStore,
            "map.gpkg has no schema version".to_owned(),
        )),
    }
}

fn check_srs(connection: &Connection) -> Result<(), Failure> {
    let stored: i32 = connection
        .query_row(
            "SELECT srs_id FROM gpkg_geometry_columns WHERE table_name = 'features'",
            [],
            |row| row.get(0),
        )
        .map_err(|error| failure(Part::Sink, &error))?;
    if stored == geopackage::SRS_ID {
        return Ok(());
    }
    let detail = format!(
        "map.gpkg is in EPSG:{stored}, this build writes EPSG:{}",
        geopackage::SRS_ID
    );
    Err(refused(Code::Settings, detail))
}

fn refused(code: Code, detail: String) -> Failure {
    Failure::new(Part::Sink, code).with_detail(detail)
}
