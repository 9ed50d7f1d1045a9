//! What the conformance suite runs on: the queue in Redis, everything else in memory.

use super::cluster::Cluster;
use super::server::Server;
use hexlane_backend::clock::ManualClock;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend::memory::{MemoryLeases, MemoryMap};
use hexlane_backend_redis::{Foreign, RedisQueue, Settings, Topology};
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_streams::Layout;
use std::sync::Arc;

/// Where a fixture's Redis is, and how it crashes.
pub trait Place: Send + Sync {
    fn topology(&self) -> Topology;
    /// Kills the server and starts it again.
    fn crash(&mut self);
}

impl Place for Server {
    fn topology(&self) -> Topology {
        Topology::Single(self.address())
    }
    fn crash(&mut self) {
        Self::crash(self);
    }
}

impl Place for Cluster {
    fn topology(&self) -> Topology {
        Topology::Cluster(self.servers.iter().map(Server::address).collect())
    }
    fn crash(&mut self) {
        Self::crash(self);
    }
}

/// Settings with the suite's limits.
pub fn settings(topology: Topology) -> Settings {
    Settings {
        limits: Setup::LIMITS,
        ..Settings::at(topology)
    }
}

/// Stores of the suite.
pub struct Stores<P> {
    pub clock: Arc<ManualClock>,
    pub queue: RedisQueue,
    pub leases: MemoryLeases,
    pub map: MemoryMap,
    pub place: P,
    settings: Settings,
}

impl<P: Place> Stores<P> {
    /// An empty queue there.
    pub async fn at(place: P) -> Self {
        let settings = settings(place.topology());
        Self::with(place, settings).await
    }

    /// An empty queue there, with those settings.
    pub async fn with(place: P, settings: Settings) -> Self {
        let clock = Setup::clock();
        let queue = RedisQueue::connect(settings.clone(), clock.clone()).await;
        Self {
            queue: queue.unwrap(),
            leases: MemoryLeases::new(clock.clone(), Setup::LEASE_MS),
            map: MemoryMap::new(),
            clock,
            place,
            settings,
        }
    }

    /// A queue of its own on the same server, as another process has it.
    pub async fn another(&self) -> RedisQueue {
        let clock = self.clock.clone();
        RedisQueue::connect(self.settings.clone(), clock)
            .await
            .unwrap()
    }
}

impl<P: Place> Fixture for Stores<P> {
    type Queue = RedisQueue;
    type Leases = MemoryLeases;
    type Sink = MemoryMap;
    type DeadLetters = MemoryMap;
    type Tally = MemoryMap;

    fn clock(&self) -> &ManualClock {
        &self.clock
    }
    fn queue(&self) -> &RedisQueue {
        &self.queue
    }
    fn leases(&self) -> &MemoryLeases {
        &self.leases
    }
    fn sink(&self) -> &MemoryMap {
        &self.map
    }
    fn dead_letters(&self) -> &MemoryMap {
        &self.map
    }
    fn tally(&self) -> &MemoryMap {
        &self.map
    }
    async fn joined(&self, source: &str, entity: &str) -> Option<String> {
        let name = (source.to_owned(), entity.to_owned());
        let mut features = self.map.features().into_iter();
        features.find(|(found, _)| *found == name)?.1.joined
    }
    async fn reopen(mut self) -> Self {
        self.place.crash();
        let queue = self.another().await;
        Self { queue, ..self }
    }
}

/// How entries of other producers are read: a source with every default.
pub fn foreign() -> Foreign {
    let source = SourceSettings::new(AuthSettings::None);
    Foreign {
        source: source.resolve("legacy", |_| None).unwrap(),
        limits: Limits::default(),
    }
}

/// The namespace of a layout that tests read by hand.
pub fn layout() -> Layout {
    Layout::default()
}
