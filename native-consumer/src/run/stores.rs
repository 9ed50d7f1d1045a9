//! From settings to stores and to the engine's settings.

use crate::settings::Settings;
use hexlane_backend::{Clock, Failure, Holder, QueueLimits};
use hexlane_backend_sqlite::{Embedded, Settings as SqliteSettings, SqliteMap, SqliteQueue};
use hexlane_engine::{EngineSettings, Stores};
use std::sync::Arc;

/// The embedded stores as an engine takes them.
pub(super) type EmbeddedStores = Stores<SqliteMap, SqliteQueue, SqliteMap, SqliteMap>;

/// Opens the data folder.
pub(super) fn open(settings: &Settings, clock: Arc<dyn Clock>) -> Result<Embedded, Failure> {
    Embedded::open(&sqlite(settings), clock)
}

/// The same folder, as an engine takes it.
pub(super) fn stores(embedded: &Embedded) -> EmbeddedStores {
    Stores {
        leases: embedded.map.clone(),
        queue: embedded.queue.clone(),
        sink: embedded.map.clone(),
        dead_letters: embedded.map.clone(),
    }
}

fn sqlite(settings: &Settings) -> SqliteSettings {
    let limits = settings.door.limits();
    let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    let usual = QueueLimits::default();
    SqliteSettings {
        shard_map: settings.door.shard_map(),
        limits: QueueLimits {
            envelope_bytes_max: size(limits.envelope_bytes_max),
            publish_events_max: usual
                .publish_events_max
                .max(size(limits.features_max.into())),
            key_retention_ms: settings.sqlite.key_retention_ms,
        },
        lease_ms: settings.sqlite.lease_ms,
        group_commit_ms: settings.sqlite.group_commit_ms,
        group_calls_max: settings.sqlite.group_calls_max,
        waiting_calls_max: settings.sqlite.waiting_calls_max,
        ..SqliteSettings::in_folder(&settings.run.data_dir)
    }
}

/// What the engine is told: every shard is this process's, the folder has no other.
pub(super) fn engine(settings: &Settings) -> EngineSettings {
    // The folder's lock lets one process in, and the same holder gets its shards back at
    // once, under a higher epoch: a restart after a kill does not wait for leases to end.
    let holder = Holder::new("embedded");
    let drain_ms = settings.run.drain_max.as_millis();
    EngineSettings {
        batch: settings.delivery.batch,
        credits: settings.delivery.credits,
        retry: settings.delivery.retry,
        fetch_bytes_max: settings.delivery.batch.bytes_max,
        poll_ms: settings.delivery.poll_ms,
        drain_ms_max: u64::try_from(drain_ms).unwrap_or(u64::MAX),
        store_call_ms_max: settings.sqlite.store_call_ms_max,
        ..EngineSettings::for_all(holder, settings.door.shard_map())
    }
}
