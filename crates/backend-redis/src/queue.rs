//! The queue over sharded streams.

mod backlog;
mod fetch;
mod publish;
mod settle;

use crate::connection::Connection;
use crate::doorbell::Doorbell;
use crate::failure::malformed;
use crate::opener::Opener;
use crate::probe::{self, Warning};
use crate::scripts::Scripts;
use crate::settings::Settings;
use crate::trim::{Tools, Trim};
use fetch::Hands;
use hexlane_backend::{
    Authority, Bell, Clock, Code, Credit, Delivery, Epoch, Failure, Lease, Part, Position,
    Published, Queue, RawEntry, Settled, Settlement, ShardBacklog, StoreError, Unsettled,
};
use hexlane_core::Envelope;
use hexlane_core::lane::Shard;
use hexlane_streams::{Call, Layout, Publish};
use redis::{Value, cmd};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The queue in Redis Streams. Clones share it.
#[derive(Clone)]
pub struct RedisQueue {
    store: Arc<Store>,
}

struct Store {
    settings: Settings,
    clock: Arc<dyn Clock>,
    connection: Connection,
    publish: Publish,
    scripts: Arc<Scripts>,
    hands: Hands,
    doorbell: Doorbell,
    trim: Trim,
    shards: Vec<Shard>,
    warnings: Vec<Warning>,
}

impl fmt::Debug for RedisQueue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisQueue")
            .field("settings", &self.store.settings)
            .finish_non_exhaustive()
    }
}

impl RedisQueue {
    /// Connects, asks the server what it is, and holds it to the shard map.
    ///
    /// # Errors
    /// When the server is away, is not what is needed, or was filled under another map.
    pub async fn connect(settings: Settings, clock: Arc<dyn Clock>) -> Result<Self, Failure> {
        let opener = Opener::new(&settings).map_err(|trouble| trouble.failure())?;
        let opener = Arc::new(opener);
        let connection = Connection::new(Arc::clone(&opener));
        let warnings = probe::probe(&connection, &settings).await?;
        hold_to_map(&connection, &settings).await?;
        let mut shards: Vec<Shard> = settings.layout.shard_map().all().collect();
        if settings.unsharded.is_some() {
            shards.push(settings.layout.unsharded());
        }
        let streams = shards
            .iter()
            .map(|shard| settings.layout.keys(*shard).stream);
        let scripts = Arc::new(Scripts::new());
        let block = Duration::from_millis(settings.block_ms);
        let doorbell = Doorbell::new(opener, Arc::clone(&scripts), streams.collect(), block);
        let store = Store {
            trim: Trim::new(settings.replay, shards.len()),
            publish: Publish::new(),
            hands: Hands::of(&shards),
            settings,
            clock,
            connection,
            scripts,
            doorbell,
            shards,
            warnings,
        };
        Ok(Self {
            store: Arc::new(store),
        })
    }

    pub(crate) fn connection_and_layout(&self) -> (&Connection, &Layout) {
        (&self.store.connection, &self.store.settings.layout)
    }

    pub(crate) fn bind_call(&self, layout: &Layout, map: &Authority) -> Call {
        let meta = layout.meta_key();
        self.store
            .scripts
            .bind
            .call([meta.as_str()])
            .with(map.as_str())
    }

    /// What an operator should know about the server.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.store.warnings
    }

    /// The shards that there are to own: those of the map, and the one under which the
    /// stream of other producers is read, when it is.
    #[must_use]
    pub fn shards(&self) -> &[Shard] {
        &self.store.shards
    }

    /// How often a consumer group was found missing and was made again: everything on its
    /// stream came once more.
    #[must_use]
    pub fn groups_recreated(&self) -> u64 {
        self.store.hands.groups_recreated()
    }
}

impl Store {
    fn tools(&self) -> Tools<'_> {
        Tools {
            connection: &self.connection,
            scripts: &self.scripts,
            layout: &self.settings.layout,
            clock: &self.clock,
        }
    }

    /// A lease of a shard that is not here fails before it makes keys.
    fn check_shard(&self, lease: &Lease) -> Result<(), Failure> {
        if self.shards.contains(&lease.shard) {
            return Ok(());
        }
        let told = format!("shard {} is not of this queue", lease.shard);
        Err(Failure::new(Part::Queue, Code::ShardMapMismatch).with_detail(told))
    }
}

