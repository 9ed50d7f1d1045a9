//! Settings as written: what each table takes, strictly. Defaults stand in the default
//! file alone; a table is always read with its defaults beneath.

use hexlane_delivery::Jitter;
use serde::Deserialize;
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunWritten {
    pub(super) listen: SocketAddr,
    pub(super) queue: QueueWritten,
    pub(super) map: MapWritten,
    pub(super) data_dir: PathBuf,
    pub(super) drain_ms_max: NonZeroU64,
    pub(super) intake_bytes_in_flight_max: NonZeroU64,
    pub(super) connections_max: NonZeroUsize,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QueueWritten {
    Embedded,
    Redis,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MapWritten {
    Embedded,
    Postgis,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelayWritten {
    pub(super) secrets: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryWritten {
    pub(super) jitter: JitterWritten,
    pub(super) base_ms: NonZeroU64,
    pub(super) cap_ms: NonZeroU64,
    pub(super) failures_max: NonZeroU32,
    pub(super) age_ms_max: NonZeroU64,
    pub(super) retry_after_ms_max: NonZeroU64,
    pub(super) batch_events_max: NonZeroUsize,
    pub(super) batch_bytes_max: NonZeroUsize,
    pub(super) key_burst_events_max: NonZeroUsize,
    pub(super) credit_events_max: NonZeroUsize,
    pub(super) credit_bytes_max: NonZeroUsize,
    pub(super) shard_credit_events_max: NonZeroUsize,
    pub(super) poll_ms: NonZeroU64,
}

/// How chance enters a delay, by its name.
#[derive(Debug)]
pub(super) struct JitterWritten(pub(super) Jitter);

impl<'de> Deserialize<'de> for JitterWritten {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = Jitter::ALL.map(Jitter::as_str).join("`, `");
        let unknown = || serde::de::Error::custom(format!("`{name}` is none of `{known}`"));
        Jitter::from_name(&name).map(Self).ok_or_else(unknown)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SqliteWritten {
    pub(super) group_commit_ms: u64,
    pub(super) group_calls_max: NonZeroUsize,
    pub(super) waiting_calls_max: NonZeroUsize,
    pub(super) lease_ms: NonZeroU64,
    pub(super) store_call_ms_max: NonZeroU64,
    pub(super) key_retention_ms: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RedisWritten {
    pub(super) topology: TopologyWritten,
    pub(super) servers: Vec<String>,
    pub(super) sentinel_master: String,
    pub(super) sentinel_user: String,
    pub(super) sentinel_password_variable: String,
    pub(super) user: String,
    pub(super) password_variable: String,
    pub(super) tls: String,
    pub(super) tls_certificate: PathBuf,
    pub(super) tls_key: PathBuf,
    pub(super) namespace: String,
    pub(super) unsharded_source: String,
    pub(super) persistence_required: bool,
    pub(super) replay_ms: u64,
    pub(super) replay_memory_percent: u64,
    pub(super) replay_bytes_max: u64,
    pub(super) key_retention_ms: NonZeroU64,
    pub(super) connect_ms: NonZeroU64,
    pub(super) response_ms: NonZeroU64,
    pub(super) block_ms: NonZeroU64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TopologyWritten {
    Single,
    Sentinel,
    Cluster,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PostgisWritten {
    pub(super) url: String,
    pub(super) password_variable: String,
    pub(super) tls: String,
    pub(super) schema: String,
    pub(super) crs: CrsWritten,
    pub(super) connections_max: NonZeroUsize,
    pub(super) lease_ms: NonZeroU64,
    pub(super) connect_ms: NonZeroU64,
    pub(super) lock_ms: NonZeroU64,
    pub(super) statement_ms: NonZeroU64,
    pub(super) call_ms: NonZeroU64,
    pub(super) migration_ms: NonZeroU64,
    pub(super) fsync_required: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum CrsWritten {
    #[serde(rename = "EPSG:4326")]
    Epsg4326,
    #[serde(rename = "EPSG:3857")]
    Epsg3857,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogWritten {
    pub(super) filter: String,
    pub(super) format: LogFormatWritten,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LogFormatWritten {
    Auto,
    Text,
    Json,
}
