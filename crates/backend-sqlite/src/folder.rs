//! The data folder: made when missing, one process at a time. The lock belongs to the
//! open file and ends with the process, however it ends.

use hexlane_backend::{Code, Failure, Part};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// Name of the queue's file.
pub(crate) const QUEUE_FILE: &str = "queue.db";
/// Name of the map's file.
pub(crate) const MAP_FILE: &str = "map.gpkg";
/// Name of the lock file.
const LOCK_FILE: &str = "hexlane.lock";

/// The sole right to a folder, for as long as it is held.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Makes the folder when it is missing and takes it.
    pub(crate) fn take(folder: &Path) -> Result<Self, Failure> {
        let cannot = |error: std::io::Error| {
            let code = code_of(error.kind());
            Failure::new(Part::Queue, code).with_detail(format!("{}: {error}", folder.display()))
        };
        std::fs::create_dir_all(folder).map_err(cannot)?;
        let path = folder.join(LOCK_FILE);
        let mut options = OpenOptions::new();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(cannot)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::new(Part::Queue, Code::InUse)
                .with_detail(format!("another process uses {}", folder.display()))),
            Err(TryLockError::Error(error)) => Err(cannot(error)),
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "std's list of kinds is open"
)]
const fn code_of(kind: std::io::ErrorKind) -> Code {
    match kind {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            Code::ReadOnly
        }
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Code::DiskFull,
        std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory => Code::Settings,
        _ => Code::Io,
    }
}
