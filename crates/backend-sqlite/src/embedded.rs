//! The folder as a whole: opened at once, stopped at once. Or a part of it, where the other
//! part of a deployment stands elsewhere.

use crate::folder::FolderLock;
use crate::map::SqliteMap;
use crate::queue::SqliteQueue;
use crate::settings::Settings;
use hexlane_backend::{Clock, Failure};
use std::sync::Arc;

/// A folder that is this process's, before anything in it is opened.
#[derive(Clone, Debug)]
pub struct Folder {
    settings: Settings,
    clock: Arc<dyn Clock>,
    lock: Arc<FolderLock>,
}

impl Folder {
    /// Makes the folder when it is missing and takes it.
    ///
    /// # Errors
    /// It is in use or cannot be written.
    pub fn take(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, Failure> {
        Ok(Self {
            settings: settings.clone(),
            clock,
            lock: Arc::new(FolderLock::take(&settings.folder)?),
        })
    }

    /// Opens `queue.db`, and makes it when it is missing. Blocks on the disk. Once.
    ///
    /// # Errors
    /// It holds something else, was made by a newer build or for another shard map.
    pub fn queue(&self) -> Result<SqliteQueue, Failure> {
        SqliteQueue::open(
            &self.settings,
            Arc::clone(&self.clock),
            Arc::clone(&self.lock),
        )
    }

    /// Opens `map.gpkg`, and makes it when it is missing. Blocks on the disk. Once.
    ///
    /// # Errors
    /// It holds something else, was made by a newer build or for another shard map.
    pub fn map(&self) -> Result<SqliteMap, Failure> {
        SqliteMap::open(
            &self.settings,
            Arc::clone(&self.clock),
            Arc::clone(&self.lock),
        )
    }
}

/// Queue, leases, sink and dead letters of one folder.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// `queue.db`.
    pub queue: SqliteQueue,
    /// `map.gpkg`: leases, sink and dead letters.
    pub map: SqliteMap,
}

impl Embedded {
    /// Opens the folder, and makes what is missing. Blocks on the disk.
    ///
    /// # Errors
    /// As [`Folder`].
    pub fn open(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Self, Failure> {
        let folder = Folder::take(settings, clock)?;
        Ok(Self {
            queue: folder.queue()?,
            map: folder.map()?,
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
