//! The folder: made when missing, one process, clear refusals, one file each after a stop.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend::{Code, Failure, FailureKind, Holder, Leases, Queue, QueueExt, Sink};
use hexlane_backend_sqlite::{Embedded, Settings};
use hexlane_core::lane::{Shard, ShardMap};
use rusqlite::Connection;
use std::path::Path;
use support::{Folder, ask, settings};

fn refused(settings: &Settings) -> Failure {
    Embedded::open(settings, Setup::clock()).expect_err("refused")
}

fn detail(failure: &Failure) -> &str {
    failure.detail.as_deref().expect("a sentence for the log")
}

async fn stopped() -> (tempfile::TempDir, Settings) {
    let folder = Folder::new();
    folder
        .queue()
        .publish_one(Sample::new("a").envelope())
        .await
        .unwrap();
    let lease = folder
        .leases()
        .acquire(Shard::new(7), &Holder::new("test"))
        .await
        .unwrap();
    let effects = vec![Sample::new("b").effect()];
    folder.sink().apply(&lease.unwrap(), effects).await.unwrap();
    let Folder { stores, dir, .. } = folder;
    stores.stop().await.unwrap();
    let settings = settings(dir.path());
    (dir, settings)
}

fn execute(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_missing_folder_is_made_with_its_parents() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(&dir.path().join("a/b"));
    assert!(Embedded::open(&settings, Setup::clock()).is_ok());
}

#[tokio::test]
async fn a_second_opener_is_refused_by_the_folders_name() {
    let folder = Folder::new();
    let failure = refused(&settings(folder.dir.path()));
    assert_eq!(
        (failure.code, failure.kind),
        (Code::InUse, FailureKind::Later)
    );
    assert!(detail(&failure).contains(folder.dir.path().to_str().unwrap()));
}

#[tokio::test]
async fn after_a_stop_each_file_stands_alone_and_opens_again() {
    let (dir, settings) = stopped().await;
    for name in ["queue.db", "map.gpkg"] {
        assert!(
            !dir.path().join(format!("{name}-wal")).exists(),
            "{name} has a wal"
        );
        assert!(
            !dir.path().join(format!("{name}-shm")).exists(),
            "{name} has an shm"
        );
        let connection = Connection::open(dir.path().join(name)).unwrap();
        let mode: String = connection
            .query_row("PRAGMA journal_mode", [], |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "delete");
    }
    assert_eq!(
        ask(
            &dir.path().join("map.gpkg"),
            "SELECT count(*) FROM features"
        ),
        1
    );
    let stores = Embedded::open(&settings, Setup::clock()).unwrap();
    assert_eq!(stores.queue.backlog().await.unwrap()[0].ready, 1);
}

#[tokio::test]
async fn a_call_after_the_stop_says_so() {
    let folder = Folder::new();
    let queue = folder.stores.queue.clone();
    folder.stores.stop().await.unwrap();
    let failure = queue
        .publish_one(Sample::new("a").envelope())
        .await
        .unwrap_err();
    assert_eq!(failure.code, Code::Stopped);
}

#[tokio::test]
async fn another_shard_count_is_refused_with_both_numbers() {
    let (_dir, settings) = stopped().await;
    let shard_map = ShardMap::new(8).unwrap();
    let failure = refused(&Settings {
        shard_map,
        ..settings
    });
    assert_eq!(
        (failure.code, failure.kind),
        (Code::ShardMapMismatch, FailureKind::Never)
    );
    assert!(detail(&failure).contains("64") && detail(&failure).contains('8'));
}

#[tokio::test]
async fn another_reference_system_is_refused() {
    let (dir, settings) = stopped().await;
    execute(
        &dir.path().join("map.gpkg"),
        "UPDATE gpkg_geometry_columns SET srs_id = 3857",
    );
    let failure = refused(&settings);
    assert_eq!(failure.code, Code::Settings);
    assert!(detail(&failure).contains("3857") && detail(&failure).contains("4326"));
}

