//! The schema of `queue.db` and what must agree with it at every start.

use crate::failure::failure;
use hexlane_backend::{Code, Failure, Part};
use hexlane_core::lane::ShardMap;
use rusqlite::{Connection, OptionalExtension};

/// `PRAGMA application_id`: "HxQu".
const APPLICATION_ID: i64 = 0x4878_5175;
/// `PRAGMA user_version` of this build.
const SCHEMA_VERSION: i64 = 1;

/// Makes the schema in an empty file, or checks the one that is there.
pub(super) fn prepare(connection: &Connection, shard_map: ShardMap) -> Result<(), Failure> {
    let told = |error: rusqlite::Error| failure(Part::Queue, &error);
    let tables = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection
        .query_row(tables, [], |row| row.get(0))
        .map_err(told)?;
    if tables == 0 {
        return create(connection, shard_map).map_err(told);
    }
    recognise(connection)?;
    check_shards(connection, shard_map)
}

/// Whether it is a queue that this build reads.
pub(crate) fn recognise(connection: &Connection) -> Result<(), Failure> {
    let told = |error: rusqlite::Error| failure(Part::Queue, &error);
    let version = number(connection, "user_version").map_err(told)?;
    let application = number(connection, "application_id").map_err(told)?;
    match (application, version) {
        (APPLICATION_ID, SCHEMA_VERSION) => Ok(()),
        (APPLICATION_ID, newer) if newer > SCHEMA_VERSION => {
            Err(
                Failure::new(Part::Queue, Code::SchemaNewer).with_detail(format!(
                    "queue.db has schema {newer}, this build reads {SCHEMA_VERSION}"
                )),
            )
        }
        (_, _) => Err(Failure::new(Part::Queue, Code::NotAStore)
            .with_detail("queue.db was not made by hexlane")),
    }
}

fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i64> {
    connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
}

/// Writes a page without changing anything: the version again, which `recognise` has checked.
pub(super) fn touch(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)
}

fn create(connection: &Connection, shard_map: ShardMap) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "BEGIN IMMEDIATE;
         {}
         INSERT INTO meta VALUES ('shards', '{}'), ('shard_map_version', '{}');
         PRAGMA application_id = {APPLICATION_ID};
         PRAGMA user_version = {SCHEMA_VERSION};
         COMMIT",
        include_str!("schema.sql"),
        shard_map.shards(),
        ShardMap::VERSION,
    ))
}

fn check_shards(connection: &Connection, shard_map: ShardMap) -> Result<(), Failure> {
    let expected = [
        ("shards", shard_map.shards().to_string()),
        ("shard_map_version", ShardMap::VERSION.to_string()),
    ];
    for (name, expected) in expected {
        let found: Option<String> = connection
            .query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .optional()
            .map_err(|error| failure(Part::Queue, &error))?;
        if found.as_ref() != Some(&expected) {
            let found = found.unwrap_or_default();
            return Err(
                Failure::new(Part::Queue, Code::ShardMapMismatch).with_detail(format!(
                    "queue.db was made with {name} = {found}, the settings say {expected}"
                )),
            );
        }
    }
    Ok(())
}
