//! PostGIS stores on a server of their own, and what a kill leaves of them.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each test uses its part and fails by panicking"
)]

pub mod proxy;
pub mod server {
    pub use hexlane_servers::postgres::*;
}
pub mod steered;

use hexlane_backend::clock::ManualClock;
use hexlane_backend::conformance::{Fixture, Setup};
use hexlane_backend::memory::MemoryQueue;
use hexlane_backend::{Holder, Lease, Leases};
use hexlane_backend_postgis::{PostgisMap, Settings};
use hexlane_core::lane::Shard;
use server::Server;
use std::sync::Arc;
use std::time::Duration;
use steered::Steered;

/// Leases, sink, dead letters and tally on a server; the queue is in memory.
pub struct Stores {
    pub clock: Arc<ManualClock>,
    pub server: Server,
    pub map: PostgisMap,
    queue: MemoryQueue,
    leases: Steered,
}

impl Stores {
    pub async fn new() -> Self {
        let clock = Setup::clock();
        let queue = MemoryQueue::new(clock.clone(), Setup::shard_map(), Setup::LIMITS);
        Self::on(Server::start(), clock, queue).await
    }

    async fn on(server: Server, clock: Arc<ManualClock>, queue: MemoryQueue) -> Self {
        let map = PostgisMap::connect(&settings(&server)).await.unwrap();
        let leases = Steered::new(&server, map.clone(), clock.clone()).await;
        Self {
            clock,
            server,
            map,
            queue,
            leases,
        }
    }
}

/// The suite's settings on that server.
pub fn settings(server: &Server) -> Settings {
    Settings {
        shard_map: Setup::shard_map(),
        lease_ms: Setup::LEASE_MS,
        connections_max: 4,
        ..Settings::at(server.url("map"))
    }
}

/// The lease of a shard, by a holder who has every shard.
pub async fn lease(map: &PostgisMap, shard: u16) -> Lease {
    let holder = Holder::new("test");
    let lease = map.acquire(Shard::new(shard), &holder).await.unwrap();
    lease.unwrap()
}

/// Probes until there is a value.
pub async fn until<T>(what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let probed = async {
        loop {
            if let Some(value) = probe().await {
                return value;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let found = tokio::time::timeout(Duration::from_secs(30), probed).await;
    found.unwrap_or_else(|_| panic!("waited too long for {what}"))
}

impl Fixture for Stores {
    type Queue = MemoryQueue;
    type Leases = Steered;
    type Sink = PostgisMap;
    type DeadLetters = PostgisMap;
    type Tally = PostgisMap;

    fn clock(&self) -> &ManualClock {
        &self.clock
    }
    fn queue(&self) -> &MemoryQueue {
        &self.queue
    }
    fn leases(&self) -> &Steered {
        &self.leases
    }
    fn sink(&self) -> &PostgisMap {
        &self.map
    }
    fn dead_letters(&self) -> &PostgisMap {
        &self.map
    }
    fn tally(&self) -> &PostgisMap {
        &self.map
    }
    async fn joined(&self, source: &str, entity: &str) -> Option<String> {
        let client = self.server.client("map").await;
        let sql = "SELECT joined::text FROM hexlane.features WHERE source = $1 AND entity = $2";
        let row = client.query_one(sql, &[&source, &entity]).await.unwrap();
        row.get(0)
    }
    /// kill -9 of the server's whole process tree, and a start that recovers.
    async fn reopen(self) -> Self {
        let mut server = self.server;
        server.kill();
        server.resume();
        Self::on(server, self.clock, self.queue.reopened()).await
    }
}
