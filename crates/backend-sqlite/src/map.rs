//! `map.gpkg`: leases, map state, claims and dead letters in one file, because they must
//! commit together.

pub(crate) mod schema;

use crate::connection::Database;
use crate::failure::{Stop, unfenced};
use crate::folder::{FolderLock, MAP_FILE};
use crate::geopackage::{extent, functions};
use crate::job::Desk;
use crate::settings::Settings;
use crate::{reader, writer};
use hexlane_backend::fence::{Admitted, Fence};
use hexlane_backend::{Authority, Clock, Code, Epoch, Failure, Lease, Part};
use hexlane_core::lane::Shard;
use rusqlite::{Connection, OptionalExtension};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Leases, sink and dead letters in `map.gpkg`. Clones share it.
#[derive(Clone, Debug)]
pub struct SqliteMap {
    pub(crate) store: Arc<Store>,
}

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) lease_ms: u64,
    pub(crate) writer: Desk,
    pub(crate) reader: Desk,
    /// Features were touched since the extent was refreshed.
    pub(crate) touched: Arc<AtomicBool>,
    _lock: Arc<FolderLock>,
}

impl SqliteMap {
    pub(crate) fn open(
        settings: &Settings,
        clock: Arc<dyn Clock>,
        lock: Arc<FolderLock>,
    ) -> Result<Self, Failure> {
        let database = Database {
            part: Part::Sink,
            path: settings.folder.join(MAP_FILE),
            functions: functions::register,
            prepare: Arc::new(schema::prepare),
        };
        let touched = Arc::new(AtomicBool::new(false));
        let refresh = {
            let (touched, clock) = (Arc::clone(&touched), Arc::clone(&clock));
            Box::new(move |connection: &Connection| {
                if touched.swap(false, Ordering::Relaxed) {
                    extent::refresh(connection, clock.now_us())?;
                }
                Ok(())
            })
        };
        let writer = writer::start(database.clone(), settings, Arc::clone(&clock), refresh)?;
        let reader = reader::start(database, settings.waiting_calls_max)?;
        let lease_ms = settings.lease_ms;
        let store = Store {
            clock,
            lease_ms,
            writer,
            reader,
            touched,
            _lock: lock,
        };
        Ok(Self {
            store: Arc::new(store),
        })
    }

    /// The name of this map.
    ///
    /// # Errors
    /// The file cannot be read, or was damaged by hand.
    pub async fn authority(&self) -> Result<Authority, Failure> {
        let work = |connection: &Connection| {
            let name: String =
                connection.query_row(schema::AUTHORITY_QUERY, [], |row| row.get(0))?;
            Ok(Authority::parse(&name))
        };
        let name = self.store.reader.run(Part::Sink, work, |_| {}).await;
        let damaged = || {
            Failure::new(Part::Sink, Code::Corrupt).with_detail("the name of the map is damaged")
        };
        name.map_err(unfenced(Part::Sink))?.ok_or_else(damaged)
    }

    /// Finishes what was asked, then leaves the file so that it can be copied alone. Calls
    /// after that answer `store.stopped`.
    ///
    /// # Errors
    /// What went wrong; what was answered before is safe all the same.
    pub async fn stop(&self) -> Result<(), Failure> {
        self.store.reader.stop().await?;
        self.store.writer.stop().await
    }
}

/// The fence, where the effect lands: refuses an epoch lower than the stored one, and
/// installs a higher one with whatever commits next.
pub(crate) fn admit(connection: &Connection, lease: &Lease) -> Result<(), Stop> {
    let stored = stored_epoch(connection, lease.shard)?;
    let mut fence = Fence::of(stored.map(|epoch| (lease.shard, epoch)));
    if fence.admit(lease)? == Admitted::Installed {
        connection
            .prepare_cached(
                "INSERT INTO hexlane_leases (shard, epoch, holder, expires_at_us)
                 VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch,
                   holder = excluded.holder, expires_at_us = excluded.expires_at_us",
            )?
            .execute((
                lease.shard.get(),
                lease.epoch.get().cast_signed(),
                lease.holder.as_str(),
                lease.expires_at_us,
            ))?;
    }
    Ok(())
}

fn stored_epoch(connection: &Connection, shard: Shard) -> rusqlite::Result<Option<Epoch>> {
    connection
        .prepare_cached("SELECT epoch FROM hexlane_leases WHERE shard = ?1")?
        .query_row([shard.get()], |row| row.get(0))
        .map(|epoch: i64| Epoch::new(epoch.unsigned_abs()))
        .optional()
}
