//! From the layers to resolved settings: what no single value can show is checked here.

use super::layers::Layers;
use super::name::SettingName;
use super::origin::{Mistake, Origin};
use super::resolved::{
    DeliverySettings, LogFormat, LogSettings, RunSettings, Settings, SqliteSettings,
};
use super::servers::Table;
use super::written::{
    DeliveryWritten, LogFormatWritten, LogWritten, MapWritten, PostgisWritten, QueueWritten,
    RedisWritten, RelayWritten, RunWritten, SqliteWritten,
};
use super::{reference, sources};
use crate::environment::Environment;
use hexlane_backend::QueueLimits;
use hexlane_core::signature::Secret;
use hexlane_delivery::{BatchLimits, CreditLimits, RetryPolicy};
use hexlane_door::{Door, SettingsError};
use hexlane_engine::check_lease;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Secrets that are accepted side by side: the new one and the old.
const RELAY_SECRETS_MAX: usize = 2;

/// Resolves the layers; mistakes of the layers themselves are known already.
pub(super) fn resolve(
    layers: &Layers,
    environment: &Environment,
) -> Result<Settings, Vec<Mistake>> {
    let mut mistakes = Vec::new();
    let door = door(layers, environment, &mut mistakes);
    let relay_secrets = relay_secrets(layers, environment, &mut mistakes);
    let written: Option<RunWritten> = table(layers, "run", &mut mistakes);
    let stores = written.as_ref().map(|run| (run.queue, run.map));
    let run = written.map(run);
    let delivery = table(layers, "delivery", &mut mistakes);
    let delivery = delivery.map(|written| delivery_of(&written));
    let sqlite = table(layers, "sqlite", &mut mistakes).map(|written| sqlite_of(&written));
    let redis_written = table::<RedisWritten>(layers, "redis", &mut mistakes);
    let postgis_written = table::<PostgisWritten>(layers, "postgis", &mut mistakes);
    let mut servers = Table {
        layers,
        environment,
        mistakes: &mut mistakes,
    };
    let redis = match (stores, redis_written, &door, &sqlite) {
        (Some((QueueWritten::Redis, _)), Some(written), Some(door), Some(sqlite)) => {
            servers.redis(&written, door, queue_limits(door, sqlite))
        }
        _ => None,
    };
    let in_postgis = matches!(stores, Some((_, MapWritten::Postgis)));
    let of_tables = reference::names_tables(layers)
        && layers.origin(SettingName::PostgisUrl.path()) != Origin::Default;
    let postgis_server = match (postgis_written, &door) {
        (Some(written), Some(door)) if in_postgis || of_tables => {
            Some(servers.postgis(written, door.shard_map()))
        }
        _ => None,
    };
    let postgis = postgis_server.clone().filter(|_| in_postgis);
    let leases = sqlite
        .as_ref()
        .map(|sqlite| Leases::of(sqlite, redis.as_ref(), postgis.as_ref()));
    mistakes.extend(leases.as_ref().and_then(|leases| leases.mistake(layers)));
    let reference = reference::read(layers, postgis_server, &mut mistakes);
    let log = log(layers, &mut mistakes);
    if let Some(run) = &run
        && !run.listen.ip().is_loopback()
        && relay_secrets.is_empty()
    {
        let message =
            "this address is not loopback: set the relay secret (HEXLANE_RELAY_SECRET) first";
        mistakes.push(Mistake::new(
            layers.origin(SettingName::RunListen.path()),
            message,
        ));
    }
    match (door, run, delivery, sqlite.zip(leases), log) {
        (Some(door), Some(run), Some(delivery), Some((sqlite, leases)), Some(log))
            if mistakes.is_empty() =>
        {
            Ok(Settings {
                run,
                door,
                relay_secrets,
                delivery,
                sqlite,
                store_call_ms_max: leases.longest_call().1,
                redis,
                postgis,
                reference,
                log,
            })
        }
        _ => Err(mistakes),
    }
}

/// A table whose keys were checked one by one; what is wrong with it then has no place.
fn table<T: DeserializeOwned>(
    layers: &Layers,
    name: &str,
    mistakes: &mut Vec<Mistake>,
) -> Option<T> {
    let read = toml::Value::Table(layers.table(name)).try_into();
    let mistake = |error: toml::de::Error| {
        let message = format!("[{name}]: {}", error.message());
        mistakes.push(Mistake::new(layers.origin(name), message));
    };
    read.map_err(mistake).ok()
}

fn door(layers: &Layers, environment: &Environment, mistakes: &mut Vec<Mistake>) -> Option<Door> {
    let secret = |name: &str| environment.get(name).map(str::to_owned);
    let mut settings = sources::read(layers, &secret, mistakes);
    settings.limits = table(layers, "limits", mistakes)?;
    let shards = layers.table("").remove("shards").map(toml::Value::try_into);
    settings.shards = shards.and_then(Result::ok).unwrap_or(settings.shards);
    match settings.resolve(secret) {
        Ok(door) => Some(door),
        Err(SettingsError::Source(_)) => None,
        Err(error @ SettingsError::Shards(_)) => {
            mistakes.push(Mistake::new(
                layers.origin(SettingName::Shards.path()),
                error.to_string(),
            ));
            None
        }
    }
}

