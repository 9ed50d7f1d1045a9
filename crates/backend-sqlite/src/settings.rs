//! Settings of the embedded backend, resolved: each value is usable as it stands.

use hexlane_backend::QueueLimits;
use hexlane_core::lane::ShardMap;
use std::path::PathBuf;

/// What the embedded backend is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the files are; made when missing.
    pub folder: PathBuf,
    /// Compared with the stored one; a difference is an error.
    pub shard_map: ShardMap,
    /// Limits of the queue.
    pub limits: QueueLimits,
    /// How long a lease lasts.
    pub lease_ms: u64,
    /// How long a commit waits for others to join once callers come in numbers.
    pub group_commit_ms: u64,
    /// Most calls in one commit: bounds how long the first of them waits.
    pub group_calls_max: usize,
    /// Most calls waiting for a writer; further callers wait outside.
    pub waiting_calls_max: usize,
}

impl Settings {
    /// The defaults, in that folder.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            shard_map: ShardMap::default(),
            limits: QueueLimits::default(),
            lease_ms: 15_000,
            group_commit_ms: 2,
            group_calls_max: 256,
            waiting_calls_max: 1_024,
        }
    }
}