#[tokio::test]
async fn a_map_from_before_joins_is_taken_over_with_what_it_holds() {
    let (dir, settings) = stopped().await;
    let map = dir.path().join("map.gpkg");
    let columns = "SELECT group_concat(name || ' ' || type) FROM pragma_table_info('features')";
    let text = |sql| -> String {
        let map = Connection::open(&map).unwrap();
        map.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let made_new = text(columns);
    execute(
        &map,
        "ALTER TABLE features DROP COLUMN joined;
         UPDATE hexlane_meta SET value = '2' WHERE name = 'schema_version'",
    );
    let stores = Embedded::open(&settings, Setup::clock()).unwrap();
    let lease = stores
        .map
        .acquire(Shard::new(7), &Holder::new("test"))
        .await;
    let lease = lease.unwrap().unwrap();
    let joined = Sample::new("c").about("van-2", 1).joined("{\"zones\":[]}");
    stores
        .map
        .apply(&lease, vec![joined.effect()])
        .await
        .unwrap();
    stores.stop().await.unwrap();
    assert_eq!(text(columns), made_new);
    let rows = "SELECT group_concat(entity || '=' || coalesce(joined, '-')) FROM features";
    assert_eq!(text(rows), "van-1=-,van-2={\"zones\":[]}");
    let version = "SELECT value FROM hexlane_meta WHERE name = 'schema_version'";
    assert_eq!(text(version), "4");
    let again = Embedded::open(&settings, Setup::clock()).unwrap();
    again.stop().await.unwrap();
}

#[tokio::test]
async fn a_map_has_a_name_of_its_own_for_ever() {
    let (dir, settings) = stopped().await;
    let name_of = async |settings: &Settings| {
        let stores = Embedded::open(settings, Setup::clock()).unwrap();
        let name = stores.map.authority().await.unwrap();
        stores.stop().await.unwrap();
        name
    };
    let name = name_of(&settings).await;
    assert_eq!(name_of(&settings).await, name);
    let (_other_dir, other) = stopped().await;
    assert_ne!(name_of(&other).await, name);
    let map = dir.path().join("map.gpkg");
    let nameless = "DELETE FROM hexlane_meta WHERE name = 'authority';
                    UPDATE hexlane_meta SET value = '3' WHERE name = 'schema_version'";
    execute(&map, nameless);
    let named = name_of(&settings).await;
    assert_ne!(named, name);
    assert_eq!(name_of(&settings).await, named);
    execute(
        &map,
        "UPDATE hexlane_meta SET value = 'x' WHERE name = 'authority'",
    );
    let stores = Embedded::open(&settings, Setup::clock()).unwrap();
    assert_eq!(
        stores.map.authority().await.unwrap_err().code,
        Code::Corrupt
    );
}

#[tokio::test]
async fn files_of_a_newer_build_are_refused() {
    let (dir, settings) = stopped().await;
    execute(&dir.path().join("queue.db"), "PRAGMA user_version = 2");
    assert_eq!(refused(&settings).code, Code::SchemaNewer);
    execute(&dir.path().join("queue.db"), "PRAGMA user_version = 1");
    execute(
        &dir.path().join("map.gpkg"),
        "UPDATE hexlane_meta SET value = '99'",
    );
    assert_eq!(refused(&settings).code, Code::SchemaNewer);
}

#[tokio::test]
async fn files_that_are_something_else_are_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path());
    let queue = dir.path().join("queue.db");
    let text = "a letter, not a database, and long enough to be read as a header. ".repeat(20);
    std::fs::write(&queue, &text).unwrap();
    assert_eq!(refused(&settings).code, Code::NotAStore);
    assert_eq!(std::fs::read_to_string(&queue).unwrap(), text);
    std::fs::remove_file(&queue).unwrap();
    execute(&queue, "CREATE TABLE somebody_elses (x)");
    assert_eq!(refused(&settings).code, Code::NotAStore);
}

#[tokio::test]
async fn a_folder_that_is_a_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "x").unwrap();
    let failure = refused(&settings(&path));
    assert_eq!(
        (failure.code, failure.kind),
        (Code::Settings, FailureKind::Never)
    );
}

#[tokio::test]
async fn a_torn_page_is_found_and_said_never() {
    let (dir, settings) = stopped().await;
    let path = dir.path().join("queue.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let page = 4_096;
    bytes[page..].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let failure = refused(&settings);
    assert_eq!(
        (failure.code, failure.kind),
        (Code::Corrupt, FailureKind::Never)
    );
}