fn relay_secrets(
    layers: &Layers,
    environment: &Environment,
    mistakes: &mut Vec<Mistake>,
) -> Vec<Secret> {
    let Some(relay) = table::<RelayWritten>(layers, "relay", mistakes) else {
        return Vec::new();
    };
    let origin = layers.origin(SettingName::RelaySecrets.path());
    let mut mistake = |message: String| mistakes.push(Mistake::new(origin.clone(), message));
    if relay.secrets.len() > RELAY_SECRETS_MAX {
        mistake(format!(
            "at most {RELAY_SECRETS_MAX} secrets are accepted side by side"
        ));
    }
    let mut secrets = Vec::new();
    for name in &relay.secrets {
        if !sources::is_variable(name) {
            mistake("`secrets` holds names of environment variables".to_owned());
            continue;
        }
        match environment.get(name).map(Secret::from_whsec) {
            None => {}
            Some(Ok(secret)) => secrets.push(secret),
            Some(Err(reason)) => mistake(format!("the secret `{name}` {reason}")),
        }
    }
    secrets
}

fn run(written: RunWritten) -> RunSettings {
    RunSettings {
        listen: written.listen,
        data_dir: written.data_dir,
        drain_max: Duration::from_millis(written.drain_ms_max.get()),
        intake_bytes_in_flight_max: written.intake_bytes_in_flight_max.get(),
        connections_max: written.connections_max.get(),
    }
}

fn delivery_of(written: &DeliveryWritten) -> DeliverySettings {
    DeliverySettings {
        retry: RetryPolicy {
            jitter: written.jitter.0,
            base_ms: written.base_ms.get(),
            cap_ms: written.cap_ms.get(),
            failures_max: written.failures_max.get(),
            age_ms_max: written.age_ms_max.get(),
            retry_after_ms_max: written.retry_after_ms_max.get(),
        },
        batch: BatchLimits {
            events_max: written.batch_events_max.get(),
            bytes_max: written.batch_bytes_max.get(),
            key_burst_events_max: written.key_burst_events_max.get(),
        },
        credits: CreditLimits {
            entries_max: written.credit_events_max.get(),
            bytes_max: written.credit_bytes_max.get(),
            shard_entries_max: written.shard_credit_events_max.get(),
        },
        poll_ms: written.poll_ms.get(),
    }
}

fn sqlite_of(written: &SqliteWritten) -> SqliteSettings {
    SqliteSettings {
        group_commit_ms: written.group_commit_ms,
        group_calls_max: written.group_calls_max.get(),
        waiting_calls_max: written.waiting_calls_max.get(),
        lease_ms: written.lease_ms.get(),
        store_call_ms_max: written.store_call_ms_max.get(),
        key_retention_ms: written.key_retention_ms.get(),
    }
}

/// What any queue is told of sizes: the door's limits, so that nothing is accepted that the
/// queue does not take.
pub(crate) fn queue_limits(door: &Door, sqlite: &SqliteSettings) -> QueueLimits {
    let limits = door.limits();
    let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
    let usual = QueueLimits::default();
    QueueLimits {
        envelope_bytes_max: size(limits.envelope_bytes_max),
        publish_events_max: usual
            .publish_events_max
            .max(size(limits.features_max.into())),
        key_retention_ms: sqlite.key_retention_ms,
    }
}

/// The lease that the map gives, and the longest call under it, with the settings of both.
struct Leases {
    lease: (SettingName, u64),
    calls: [(SettingName, u64); 2],
}

impl Leases {
    fn of(
        sqlite: &SqliteSettings,
        redis: Option<&hexlane_backend_redis::Settings>,
        postgis: Option<&hexlane_backend_postgis::Settings>,
    ) -> Self {
        let embedded = (SettingName::SqliteStoreCall, sqlite.store_call_ms_max);
        let queue = redis.map(|redis| (SettingName::RedisResponseMs, redis.response_ms));
        let map = postgis.map(|postgis| {
            let call_ms = u64::try_from(postgis.call_timeout.as_millis()).unwrap_or(u64::MAX);
            (SettingName::PostgisCallMs, call_ms)
        });
        let lease = postgis.map_or((SettingName::SqliteLease, sqlite.lease_ms), |postgis| {
            (SettingName::PostgisLeaseMs, postgis.lease_ms)
        });
        Self {
            lease,
            calls: [queue.unwrap_or(embedded), map.unwrap_or(embedded)],
        }
    }

    fn longest_call(&self) -> (SettingName, u64) {
        let [queue, map] = self.calls;
        if queue.1 > map.1 { queue } else { map }
    }

    /// The engine's own rule. Told at the lease, or at the call's limit where that alone was
    /// set.
    fn mistake(&self, layers: &Layers) -> Option<Mistake> {
        let (call, call_ms) = self.longest_call();
        let error = check_lease(self.lease.1, call_ms).err()?;
        let origins = [self.lease.0, call].map(|name| layers.origin(name.path()));
        let set = origins
            .into_iter()
            .find(|origin| *origin != Origin::Default);
        Some(Mistake::new(
            set.unwrap_or(Origin::Default),
            error.to_string(),
        ))
    }
}

fn log(layers: &Layers, mistakes: &mut Vec<Mistake>) -> Option<LogSettings> {
    let written: LogWritten = table(layers, "log", mistakes)?;
    if let Err(error) = tracing_subscriber::EnvFilter::try_new(&written.filter) {
        mistakes.push(Mistake::new(
            layers.origin(SettingName::LogFilter.path()),
            error.to_string(),
        ));
        return None;
    }
    let format = match written.format {
        LogFormatWritten::Auto => LogFormat::Auto,
        LogFormatWritten::Text => LogFormat::Text,
        LogFormatWritten::Json => LogFormat::Json,
    };
    Some(LogSettings {
        filter: written.filter,
        format,
    })
}
