//! The embedded backend: one folder, no server.
//!
//! | file | holds |
//! |---|---|
//! | `queue.db` | envelopes until they are acked, at least once |
//! | `map.gpkg` | everything that must commit together: features, claims, entity versions and tombstones, leases, dead letters, tally, outbox |
//! | `hexlane.lock` | one process at a time |
//!
//! `map.gpkg` is a GeoPackage 1.4 that QGIS and `ogrinfo` open as it stands. It is **one**
//! file because SQLite in WAL mode does not commit two files atomically.
//!
//! Each file has one writer thread that commits for many callers at once, answers them
//! after the commit, and stops using its connection at the first I/O error; reads go over
//! a connection of their own. Killing the process at any moment loses nothing answered.
//!
//! [`look`] shows a folder to whoever only looks, stopped, killed or running: it takes no
//! lock and changes neither file.
//!
//! [`SqliteLayer`] reads a reference layer out of a GeoPackage of anybody's.
//!
//! It never retries, reads no settings file, environment or clock, and serves one process
//! alone. Sizes: an envelope has a limit, a call has a limit, the channel to a writer has
//! a limit; the files have none but the disk.
#![allow(
    clippy::doc_markdown,
    reason = "SQLite and GeoPackage are names, not code"
)]

mod connection;
mod dead_letters;
mod embedded;
mod failure;
mod folder;
mod geopackage;
mod history;
mod job;
mod layer;
mod leases;
mod map;
mod queue;
mod read_only;
mod reader;
mod settings;
mod sink;
mod tally;
mod view;
mod writer;

pub use embedded::{Embedded, Folder};
pub use layer::SqliteLayer;
pub use map::SqliteMap;
pub use queue::SqliteQueue;
pub use settings::Settings;
pub use view::{FolderView, look};
