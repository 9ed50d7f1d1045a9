//! Redis and PostGIS: from what is written to what the backends take. A table is resolved
//! when `run.queue` or `run.map` asks for it; what is wrong in one that nobody uses is told
//! key by key all the same, where the table is read.

use super::layers::Layers;
use super::name::SettingName;
use super::origin::Mistake;
use super::sources::is_variable;
use super::written::{CrsWritten, PostgisWritten, RedisWritten, TopologyWritten};
use crate::environment::Environment;
use hexlane_backend::QueueLimits;
use hexlane_backend_postgis::MapCrs;
use hexlane_backend_redis::{Foreign, Layout, Login, Persistence, Replay, Topology};
use hexlane_core::lane::ShardMap;
use hexlane_door::Door;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a table is resolved against.
pub(super) struct Table<'a> {
    pub(super) layers: &'a Layers,
    pub(super) environment: &'a Environment,
    pub(super) mistakes: &'a mut Vec<Mistake>,
}

impl Table<'_> {
    fn mistake(&mut self, name: SettingName, message: impl Into<String>) {
        let origin = self.layers.origin(name.path());
        self.mistakes.push(Mistake::new(origin, message));
    }

    /// The password in a variable; none when it is unset.
    fn password(&mut self, name: SettingName, variable: &str) -> Option<String> {
        if is_variable(variable) {
            return self.environment.get(variable).map(str::to_owned);
        }
        let key = name.path().rsplit('.').next().unwrap_or_default();
        let message = format!("`{key}` is the name of an environment variable");
        self.mistake(name, message);
        None
    }

    fn login(&mut self, name: SettingName, user: &str, variable: &str) -> Option<Login> {
        let password = self.password(name, variable);
        let user = (!user.is_empty()).then(|| user.to_owned());
        if user.is_some() && password.is_none() {
            let message = format!("a user is set, and its password is not: set {variable}");
            self.mistake(name, message);
        }
        password.map(|password| Login { user, password })
    }

    fn file(&mut self, name: SettingName, path: &Path) -> Option<Vec<u8>> {
        match std::fs::read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.mistake(name, format!("{}: {error}", path.display()));
                None
            }
        }
    }

    /// The queue in Redis.
    pub(super) fn redis(
        &mut self,
        written: &RedisWritten,
        door: &Door,
        limits: QueueLimits,
    ) -> Option<hexlane_backend_redis::Settings> {
        let topology = self.topology(written)?;
        let layout = Layout::new(&written.namespace, door.shard_map());
        let layout = layout
            .map_err(|error| self.mistake(SettingName::RedisNamespace, error.to_string()))
            .ok()?;
        let login = self.login(
            SettingName::RedisPasswordVariable,
            &written.user,
            &written.password_variable,
        );
        let tls = self.redis_tls(written);
        let unsharded = self.unsharded(&written.unsharded_source, door);
        let persistence = if written.persistence_required {
            Persistence::Required
        } else {
            Persistence::NotRequired
        };
        Some(hexlane_backend_redis::Settings {
            login,
            tls,
            layout,
            limits: QueueLimits {
                key_retention_ms: written.key_retention_ms.get(),
                ..limits
            },
            persistence,
            unsharded,
            replay: Replay {
                window: Duration::from_millis(written.replay_ms),
                memory_percent: written.replay_memory_percent.min(100),
                bytes_without_maxmemory: written.replay_bytes_max,
            },
            connect_ms: written.connect_ms.get(),
            response_ms: written.response_ms.get(),
            block_ms: written.block_ms.get(),
            ..hexlane_backend_redis::Settings::at(topology)
        })
    }

    fn unsharded(&mut self, name: &str, door: &Door) -> Option<Foreign> {
        if name.is_empty() {
            return None;
        }
        let source = door.source(name);
        if source.is_none() {
            let message = format!("there is no source `{name}`");
            self.mistake(SettingName::RedisUnshardedSource, message);
        }
        source.map(|source| Foreign {
            source: source.clone(),
            limits: *door.limits(),
        })
    }

    fn topology(&mut self, written: &RedisWritten) -> Option<Topology> {
        let whole = |server: &String| {
            let port = server.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
            matches!(port, Some(Ok(_)))
        };
        if written.servers.is_empty() || !written.servers.iter().all(whole) {
            self.mistake(
                SettingName::RedisServers,
                "`servers` is a list of `host:port`",
            );
            return None;
        }
        match (written.topology, written.servers.as_slice()) {
            (TopologyWritten::Single, [server]) => Some(Topology::Single(server.clone())),
            (TopologyWritten::Single, _) => {
                let message =
                    "topology `single` has one server; several are a `cluster`, or sentinels";
                self.mistake(SettingName::RedisServers, message);
                None
            }
            (TopologyWritten::Cluster, nodes) => Some(Topology::Cluster(nodes.to_vec())),
            (TopologyWritten::Sentinel, _) if written.sentinel_master.is_empty() => {
                let message = "the sentinels watch masters by name: which one?";
                self.mistake(SettingName::RedisSentinelMaster, message);
                None
            }
            (TopologyWritten::Sentinel, sentinels) => Some(Topology::Sentinel {
                sentinels: sentinels.to_vec(),
                master: written.sentinel_master.clone(),
                login: self.login(
                    SettingName::RedisSentinelPasswordVariable,
                    &written.sentinel_user,
                    &written.sentinel_password_variable,
                ),
            }),
        }
    }

    fn redis_tls(&mut self, written: &RedisWritten) -> Option<hexlane_backend_redis::Tls> {
        let set = |path: &PathBuf| !path.as_os_str().is_empty();
        let own = [&written.tls_certificate, &written.tls_key];
        let identity_pem = match own.map(set) {
            [true, true] => {
                let certificate = self.file(SettingName::RedisTlsCertificate, own[0]);
                certificate.zip(self.file(SettingName::RedisTlsKey, own[1]))
            }
            [false, false] => None,
            [_, _] => {
                let message = "`tls_certificate` and `tls_key` are set together or not at all";
                self.mistake(SettingName::RedisTlsCertificate, message);
                None
            }
        };
        let roots_pem = match written.tls.as_str() {
            "off" => return None,
            "system" => None,
            file => self.file(SettingName::RedisTls, Path::new(file)),
        };
        Some(hexlane_backend_redis::Tls {
            roots_pem,
            identity_pem,
        })
    }

    /// The map in PostGIS.
    pub(super) fn postgis(
        &mut self,
        written: PostgisWritten,
        shard_map: ShardMap,
    ) -> hexlane_backend_postgis::Settings {
        let password = self.password(
            SettingName::PostgisPasswordVariable,
            &written.password_variable,
        );
        if holds_password(&written.url) {
            let message = "the password belongs into the environment variable that \
                           `password_variable` names";
            self.mistake(SettingName::PostgisUrl, message);
        }
        let tls = match written.tls.as_str() {
            "off" => hexlane_backend_postgis::Tls::Off,
            "system" => hexlane_backend_postgis::Tls::System,
            file => {
                self.file(SettingName::PostgisTls, Path::new(file));
                hexlane_backend_postgis::Tls::Authority(file.into())
            }
        };
        let crs = match written.crs {
            CrsWritten::Epsg4326 => MapCrs::Epsg4326,
            CrsWritten::Epsg3857 => MapCrs::Epsg3857,
        };
        let wait = |ms: std::num::NonZeroU64| Duration::from_millis(ms.get());
        hexlane_backend_postgis::Settings {
            password,
            tls,
            schema: written.schema,
            crs,
            shard_map,
            lease_ms: written.lease_ms.get(),
            connections_max: written.connections_max.get(),
            connect_timeout: wait(written.connect_ms),
            statement_timeout: wait(written.statement_ms),
            lock_timeout: wait(written.lock_ms),
            call_timeout: wait(written.call_ms),
            migration_timeout: wait(written.migration_ms),
            refuse_without_fsync: written.fsync_required,
            ..hexlane_backend_postgis::Settings::at(written.url)
        }
    }
}

/// Whether a connection string holds a password, in either form.
pub(super) fn holds_password(url: &str) -> bool {
    let authority = url.split_once("://").map(|(_, rest)| rest);
    let user = authority.and_then(|rest| rest.split(['/', '?']).next()?.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':')) || url.contains("password=")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_a_url_is_seen_in_either_form() {
        for url in [
            "postgresql://hexlane:s3cret@db/map",
            "postgresql://db/map?password=s3cret",
            "host=db password=s3cret",
        ] {
            assert!(holds_password(url), "{url}");
        }
        for url in [
            "postgresql://hexlane@db:5432/map",
            "postgresql://[::1]:5432/map",
            "host=db user=hexlane",
        ] {
            assert!(!holds_password(url), "{url}");
        }
    }
}
