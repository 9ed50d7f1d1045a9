//! Settings of the Redis backend, resolved: each value is usable as it stands.

use hexlane_backend::QueueLimits;
use hexlane_core::limits::Limits;
use hexlane_core::source::Source;
use hexlane_streams::Layout;
use std::fmt;
use std::time::Duration;

/// What the backend is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the server is.
    pub topology: Topology,
    /// Who asks.
    pub login: Option<Login>,
    /// TLS to every server, also to sentinels; none speaks plainly.
    pub tls: Option<Tls>,
    /// Namespace and shard map.
    pub layout: Layout,
    /// Limits of the queue.
    pub limits: QueueLimits,
    /// Whether the server must keep a log on disk.
    pub persistence: Persistence,
    /// How the unsharded stream of other producers is read; none when it is not.
    pub unsharded: Option<Foreign>,
    /// How long acked entries are kept.
    pub replay: Replay,
    /// Until a server is reached.
    pub connect_ms: u64,
    /// Until a command is answered; scripts take milliseconds, `appendfsync always` a few
    /// more.
    pub response_ms: u64,
    /// How long the doorbell waits in one command.
    pub block_ms: u64,
}

/// Where the server is. Addresses are `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topology {
    /// One server, by its address.
    Single(String),
    /// The master that sentinels name.
    Sentinel {
        /// Their addresses.
        sentinels: Vec<String>,
        /// The name of the master.
        master: String,
        /// Who asks the sentinels; they have users of their own.
        login: Option<Login>,
    },
    /// A cluster, by the addresses of some of its nodes.
    Cluster(Vec<String>),
}

/// User and password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user; none is the default user.
    pub user: Option<String>,
    /// The password.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Login")
            .field("user", &self.user)
            .field("password", &"(hidden)")
            .finish()
    }
}

/// How TLS is spoken.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificates that are trusted, PEM; none trusts what the system trusts.
    pub roots_pem: Option<Vec<u8>>,
    /// A certificate of one's own and its key, PEM.
    pub identity_pem: Option<(Vec<u8>, Vec<u8>)>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Tls")
            .field("roots_pem", &self.roots_pem.is_some())
            .field("identity_pem", &self.identity_pem.is_some())
            .finish()
    }
}

/// How entries of other producers become events.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The source they belong to: scopes keys and entities, says where version and lane
    /// come from. Its `auth` does not apply: who may write the stream is Redis's affair.
    pub source: Source,
    /// Limits of their judgement.
    pub limits: Limits,
}

/// Whether a server without a log on disk is good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// It must have one: what was answered survives its restart.
    Required,
    /// A restart may lose everything that waits. For trials.
    NotRequired,
}

/// How long acked entries are kept, for reading again after a loss downstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// At most that long.
    pub window: Duration,
    /// At most that part of the server's `maxmemory`, in percent.
    pub memory_percent: u64,
    /// At most that much, when the server has no `maxmemory`.
    pub bytes_without_maxmemory: u64,
}

impl Default for Replay {
    fn default() -> Self {
        Self {
            window: Duration::from_hours(24),
            memory_percent: 10,
            bytes_without_maxmemory: 256 * 1024 * 1024,
        }
    }
}

impl Settings {
    /// The defaults, at that place.
    #[must_use]
    pub fn at(topology: Topology) -> Self {
        Self {
            topology,
            login: None,
            tls: None,
            layout: Layout::default(),
            limits: QueueLimits::default(),
            persistence: Persistence::Required,
            unsharded: None,
            replay: Replay::default(),
            connect_ms: 2_000,
            response_ms: 5_000,
            block_ms: 2_000,
        }
    }
}
