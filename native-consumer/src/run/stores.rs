//! From settings to stores and to the engine's settings.

use super::map::AnyMap;
use super::queue::AnyQueue;
use crate::settings::{Settings, queue_limits};
use hexlane_backend::{Authority, Clock, Code, Failure, Holder};
use hexlane_backend_postgis::PostgisMap;
use hexlane_backend_redis::RedisQueue;
use hexlane_backend_sqlite::{Folder, Settings as SqliteSettings};
use hexlane_engine::{EngineSettings, Stores};
use std::path::Path;
use std::sync::Arc;

/// The stores as an engine takes them.
pub(super) type AnyStores = Stores<AnyMap, AnyQueue, AnyMap, AnyMap>;

/// The stores on servers, as errors name them.
const QUEUE: &str = "the queue in Redis";
const MAP: &str = "the map in PostGIS";

/// Why a store did not open, and which it is.
#[derive(Debug, thiserror::Error)]
#[error("cannot open {place}: {failure}{hint}")]
pub(super) struct OpenError {
    place: String,
    pub(super) failure: Failure,
    /// A server, which may be there later; files do not come by themselves.
    is_server: bool,
    hint: &'static str,
}

/// Said of a queue that is bound to another map.
const HINT: &str = "; two maps on one queue would fence each other. Is the other map gone for \
                    good, and nothing runs on it: `hexlane bind --from` its name";

impl OpenError {
    fn of_server(place: &str, failure: Failure) -> Self {
        let is_server = true;
        Self {
            is_server,
            ..Self::of_folder(place, failure)
        }
    }

    /// The layers' server cannot be asked as the settings say.
    pub(super) fn of_layers(failure: Failure) -> Self {
        Self::of_folder("the reference layers", failure)
    }

    fn of_folder(place: &str, failure: Failure) -> Self {
        let mismatch = failure.code == Code::AuthorityMismatch;
        Self {
            place: place.to_owned(),
            failure,
            is_server: false,
            hint: if mismatch { HINT } else { "" },
        }
    }

    /// Whether it is worth waiting for.
    pub(super) fn may_pass(&self) -> bool {
        self.is_server && !self.failure.kind.needs_operator()
    }
}

/// Queue and map, open.
#[derive(Debug)]
pub(super) struct Opened {
    queue: AnyQueue,
    map: AnyMap,
}

impl Opened {
    /// Opens what the settings name, servers first: while one is away nothing else is held.
    /// The folder is taken only for what is in it.
    ///
    /// # Errors
    /// The first store that does not open.
    pub(super) async fn open(
        settings: &Settings,
        clock: &Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        let folder = || EmbeddedFolder::take(settings, clock);
        let (queue, map) = match (&settings.redis, &settings.postgis) {
            (None, None) => {
                let folder = folder()?;
                (folder.queue()?, folder.map()?)
            }
            (Some(redis), None) => {
                let queue = redis_queue(redis, clock).await?;
                (queue, folder()?.map()?)
            }
            (None, Some(postgis)) => {
                let map = postgis_map(postgis).await?;
                (folder()?.queue()?, map)
            }
            (Some(redis), Some(postgis)) => {
                let queue = redis_queue(redis, clock).await?;
                (queue, postgis_map(postgis).await?)
            }
        };
        Ok(Self { queue, map })
    }

    /// Tells what of the servers' settings, or left in the folder, wants an operator.
    pub(super) fn warn(&self, settings: &Settings) {
        if let AnyQueue::Redis(queue) = &self.queue {
            for warning in queue.warnings() {
                tracing::warn!(code = "redis.settings", "{warning}");
            }
            warn_of_left_events(&settings.run.data_dir);
        }
    }

    /// Holds the queue to the map.
    ///
    /// # Errors
    /// It is bound to another map.
    pub(super) async fn bind(&self) -> Result<(), OpenError> {
        let map = self.authority().await?;
        let bound = self.queue.bind(&map).await;
        bound.map_err(|failure| OpenError::of_server(QUEUE, failure))
    }

    /// The name of the map.
    ///
    /// # Errors
    /// The map cannot be asked.
    pub(super) async fn authority(&self) -> Result<Authority, OpenError> {
        let name = self.map.authority().await;
        name.map_err(|failure| match &self.map {
            AnyMap::Embedded(_) => OpenError::of_folder("the map", failure),
            AnyMap::Postgis(_) => OpenError::of_server(MAP, failure),
        })
    }

    /// Takes the queue from that map to this one, and names this one.
    ///
    /// # Errors
    /// It is bound to neither, or one of them cannot be asked.
    pub(super) async fn rebind(&self, from: &Authority) -> Result<Authority, OpenError> {
        let map = self.authority().await?;
        let bound = self.queue.rebind(from, &map).await;
        bound.map_err(|failure| OpenError::of_server(QUEUE, failure))?;
        Ok(map)
    }

    /// Queue and map, as an engine takes them.
    pub(super) fn stores(&self) -> AnyStores {
        Stores {
            leases: self.map.clone(),
            queue: self.queue.clone(),
            sink: self.map.clone(),
            dead_letters: self.map.clone(),
        }
    }

