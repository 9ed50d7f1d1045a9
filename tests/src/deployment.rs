//! What stands behind a door, on servers of its own: a consumer with its queue and its map,
//! each in its folder or on the server that production uses.

use crate::consumer::Consumer;
use crate::postgis::Postgis;
use crate::settings;
use hexlane_servers::{PASSWORD, redis};
use std::time::Duration;
use toml::{Table, Value};

/// Where events wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// In the consumer's folder.
    Embedded,
    /// In Redis Streams.
    Redis,
}

/// Where they land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Map {
    /// In a `GeoPackage` in the consumer's folder.
    Embedded,
    /// In PostGIS.
    Postgis,
}

/// A consumer and the servers.
pub struct Deployment {
    /// Has the streams of the consumer, or those of a route that ends in Redis.
    pub redis: redis::Server,
    /// The map, or else an empty database, in which a test can compare.
    pub postgis: Postgis,
    /// Runs on them.
    pub consumer: Consumer,
}

impl Deployment {
    /// Both in servers.
    #[must_use]
    pub fn start() -> Self {
        Self::start_on(Queue::Redis, Map::Postgis)
    }

    /// The queue here, the map there.
    #[must_use]
    pub fn start_on(queue: Queue, map: Map) -> Self {
        Self::start_with(queue, map, settings::door(), &Table::new())
    }

    /// Both in servers, for bodies of up to so many bytes: a statement takes seconds then.
    ///
    /// # Panics
    /// When the settings do not parse.
    #[must_use]
    pub fn start_for(body_bytes_max: u64) -> Self {
        let patience = "[redis]
            response_ms = 20_000
            [postgis]
            lease_ms = 120_000
            statement_ms = 30_000
            call_ms = 35_000";
        let patience = patience.parse().expect("settings");
        let door = settings::door_for(body_bytes_max);
        Self::start_with(Queue::Redis, Map::Postgis, door, &patience)
    }

    /// The same with that door; `more` stands over the settings of the servers.
    ///
    /// # Panics
    /// When a server or the consumer does not come up, or `more` has another section.
    #[must_use]
    pub fn start_with(queue: Queue, map: Map, door: Table, more: &Table) -> Self {
        let (redis, postgis) = (redis::Server::start(), Postgis::start());
        let mut all = door;
        all.extend(servers(&redis, &postgis));
        for (name, more) in more {
            let section = all.get_mut(name).and_then(Value::as_table_mut);
            let more = more.as_table().cloned().unwrap_or_default();
            section.expect("a section of a server").extend(more);
        }
        let mut run = Table::new();
        if queue == Queue::Redis {
            run.insert("queue".to_owned(), Value::from("redis"));
        }
        if map == Map::Postgis {
            run.insert("map".to_owned(), Value::from("postgis"));
        }
        all.insert("run".to_owned(), run.into());
        let consumer = Consumer::start_with_variables(&all, &[("MAP_PASSWORD", PASSWORD)]);
        Self {
            redis,
            postgis,
            consumer,
        }
    }
}

/// Where the servers are.
#[must_use]
pub fn servers(redis: &redis::Server, postgis: &Postgis) -> Table {
    let written = format!(
        r#"
        [redis]
        servers = ["{}"]
        response_ms = 2000
        [postgis]
        url = "postgresql://postgres@127.0.0.1:{}/map"
        password_variable = "MAP_PASSWORD"
        # Short, so that a fault is recovered from in seconds.
        lease_ms = 8000
        lock_ms = 1000
        statement_ms = 1500
        call_ms = 2000
        "#,
        redis.address(),
        postgis.server.port,
    );
    written.parse().expect("settings")
}

/// Everything that was sent is applied and once: by the tally, the claims and the map.
///
/// # Panics
/// When something is not, or waits still at the limit.
pub fn assert_each_once(consumer: &Consumer, postgis: &Postgis, events: u64, limit: Duration) {
    let status = consumer.drained(limit);
    assert_eq!(status["dead_letters"], serde_json::json!([]), "{status}");
    assert_eq!(status["settled"]["applied"], events, "{status}");
    assert_eq!(
        [&status["settled"]["stale"], &status["settled"]["dead"]],
        [0, 0],
        "{status}"
    );
    let counts = [
        "SELECT count(*) FROM hexlane.features",
        "SELECT count(DISTINCT event_id) FROM hexlane.features",
        "SELECT count(*) FROM hexlane.claims",
        "SELECT count(*) FROM hexlane.claims WHERE state = 'applied'",
    ];
    assert_eq!(counts.map(|sql| postgis.number(sql)), [events; 4]);
}
