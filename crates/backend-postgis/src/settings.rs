//! Settings of the PostGIS backend, resolved: each value is usable as it stands, which
//! connecting checks.

use crate::crs::MapCrs;
use hexlane_backend::{Code, Failure, Part};
use hexlane_core::lane::ShardMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What the backend is told.
#[derive(Clone)]
pub struct Settings {
    /// `postgresql://user:password@host:port/database`, or `key=value` pairs. Its
    /// `sslmode` may not ask for more than `tls` gives.
    pub url: String,
    /// The password, when it does not stand in the URL.
    pub password: Option<String>,
    /// How the way to the server is protected.
    pub tls: Tls,
    /// The schema that holds the map; made when missing.
    pub schema: String,
    /// The CRS of the map; another one than the stored is an error.
    pub crs: MapCrs,
    /// Compared with the stored one; a difference is an error.
    pub shard_map: ShardMap,
    /// How long a lease lasts.
    pub lease_ms: u64,
    /// Most connections at once, one for each apply in flight; leases have four besides. More
    /// than the server has cores only share them: with 4 a drain on two cores is an eighth
    /// faster than with 16.
    pub connections_max: usize,
    /// For a connection with its checks.
    pub connect_timeout: Duration,
    /// After that the server gives a statement up.
    pub statement_timeout: Duration,
    /// After that the server gives up waiting for a lock.
    pub lock_timeout: Duration,
    /// After that an answer is lost. Longer than `statement_timeout`, so that the server
    /// has ended; lease less dispatch stop must hold it.
    pub call_timeout: Duration,
    /// For bringing the schema up to date, waiting for another process included.
    pub migration_timeout: Duration,
    /// Whether a server with `fsync = off`, which loses commits when its machine falls, is
    /// refused.
    pub refuse_without_fsync: bool,
}

/// How the way to the server is protected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tls {
    /// Not at all: for a server on this machine or behind a tunnel.
    #[default]
    Off,
    /// TLS; the certificate must be for the host and signed by one that this machine
    /// trusts.
    System,
    /// TLS; the certificate must be for the host and signed by one of this PEM file.
    Authority(PathBuf),
}

impl Settings {
    /// The longest name that PostgreSQL does not cut.
    const SCHEMA_BYTES_MAX: usize = 63;

    /// The defaults, at that URL.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            tls: Tls::Off,
            schema: "hexlane".to_owned(),
            crs: MapCrs::default(),
            shard_map: ShardMap::default(),
            lease_ms: 15_000,
            connections_max: 4,
            connect_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(4),
            lock_timeout: Duration::from_secs(2),
            call_timeout: Duration::from_secs(5),
            migration_timeout: Duration::from_mins(1),
            refuse_without_fsync: false,
        }
    }

    /// Whether the values fit together.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let wrong =
            |detail: &str| Err(Failure::new(Part::Sink, Code::Settings).with_detail(detail));
        let name = &self.schema;
        if name.is_empty() || name.len() > Self::SCHEMA_BYTES_MAX || name.contains('\0') {
            return wrong("the schema's name must have 1 to 63 bytes and no U+0000");
        }
        if self.schema.starts_with("pg_") {
            return wrong("schemas that start with pg_ are PostgreSQL's own");
        }
        if self.connections_max == 0 {
            return wrong("no connections are allowed");
        }
        let waits = [
            Duration::from_millis(1),
            self.lock_timeout,
            self.statement_timeout,
            self.call_timeout,
        ];
        if !waits.is_sorted() || self.statement_timeout == self.call_timeout {
            return wrong(
                "lock_timeout, statement_timeout and call_timeout must grow in this order",
            );
        }
        Ok(())
    }
}

impl fmt::Debug for Settings {
    /// Without URL and password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("tls", &self.tls)
            .field("schema", &self.schema)
            .field("crs", &self.crs)
            .field("shard_map", &self.shard_map)
            .field("lease_ms", &self.lease_ms)
            .field("connections_max", &self.connections_max)
            .field("connect_timeout", &self.connect_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .field("lock_timeout", &self.lock_timeout)
            .field("call_timeout", &self.call_timeout)
            .field("migration_timeout", &self.migration_timeout)
            .field("refuse_without_fsync", &self.refuse_without_fsync)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_holds_no_secret() {
        let mut settings = Settings::at("postgresql://hexlane:s3cret@localhost/map");
        settings.password = Some("s3cret".to_owned());
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn waits_that_do_not_grow_and_names_that_cannot_be_are_refused() {
        let good = Settings::at("");
        assert_eq!(good.check(), Ok(()));
        let call_too_short = Settings {
            call_timeout: good.statement_timeout,
            ..good.clone()
        };
        let lock_too_long = Settings {
            lock_timeout: Duration::from_mins(1),
            ..good.clone()
        };
        let nameless = Settings {
            schema: String::new(),
            ..good.clone()
        };
        let system = Settings {
            schema: "pg_map".to_owned(),
            ..good
        };
        for settings in [call_too_short, lock_too_long, nameless, system] {
            assert_eq!(settings.check().unwrap_err().code, Code::Settings);
        }
    }
}
