//! Looking at a folder: stopped, killed or running, it is told as it is and left as it was.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend::{Code, DeadLetters, Holder, Leases, OutcomeCounts, QueueExt, Sink, Tally};
use hexlane_backend_sqlite::{Embedded, FolderView, look};
use hexlane_core::lane::Shard;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use support::{Folder, settings};

const COUNTS: OutcomeCounts = OutcomeCounts {
    applied: 2,
    stale: 0,
    duplicate: 1,
    dead: 1,
};

/// Two applied, one of them again, one dead, one waiting.
async fn folder() -> Folder {
    let folder = Folder::new();
    let waiting = Sample::new("a").envelope();
    folder.queue().publish_one(waiting).await.unwrap();
    let holder = Holder::new("test");
    let lease = folder.leases().acquire(Shard::new(7), &holder).await;
    let lease = lease.unwrap().unwrap();
    let batch = [
        Sample::new("b"),
        Sample::new("c").about("van-2", 1),
        Sample::new("b"),
    ];
    let effects = batch.iter().map(Sample::effect).collect();
    folder.sink().apply(&lease, effects).await.unwrap();
    let dead = vec![Sample::new("d").dead_letter()];
    folder.dead_letters().record(&lease, dead).await.unwrap();
    folder
}

fn seen(folder: &Path) -> FolderView {
    look(folder, Setup::START_US + 2_000_000).unwrap()
}

fn assert_as_made(view: &FolderView) {
    assert_eq!(view.tally, COUNTS);
    assert_eq!(view.dead_letters.len(), 1);
    let [shard] = view.backlog.as_slice() else {
        panic!("{:?}", view.backlog)
    };
    assert_eq!(
        (shard.shard, shard.ready, shard.in_flight),
        (Shard::new(7), 1, 0)
    );
    assert_eq!(shard.oldest_age_ms, Some(2_000));
    assert!(shard.bytes > 0);
}

/// Every file of a folder, byte by byte.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(path).unwrap())
    });
    files.collect()
}

#[tokio::test]
async fn a_stopped_folder_is_told_and_nothing_in_it_changes() {
    let Folder { stores, dir, .. } = folder().await;
    stores.stop().await.unwrap();
    let before = bytes(dir.path());
    assert_as_made(&seen(dir.path()));
    assert_eq!(bytes(dir.path()), before);
}

#[tokio::test]
async fn a_running_folder_is_told_too_and_goes_on() {
    let folder = folder().await;
    assert_as_made(&seen(folder.dir.path()));
    let more = Sample::new("e").envelope();
    folder.queue().publish_one(more).await.unwrap();
    assert_eq!(seen(folder.dir.path()).backlog[0].ready, 2);
    let Folder { stores, dir, .. } = folder;
    stores.stop().await.unwrap();
    assert_eq!(seen(dir.path()).backlog[0].ready, 2);
}

#[tokio::test]
async fn what_a_kill_left_is_told_and_nothing_in_it_changes() {
    let folder = folder().await;
    let killed = folder.crashed();
    for name in ["queue.db-shm", "map.gpkg-shm"] {
        std::fs::copy(folder.path(name), killed.path().join(name)).unwrap();
    }
    let before = bytes(killed.path());
    assert!(before["map.gpkg-wal"].len() > 4_096);
    assert_as_made(&seen(killed.path()));
    assert_eq!(bytes(killed.path()), before);
}

#[tokio::test]
async fn a_wal_without_its_index_is_told_and_kept() {
    let killed = folder().await.crashed();
    let before = bytes(killed.path());
    assert_as_made(&seen(killed.path()));
    let after = bytes(killed.path());
    for (name, content) in before {
        assert_eq!(after[&name], content, "{name}");
    }
}

#[tokio::test]
async fn a_map_without_a_tally_is_told_by_its_claims_and_gets_one_when_it_is_opened() {
    let Folder { stores, dir, .. } = folder().await;
    stores.stop().await.unwrap();
    let first_version = "DROP TABLE hexlane_tally;
                         ALTER TABLE features DROP COLUMN joined;
                         UPDATE hexlane_meta SET value = '1' WHERE name = 'schema_version'";
    Connection::open(dir.path().join("map.gpkg"))
        .unwrap()
        .execute_batch(first_version)
        .unwrap();
    let known = OutcomeCounts {
        duplicate: 0,
        ..COUNTS
    };
    assert_eq!(seen(dir.path()).tally, known);
    let stores = Embedded::open(&settings(dir.path()), Setup::clock()).unwrap();
    assert_eq!(stores.map.tally().await.unwrap(), known);
    stores.stop().await.unwrap();
    let again = Embedded::open(&settings(dir.path()), Setup::clock()).unwrap();
    assert_eq!(again.map.tally().await.unwrap(), known);
}

#[tokio::test]
async fn what_is_no_folder_of_ours_is_refused_by_its_name_and_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let absent = dir.path().join("absent");
    for folder in [absent.as_path(), dir.path()] {
        let failure = look(folder, 0).unwrap_err();
        assert_eq!(failure.code, Code::NotAStore);
        assert!(failure.to_string().contains(folder.to_str().unwrap()));
    }
    assert_eq!(bytes(dir.path()), BTreeMap::new());
    for name in ["queue.db", "map.gpkg"] {
        std::fs::write(dir.path().join(name), "a letter").unwrap();
    }
    assert_eq!(look(dir.path(), 0).unwrap_err().code, Code::NotAStore);
}

#[tokio::test]
async fn a_path_with_signs_of_its_own_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("50 % of? #1");
    let stores = Embedded::open(&settings(&odd), Setup::clock()).unwrap();
    stores.stop().await.unwrap();
    assert_eq!(seen(&odd).tally, OutcomeCounts::default());
}