    /// Finishes what was asked, then closes both.
    ///
    /// # Errors
    /// The first thing that went wrong; what was answered before is safe all the same.
    pub(super) async fn stop(self) -> Result<(), Failure> {
        let queue = self.queue.stop().await;
        let map = self.map.stop().await;
        queue.and(map)
    }
}

/// The data folder, its failures told with its place.
struct EmbeddedFolder {
    folder: Folder,
    place: String,
}

impl EmbeddedFolder {
    fn take(settings: &Settings, clock: &Arc<dyn Clock>) -> Result<Self, OpenError> {
        let place = settings.run.data_dir.display().to_string();
        match Folder::take(&sqlite(settings), Arc::clone(clock)) {
            Ok(folder) => Ok(Self { folder, place }),
            Err(failure) => Err(OpenError::of_folder(&place, failure)),
        }
    }

    fn queue(&self) -> Result<AnyQueue, OpenError> {
        let queue = self.folder.queue();
        queue
            .map(AnyQueue::Embedded)
            .map_err(|failure| self.error(failure))
    }

    fn map(&self) -> Result<AnyMap, OpenError> {
        let map = self.folder.map();
        map.map(AnyMap::Embedded)
            .map_err(|failure| self.error(failure))
    }

    fn error(&self, failure: Failure) -> OpenError {
        OpenError::of_folder(&self.place, failure)
    }
}

async fn redis_queue(
    settings: &hexlane_backend_redis::Settings,
    clock: &Arc<dyn Clock>,
) -> Result<AnyQueue, OpenError> {
    let queue = RedisQueue::connect(settings.clone(), Arc::clone(clock)).await;
    let queue = queue.map_err(|failure| OpenError::of_server(QUEUE, failure))?;
    Ok(AnyQueue::Redis(queue))
}

async fn postgis_map(settings: &hexlane_backend_postgis::Settings) -> Result<AnyMap, OpenError> {
    let map = PostgisMap::connect(settings).await;
    map.map(AnyMap::Postgis)
        .map_err(|failure| OpenError::of_server(MAP, failure))
}

/// Whoever moves to Redis may leave events behind: nobody reads them there.
fn warn_of_left_events(data_dir: &Path) {
    let left = data_dir.join("queue.db");
    if left.exists() {
        tracing::warn!(
            code = "queue.left",
            file = %left.display(),
            "the queue is in Redis, and an embedded one is here: run once with \
             `run.queue = \"embedded\"` to empty it, then move it away"
        );
    }
}

fn sqlite(settings: &Settings) -> SqliteSettings {
    SqliteSettings {
        shard_map: settings.door.shard_map(),
        limits: queue_limits(&settings.door, &settings.sqlite),
        lease_ms: settings.sqlite.lease_ms,
        group_commit_ms: settings.sqlite.group_commit_ms,
        group_calls_max: settings.sqlite.group_calls_max,
        waiting_calls_max: settings.sqlite.waiting_calls_max,
        ..SqliteSettings::in_folder(&settings.run.data_dir)
    }
}

/// What the engine is told: this process takes every shard that is free.
pub(super) fn engine(settings: &Settings, holder: Holder, queue: &AnyQueue) -> EngineSettings {
    let shard_map = settings.door.shard_map();
    let drain_ms = settings.run.drain_max.as_millis();
    EngineSettings {
        batch: settings.delivery.batch,
        credits: settings.delivery.credits,
        retry: settings.delivery.retry,
        fetch_bytes_max: settings.delivery.batch.bytes_max,
        poll_ms: settings.delivery.poll_ms,
        drain_ms_max: u64::try_from(drain_ms).unwrap_or(u64::MAX),
        store_call_ms_max: settings.store_call_ms_max,
        shards: queue.shards(shard_map),
        ..EngineSettings::for_all(holder, shard_map)
    }
}

/// Where queue and map stand, for a log.
pub(super) struct Places {
    pub(super) queue: String,
    pub(super) map: String,
}

/// Where queue and map stand.
pub(super) fn places(settings: &Settings) -> Places {
    let folder = || settings.run.data_dir.display().to_string();
    let queue = settings.redis.as_ref();
    let map = settings.postgis.as_ref();
    Places {
        queue: queue.map_or_else(folder, |redis| format!("{:?}", redis.topology)),
        map: map.map_or_else(folder, |postgis| {
            format!("PostGIS, schema {}", postgis.schema)
        }),
    }
}

/// The name under which leases are held. Where the map is a folder, its lock lets one
/// process in, and the same name gets its shards back at once: a restart after a kill does
/// not wait for leases to end. Elsewhere each process has a name of its own.
pub(super) fn holder(settings: &Settings, clock: &dyn Clock) -> Holder {
    if settings.postgis.is_none() {
        return Holder::new("embedded");
    }
    let name = rustix::system::uname();
    let machine = name.nodename().to_string_lossy();
    let (process, since) = (std::process::id(), clock.now_us());
    Holder::new(format!("{machine}/{process}/{since}"))
}
