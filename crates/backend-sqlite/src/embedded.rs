//! The folder as a whole: opened at once, stopped at once.

use crate::folder::FolderLock;
use crate::map::SqliteMap;
use crate::queue::SqliteQueue;
use crate::settings::Settings;
use hexlane_backend::{Clock, Failure};
use std::sync::Arc;

/// Queue, leases, sink and dead letters of one folder.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// `queue.db`.
    pub queue: SqliteQueue,
    /// `map.gpkg`: leases, sink and dead letters.
    pub map: SqliteMap,
    _lock: Arc<FolderLock>,
}

impl Embedded {
    /// Opens the folder, and makes what is missing. Blocks on the disk.
    ///
    /// # Errors
    /// The folder is in use, cannot be written, holds something else, was made by a newer
    /// build or for another shard map.
    pub fn open(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, Failure> {
        let lock = Arc::new(FolderLock::take(&settings.folder)?);
        let queue = SqliteQueue::open(settings, Arc::clone(&clock), Arc::clone(&lock))?;
        let map = SqliteMap::open(settings, clock, Arc::clone(&lock))?;
        Ok(Self {
            queue,
            map,
            _lock: lock,
        })
    }

    /// Finishes what was asked, then leaves each file so that it can be copied alone.
    /// Calls after that answer `store.stopped`.
    ///
    /// # Errors
    /// The first thing that went wrong; what was answered before is safe all the same.
    pub async fn stop(self) -> Result<(), Failure> {
        let queue = self.queue.stop().await;
        let map = self.map.stop().await;
        queue.and(map)
    }
}
