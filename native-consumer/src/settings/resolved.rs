//! Settings as resolved: nothing in here is half valid.

use super::reference::ReferenceSettings;
use hexlane_core::signature::Secret;
use hexlane_delivery::{BatchLimits, CreditLimits, RetryPolicy};
use hexlane_door::Door;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything `run` is told.
#[derive(Debug)]
pub struct Settings {
    /// Where it listens and what it holds.
    pub run: RunSettings,
    /// Sources, limits, shard map.
    pub door: Door,
    /// Any of these may have signed a relay batch; empty on loopback only.
    pub relay_secrets: Vec<Secret>,
    /// Retries, batches, credits.
    pub delivery: DeliverySettings,
    /// The embedded stores.
    pub sqlite: SqliteSettings,
    /// The longest one call to either store takes.
    pub store_call_ms_max: u64,
    /// The queue in Redis, when it is there.
    pub redis: Option<hexlane_backend_redis::Settings>,
    /// The map in PostGIS, when it is there.
    pub postgis: Option<hexlane_backend_postgis::Settings>,
    /// Reference layers, and which sources are joined with them.
    pub reference: ReferenceSettings,
    /// What is logged, and how.
    pub log: LogSettings,
}

/// Where it listens and what it holds.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Intake, relay, health, metrics, status.
    pub listen: SocketAddr,
    /// Queue and map.
    pub data_dir: PathBuf,
    /// What is in hand may take so long after a stop.
    pub drain_max: Duration,
    /// Bytes of all bodies in flight together; as many again for batches of the relay.
    pub intake_bytes_in_flight_max: u64,
    /// Connections open at once.
    pub connections_max: usize,
}

/// Retries, batches, credits.
#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// When a failed event is tried again.
    pub retry: RetryPolicy,
    /// What one apply may carry.
    pub batch: BatchLimits,
    /// What may be held in memory.
    pub credits: CreditLimits,
    /// How often an idle shard looks for itself.
    pub poll_ms: u64,
}

/// The embedded stores.
#[derive(Clone, Debug)]
pub struct SqliteSettings {
    /// How long a commit waits for others to join.
    pub group_commit_ms: u64,
    /// Most calls in one commit.
    pub group_calls_max: usize,
    /// Most calls waiting for a writer.
    pub waiting_calls_max: usize,
    /// How long a lease lasts.
    pub lease_ms: u64,
    /// The longest one call takes.
    pub store_call_ms_max: u64,
    /// How long keys are known after their event was settled.
    pub key_retention_ms: u64,
}

/// What is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogSettings {
    /// Directives, as for `RUST_LOG`.
    pub filter: String,
    /// The form of a line.
    pub format: LogFormat,
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text on a terminal, else JSON.
    Auto,
    /// For a person.
    Text,
    /// For a program.
    Json,
}
