//! A folder for whoever only looks: what waits, what is dead, how deliveries ended.
//!
//! No lock is taken and neither file nor WAL is changed, so it works on a stopped folder,
//! on what a kill left, on a read-only copy, and beside the process that runs on it. A
//! reader of a WAL needs its index, the `-shm` file: it is read where that is enough, kept
//! up where a process runs, and made where a kill or a copy left a WAL without one.
//!
//! The queue is read before the map: an event that is applied meanwhile is seen twice
//! rather than not at all.

use crate::dead_letters;
use crate::failure::Stop;
use crate::folder::{MAP_FILE, QUEUE_FILE};
use crate::map::schema::tally_query;
use crate::queue::{backlog, schema as queue};
use crate::read_only;
use crate::tally;
use hexlane_backend::{Code, DeadCount, Failure, OutcomeCounts, Part, ShardBacklog};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// What stands in a folder.
#[derive(Clone, Debug)]
pub struct FolderView {
    /// The shards in which something waits. What a running process has in hand is `ready`
    /// here: its files do not know.
    pub backlog: Vec<ShardBacklog>,
    /// Open dead letters.
    pub dead_letters: Vec<DeadCount>,
    /// How deliveries ended.
    pub tally: OutcomeCounts,
}

/// Looks at a folder at that time. Blocks on the disk.
///
/// # Errors
/// There is no such folder, it holds something else or was made by a newer build, or it
/// cannot be read.
pub fn look(folder: &Path, now_us: i64) -> Result<FolderView, Failure> {
    let queue_file = existing(folder, QUEUE_FILE, Part::Queue)?;
    let map_file = existing(folder, MAP_FILE, Part::Sink)?;
    let backlog = read_only::snapshot(Part::Queue, &queue_file, |connection| {
        queue::recognise(connection)?;
        backlog::of_file(connection, now_us)
    })?;
    let (dead_letters, tally) = read_only::snapshot(Part::Sink, &map_file, read_map)?;
    Ok(FolderView {
        backlog,
        dead_letters,
        tally,
    })
}

fn read_map(connection: &Connection) -> Result<(Vec<DeadCount>, OutcomeCounts), Stop> {
    let query = tally_query(connection)?;
    let dead_letters = dead_letters::count(connection)?;
    Ok((dead_letters, tally::read(connection, query)?))
}

fn existing(folder: &Path, name: &str, part: Part) -> Result<PathBuf, Failure> {
    let path = folder.join(name);
    if path.is_file() {
        return Ok(path);
    }
    let missing = if folder.is_dir() { &path } else { folder };
    let detail = format!("{} is not there", missing.display());
    Err(Failure::new(part, Code::NotAStore).with_detail(detail))
}
