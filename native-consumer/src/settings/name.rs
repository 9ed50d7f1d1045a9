//! The names of settings, and of the environment variables that set them. Others read
//! them, so they are enums: a test holds them against the committed default file.

/// Environment variables that are not settings by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnEnvironment {
    /// Where the settings file is.
    Settings,
    /// Short for `log.filter`.
    Log,
}

impl OwnEnvironment {
    /// The variable.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "HEXLANE_SETTINGS",
            Self::Log => "HEXLANE_LOG",
        }
    }
}

macro_rules! names {
    ($($variant:ident $path:literal $environment:literal;)*) => {
        /// A setting that has one value, not one a source.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SettingName {
            $(#[doc = concat!("`", $path, "`, by environment `", $environment, "`.")] $variant,)*
        }

        impl SettingName {
            /// Every name, in the order of the default file.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Table and key, as in `run.listen`.
            #[must_use]
            pub const fn path(self) -> &'static str {
                match self { $(Self::$variant => $path,)* }
            }

            /// The environment variable that sets it.
            #[must_use]
            pub const fn environment(self) -> &'static str {
                match self { $(Self::$variant => $environment,)* }
            }
        }
    };
}

names! {
    Shards "shards" "HEXLANE_SHARDS";
    RunListen "run.listen" "HEXLANE_RUN_LISTEN";
    RunQueue "run.queue" "HEXLANE_RUN_QUEUE";
    RunMap "run.map" "HEXLANE_RUN_MAP";
    RunDataDir "run.data_dir" "HEXLANE_RUN_DATA_DIR";
    RunDrainMsMax "run.drain_ms_max" "HEXLANE_RUN_DRAIN_MS_MAX";
    RunIntakeBytes "run.intake_bytes_in_flight_max" "HEXLANE_RUN_INTAKE_BYTES_IN_FLIGHT_MAX";
    RunConnectionsMax "run.connections_max" "HEXLANE_RUN_CONNECTIONS_MAX";
    LimitsBodyBytes "limits.body_bytes_max" "HEXLANE_LIMITS_BODY_BYTES_MAX";
    LimitsDepth "limits.depth_max" "HEXLANE_LIMITS_DEPTH_MAX";
    LimitsFeatures "limits.features_max" "HEXLANE_LIMITS_FEATURES_MAX";
    LimitsVertices "limits.vertices_max" "HEXLANE_LIMITS_VERTICES_MAX";
    LimitsViolations "limits.violations_max" "HEXLANE_LIMITS_VIOLATIONS_MAX";
    LimitsWork "limits.work_max" "HEXLANE_LIMITS_WORK_MAX";
    LimitsRepairVertices "limits.repair_vertices_max" "HEXLANE_LIMITS_REPAIR_VERTICES_MAX";
    LimitsEnvelopeBytes "limits.envelope_bytes_max" "HEXLANE_LIMITS_ENVELOPE_BYTES_MAX";
    RelaySecrets "relay.secrets" "HEXLANE_RELAY_SECRETS";
    DeliveryJitter "delivery.jitter" "HEXLANE_DELIVERY_JITTER";
    DeliveryBase "delivery.base_ms" "HEXLANE_DELIVERY_BASE_MS";
    DeliveryCap "delivery.cap_ms" "HEXLANE_DELIVERY_CAP_MS";
    DeliveryFailures "delivery.failures_max" "HEXLANE_DELIVERY_FAILURES_MAX";
    DeliveryAge "delivery.age_ms_max" "HEXLANE_DELIVERY_AGE_MS_MAX";
    DeliveryRetryAfter "delivery.retry_after_ms_max" "HEXLANE_DELIVERY_RETRY_AFTER_MS_MAX";
    DeliveryBatchEvents "delivery.batch_events_max" "HEXLANE_DELIVERY_BATCH_EVENTS_MAX";
    DeliveryBatchBytes "delivery.batch_bytes_max" "HEXLANE_DELIVERY_BATCH_BYTES_MAX";
    DeliveryKeyBurst "delivery.key_burst_events_max" "HEXLANE_DELIVERY_KEY_BURST_EVENTS_MAX";
    DeliveryCreditEvents "delivery.credit_events_max" "HEXLANE_DELIVERY_CREDIT_EVENTS_MAX";
    DeliveryCreditBytes "delivery.credit_bytes_max" "HEXLANE_DELIVERY_CREDIT_BYTES_MAX";
    DeliveryShardCredit "delivery.shard_credit_events_max" "HEXLANE_DELIVERY_SHARD_CREDIT_EVENTS_MAX";
    DeliveryPoll "delivery.poll_ms" "HEXLANE_DELIVERY_POLL_MS";
    SqliteGroupCommit "sqlite.group_commit_ms" "HEXLANE_SQLITE_GROUP_COMMIT_MS";
    SqliteGroupCalls "sqlite.group_calls_max" "HEXLANE_SQLITE_GROUP_CALLS_MAX";
    SqliteWaitingCalls "sqlite.waiting_calls_max" "HEXLANE_SQLITE_WAITING_CALLS_MAX";
    SqliteLease "sqlite.lease_ms" "HEXLANE_SQLITE_LEASE_MS";
    SqliteStoreCall "sqlite.store_call_ms_max" "HEXLANE_SQLITE_STORE_CALL_MS_MAX";
    SqliteKeyRetention "sqlite.key_retention_ms" "HEXLANE_SQLITE_KEY_RETENTION_MS";
    RedisTopology "redis.topology" "HEXLANE_REDIS_TOPOLOGY";
    RedisServers "redis.servers" "HEXLANE_REDIS_SERVERS";
    RedisSentinelMaster "redis.sentinel_master" "HEXLANE_REDIS_SENTINEL_MASTER";
    RedisSentinelUser "redis.sentinel_user" "HEXLANE_REDIS_SENTINEL_USER";
    RedisSentinelPasswordVariable "redis.sentinel_password_variable" "HEXLANE_REDIS_SENTINEL_PASSWORD_VARIABLE";
    RedisUser "redis.user" "HEXLANE_REDIS_USER";
    RedisPasswordVariable "redis.password_variable" "HEXLANE_REDIS_PASSWORD_VARIABLE";
    RedisTls "redis.tls" "HEXLANE_REDIS_TLS";
    RedisTlsCertificate "redis.tls_certificate" "HEXLANE_REDIS_TLS_CERTIFICATE";
    RedisTlsKey "redis.tls_key" "HEXLANE_REDIS_TLS_KEY";
    RedisNamespace "redis.namespace" "HEXLANE_REDIS_NAMESPACE";
    RedisUnshardedSource "redis.unsharded_source" "HEXLANE_REDIS_UNSHARDED_SOURCE";
    RedisPersistenceRequired "redis.persistence_required" "HEXLANE_REDIS_PERSISTENCE_REQUIRED";
    RedisReplayMs "redis.replay_ms" "HEXLANE_REDIS_REPLAY_MS";
    RedisReplayMemoryPercent "redis.replay_memory_percent" "HEXLANE_REDIS_REPLAY_MEMORY_PERCENT";
    RedisReplayBytesMax "redis.replay_bytes_max" "HEXLANE_REDIS_REPLAY_BYTES_MAX";
    RedisKeyRetentionMs "redis.key_retention_ms" "HEXLANE_REDIS_KEY_RETENTION_MS";
    RedisConnectMs "redis.connect_ms" "HEXLANE_REDIS_CONNECT_MS";
    RedisResponseMs "redis.response_ms" "HEXLANE_REDIS_RESPONSE_MS";
    RedisBlockMs "redis.block_ms" "HEXLANE_REDIS_BLOCK_MS";
    PostgisUrl "postgis.url" "HEXLANE_POSTGIS_URL";
    PostgisPasswordVariable "postgis.password_variable" "HEXLANE_POSTGIS_PASSWORD_VARIABLE";
    PostgisTls "postgis.tls" "HEXLANE_POSTGIS_TLS";
    PostgisSchema "postgis.schema" "HEXLANE_POSTGIS_SCHEMA";
    PostgisCrs "postgis.crs" "HEXLANE_POSTGIS_CRS";
    PostgisConnectionsMax "postgis.connections_max" "HEXLANE_POSTGIS_CONNECTIONS_MAX";
    PostgisLeaseMs "postgis.lease_ms" "HEXLANE_POSTGIS_LEASE_MS";
    PostgisConnectMs "postgis.connect_ms" "HEXLANE_POSTGIS_CONNECT_MS";
    PostgisLockMs "postgis.lock_ms" "HEXLANE_POSTGIS_LOCK_MS";
    PostgisStatementMs "postgis.statement_ms" "HEXLANE_POSTGIS_STATEMENT_MS";
    PostgisCallMs "postgis.call_ms" "HEXLANE_POSTGIS_CALL_MS";
    PostgisMigrationMs "postgis.migration_ms" "HEXLANE_POSTGIS_MIGRATION_MS";
    PostgisFsyncRequired "postgis.fsync_required" "HEXLANE_POSTGIS_FSYNC_REQUIRED";
    LogFilter "log.filter" "HEXLANE_LOG_FILTER";
    LogFormat "log.format" "HEXLANE_LOG_FORMAT";
}

impl SettingName {
    /// The setting of that path.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.path() == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_default_file_holds_every_setting_and_no_other() {
        let defaults: toml::Table = crate::settings::DEFAULT_TOML.parse().unwrap();
        let mut written = BTreeSet::new();
        for (table, value) in defaults.iter().filter(|(table, _)| *table != "sources") {
            let keys = value.as_table().into_iter().flat_map(toml::Table::keys);
            written.extend(keys.map(|key| format!("{table}.{key}")));
            if !value.is_table() {
                written.insert(table.clone());
            }
        }
        let named: BTreeSet<String> = SettingName::ALL
            .iter()
            .map(|name| name.path().to_owned())
            .collect();
        assert_eq!(written, named);
    }

    #[test]
    fn a_variable_is_the_path_in_upper_case() {
        for name in SettingName::ALL {
            let expected = format!("HEXLANE_{}", name.path().replace('.', "_").to_uppercase());
            assert_eq!(name.environment(), expected);
        }
    }
}