/// Writes the shard map where none stands; fails when another does. One that stands is only
/// read: a server that is full takes no write, and what waits on it must be drained all the
/// same.
async fn hold_to_map(connection: &Connection, settings: &Settings) -> Result<(), Failure> {
    let (key, wanted) = shard_map(settings);
    let stored = if let Some(stored) = stored_map(connection, &key).await? {
        stored
    } else {
        put_if_absent(connection, &key, &wanted).await?;
        let stored = stored_map(connection, &key).await?;
        stored.ok_or_else(|| malformed("no shard map after it was written"))?
    };
    if stored == wanted {
        return Ok(());
    }
    let told = format!("the streams were written for {stored} (shards/version), not {wanted}");
    Err(Failure::new(Part::Queue, Code::ShardMapMismatch).with_detail(told))
}

/// Where the shard map stands, and what stands there.
fn shard_map(settings: &Settings) -> (String, String) {
    let map = settings.layout.shard_map();
    let text = format!("{}/{}", map.shards(), hexlane_core::lane::ShardMap::VERSION);
    (settings.layout.meta_key(), text)
}

async fn stored_map(connection: &Connection, key: &str) -> Result<Option<String>, Failure> {
    let get = cmd("HGET").arg(key).arg("shard_map").to_owned();
    let stored = connection.send(&get).await.map_err(|t| t.failure())?;
    redis::from_redis_value(stored).map_err(|error| malformed(&error.to_string()))
}

/// A write, as the server sees it, also where the map stands already.
async fn put_if_absent(connection: &Connection, key: &str, map: &str) -> Result<(), Failure> {
    let put = cmd("HSETNX").arg(key).arg("shard_map").arg(map).to_owned();
    let answer = connection.send(&put).await;
    answer.map(drop).map_err(|t| t.failure())
}

/// A script that is fenced answers `fenced` and the epoch; any other answer is handed on.
fn admitted(answer: Value, lease: &Lease) -> Result<Vec<Value>, StoreError> {
    let Value::Array(parts) = answer else {
        return Err(malformed(&format!("{answer:?}")).into());
    };
    if parts.first() != Some(&Value::BulkString(b"fenced".to_vec())) {
        return Ok(parts);
    }
    let epoch = parts.into_iter().nth(1).map(redis::from_redis_value::<u64>);
    let Some(Ok(current)) = epoch else {
        return Err(malformed("fenced by no epoch").into());
    };
    Err(StoreError::Fenced {
        shard: lease.shard,
        epoch: lease.epoch,
        current: Epoch::new(current),
    })
}

impl Queue for RedisQueue {
    async fn publish(&self, envelopes: Vec<Envelope>) -> Result<Vec<Published>, Failure> {
        self.store.put(&envelopes).await
    }

    async fn append(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        self.store.put_raw(entries).await
    }

    async fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.store.check_shard(lease)?;
        self.store.hand_out(lease, position, credit).await
    }

    async fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>, Unsettled> {
        match self.store.carry_out(lease, &settlements).await {
            Ok(()) => Ok(settlements.into_iter().map(Settlement::settle).collect()),
            Err(error) => Err(Unsettled { settlements, error }),
        }
    }

    async fn arrived(&self, heard: Bell) -> Result<Bell, Failure> {
        self.store.doorbell.rung_after(heard).await
    }

    /// Asks the node that has the shard map; in a cluster the others may be worse.
    async fn writable(&self) -> Result<(), Failure> {
        // As publishing does: what is acked goes before events are refused. What stays of it
        // is told by the write.
        let tools = self.store.tools();
        drop(
            self.store
                .trim
                .sweep_when_due(&tools, &self.store.shards)
                .await,
        );
        let (key, map) = shard_map(&self.store.settings);
        put_if_absent(&self.store.connection, &key, &map).await
    }

    async fn backlog(&self) -> Result<Vec<ShardBacklog>, Failure> {
        self.store.report().await
    }
}
