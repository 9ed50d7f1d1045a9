//! The queue in `queue.db`. A fetch writes nothing: which entries an epoch had is kept in
//! memory ([`HandOver`]), and everything that is not acked is pending to the next epoch.

mod append;
pub(crate) mod backlog;
mod fetch;
mod publish;
pub(crate) mod schema;
mod settle;

use crate::connection::Database;
use crate::failure::{Stop, unfenced};
use crate::folder::{FolderLock, QUEUE_FILE};
use crate::job::Desk;
use crate::settings::Settings;
use crate::{reader, writer};
use hexlane_backend::fence::{Admitted, Fence};
use hexlane_backend::hand_over::{HandOver, ShardCount};
use hexlane_backend::{
    Bell, Clock, Code, Credit, Delivery, Epoch, Failure, Lease, Part, Position, Published, Queue,
    QueueLimits, RawEntry, Settled, Settlement, ShardBacklog, StoreError, Unsettled,
};
use hexlane_core::Envelope;
use hexlane_core::lane::{Shard, ShardMap};
use rusqlite::{Connection, OptionalExtension};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The queue in `queue.db`. Clones share it.
#[derive(Clone, Debug)]
pub struct SqliteQueue {
    store: Arc<Store>,
}

#[derive(Debug)]
struct Store {
    clock: Arc<dyn Clock>,
    shard_map: ShardMap,
    limits: QueueLimits,
    writer: Desk,
    reader: Desk,
    memory: Arc<Memory>,
    _lock: Arc<FolderLock>,
}

/// What is known without asking the file. Changed after commits only.
#[derive(Debug, Default)]
struct Memory {
    state: Mutex<State>,
    bell: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    fence: Fence,
    hands: HashMap<Shard, HandOver>,
    counts: BTreeMap<Shard, ShardCount>,
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let epochs = connection
            .prepare("SELECT shard, epoch FROM epochs")?
            .query_map([], |row| {
                let epoch: i64 = row.get(1)?;
                Ok((Shard::new(row.get(0)?), Epoch::new(epoch.unsigned_abs())))
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let counts = connection
            .prepare("SELECT shard, count(*), sum(length(envelope)) FROM entries GROUP BY shard")?
            .query_map([], |row| {
                let (waiting, bytes): (i64, i64) = (row.get(1)?, row.get(2)?);
                let (waiting, bytes) = (waiting.unsigned_abs(), bytes.unsigned_abs());
                Ok((
                    Shard::new(row.get(0)?),
                    ShardCount {
                        waiting,
                        handed: 0,
                        bytes,
                    },
                ))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let state = State {
            fence: Fence::of(epochs),
            hands: HashMap::new(),
            counts,
        };
        Ok(Self {
            state: Mutex::new(state),
            bell: watch::Sender::new(0),
        })
    }
}

impl SqliteQueue {
    pub(crate) fn open(
        settings: &Settings,
        clock: Arc<dyn Clock>,
        lock: Arc<FolderLock>,
    ) -> Result<Self, Failure> {
        let shard_map = settings.shard_map;
        let database = Database {
            part: Part::Queue,
            path: settings.folder.join(QUEUE_FILE),
            functions: |_| Ok(()),
            prepare: Arc::new(move |connection| schema::prepare(connection, shard_map)),
        };
        let connection = database.open_writer()?;
        let memory = Memory::load(&connection).map_err(|error| database.failure(&error))?;
        drop(connection);
        let nothing = Box::new(|_: &Connection| Ok(()));
        let writer = writer::start(database.clone(), settings, Arc::clone(&clock), nothing)?;
        let reader = reader::start(database, settings.waiting_calls_max)?;
        let limits = settings.limits;
        let memory = Arc::new(memory);
        let store = Store {
            clock,
            shard_map,
            limits,
            writer,
            reader,
            memory,
            _lock: lock,
        };
        Ok(Self {
            store: Arc::new(store),
        })
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

    /// Lets a call through; a higher epoch is made durable first.
    async fn admit(&self, lease: &Lease) -> Result<(), StoreError> {
        let admitted = self.store.memory.lock().fence.check(lease)?;
        if admitted == Admitted::Same {
            return Ok(());
        }
        let (lease, installed) = (lease.clone(), lease.clone());
        let memory = Arc::clone(&self.store.memory);
        let install = move |connection: &Connection| install(connection, &lease);
        let begin_anew = move |(): &()| {
            let mut state = memory.lock();
            if state.fence.admit(&installed) == Ok(Admitted::Installed) {
                state.hands.remove(&installed.shard);
                state.counts.entry(installed.shard).or_default().handed = 0;
            }
        };
        self.store
            .writer
            .run(Part::Queue, install, begin_anew)
            .await
    }
}

fn install(connection: &Connection, lease: &Lease) -> Result<(), Stop> {
    check_epoch(connection, lease)?;
    connection
        .prepare_cached(
            "INSERT INTO epochs (shard, epoch) VALUES (?1, ?2)
             ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch",
        )?
        .execute((lease.shard.get(), lease.epoch.get().cast_signed()))?;
    Ok(())
}

/// Fenced when a higher epoch stands in the file.
fn check_epoch(connection: &Connection, lease: &Lease) -> Result<(), Stop> {
    let epoch: Option<i64> = connection
        .prepare_cached("SELECT epoch FROM epochs WHERE shard = ?1")?
        .query_row([lease.shard.get()], |row| row.get(0))
        .optional()?;
    let stored = epoch.map(|epoch| (lease.shard, Epoch::new(epoch.unsigned_abs())));
    Fence::of(stored).check(lease)?;
    Ok(())
}

impl Queue for SqliteQueue {
    async fn publish(&self, envelopes: Vec<Envelope>) -> Result<Vec<Published>, Failure> {
        self.put(envelopes).await
    }

    async fn append(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        self.put_raw(entries).await
    }

    async fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.admit(lease).await?;
        self.hand_out(lease, position, credit).await
    }

    async fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>, Unsettled> {
        match self.carry_out(lease, &settlements).await {
            Ok(()) => Ok(settlements.into_iter().map(Settlement::settle).collect()),
            Err(error) => Err(Unsettled { settlements, error }),
        }
    }

    async fn arrived(&self, heard: Bell) -> Result<Bell, Failure> {
        let mut bell = self.store.memory.bell.subscribe();
        let rung = bell.wait_for(|rung| *rung > heard.0).await;
        rung.map(|rung| Bell(*rung))
            .map_err(|_| Failure::new(Part::Queue, Code::Stopped))
    }

    async fn writable(&self) -> Result<(), Failure> {
        let touch = |connection: &Connection| Ok(schema::touch(connection)?);
        let written = self.store.writer.run(Part::Queue, touch, |()| ()).await;
        written.map_err(unfenced(Part::Queue))
    }

    async fn backlog(&self) -> Result<Vec<ShardBacklog>, Failure> {
        self.report().await
    }
}
