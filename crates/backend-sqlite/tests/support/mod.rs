//! Embedded stores in a folder of their own, and what a crash leaves of them.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test uses its part and fails by panicking"
)]

use hexlane_backend::clock::ManualClock;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend_sqlite::{Embedded, Settings, SqliteMap, SqliteQueue};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub struct Folder {
    pub clock: Arc<ManualClock>,
    pub stores: Embedded,
    pub dir: TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap(), Setup::clock())
    }

    fn open(folder: TempDir, clock: Arc<ManualClock>) -> Self {
        let stores = Embedded::open(&settings(folder.path()), clock.clone()).unwrap();
        Self {
            clock,
            stores,
            dir: folder,
        }
    }

    /// The files as they are on disk at this moment, in another folder: what a kill
    /// leaves. No file is closed or checkpointed for it.
    pub fn crashed(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        for name in ["queue.db", "queue.db-wal", "map.gpkg", "map.gpkg-wal"] {
            let from = self.dir.path().join(name);
            if from.exists() {
                std::fs::copy(from, copy.path().join(name)).unwrap();
            }
        }
        copy
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.dir.path().join(file)
    }
}

/// The suite's settings in that folder.
pub fn settings(folder: &Path) -> Settings {
    Settings {
        shard_map: Setup::shard_map(),
        limits: Setup::LIMITS,
        lease_ms: Setup::LEASE_MS,
        ..Settings::in_folder(folder)
    }
}

/// One number of a file, asked over a foreign connection.
pub fn ask(path: &Path, sql: &str) -> i64 {
    Connection::open(path)
        .unwrap()
        .query_row(sql, [], |row| row.get(0))
        .unwrap()
}

impl Fixture for Folder {
    type Queue = SqliteQueue;
    type Leases = SqliteMap;
    type Sink = SqliteMap;
    type DeadLetters = SqliteMap;
    type Tally = SqliteMap;

    fn clock(&self) -> &ManualClock {
        &self.clock
    }
    fn queue(&self) -> &SqliteQueue {
        &self.stores.queue
    }
    fn leases(&self) -> &SqliteMap {
        &self.stores.map
    }
    fn sink(&self) -> &SqliteMap {
        &self.stores.map
    }
    fn dead_letters(&self) -> &SqliteMap {
        &self.stores.map
    }
    fn tally(&self) -> &SqliteMap {
        &self.stores.map
    }
    async fn joined(&self, source: &str, entity: &str) -> Option<String> {
        let sql = "SELECT joined FROM features WHERE source = ?1 AND entity = ?2";
        let map = Connection::open(self.path("map.gpkg")).unwrap();
        map.query_row(sql, (source, entity), |row| row.get(0))
            .unwrap()
    }
    async fn reopen(self) -> Self {
        Self::open(self.crashed(), self.clock.clone())
    }
}
