//! The map that this queue is bound to: its name stands in `spatial.events:meta`.

use crate::connection::Connection;
use crate::failure::malformed;
use crate::queue::RedisQueue;
use hexlane_backend::{Authority, Code, Failure, Part};
use hexlane_streams::Layout;
use redis::{Cmd, Value, cmd};

const FIELD: &str = "authority";
/// Of a shard's `own`: the highest epoch that was seen.
const EPOCH: &str = "epoch";

/// Binds a queue that is bound to nothing; holds to it from then on. A name that stands is
/// only read: a server that is full takes no write, and what waits on it must be drained all
/// the same.
async fn bind(connection: &Connection, layout: &Layout, map: &Authority) -> Result<(), Failure> {
    let stored = if let Some(stored) = bound(connection, layout).await? {
        stored
    } else {
        let mut put = cmd("HSETNX");
        put.arg(layout.meta_key()).arg(FIELD).arg(map.as_str());
        ask(connection, &put).await?;
        let stored = bound(connection, layout).await?;
        stored.ok_or_else(|| malformed("the name of the map went at once"))?
    };
    if stored == map.as_str() {
        return Ok(());
    }
    Err(mismatch(&stored, map))
}

async fn bound(connection: &Connection, layout: &Layout) -> Result<Option<String>, Failure> {
    let mut get = cmd("HGET");
    get.arg(layout.meta_key()).arg(FIELD);
    let stored = ask(connection, &get).await?;
    redis::from_redis_value(stored).map_err(|error| malformed(&error.to_string()))
}

async fn ask(connection: &Connection, command: &Cmd) -> Result<Value, Failure> {
    let answer = connection.send(command).await;
    answer.map_err(|trouble| trouble.failure())
}

fn mismatch(bound: &str, map: &Authority) -> Failure {
    let detail = format!("the queue is bound to the map {bound}, this one is {map}");
    Failure::new(Part::Queue, Code::AuthorityMismatch).with_detail(detail)
}

impl RedisQueue {
    /// Binds a queue that is bound to nothing; holds to it from then on.
    ///
    /// # Errors
    /// It is bound to another map ([`Code::AuthorityMismatch`]), or cannot be asked.
    pub async fn bind(&self, map: &Authority) -> Result<(), Failure> {
        let (connection, layout) = self.connection_and_layout();
        bind(connection, layout, map).await
    }

    /// Takes the queue from one map to another, whose epochs begin anew. Nobody may run on
    /// the first one any more: it would not be noticed. What waits lands in the other map,
    /// for who connects after this. Done half, it is done again.
    ///
    /// # Errors
    /// It is bound to neither of them, or cannot be asked.
    pub async fn rebind(&self, from: &Authority, to: &Authority) -> Result<(), Failure> {
        let (connection, layout) = self.connection_and_layout();
        if let Some(bound) = bound(connection, layout).await?
            && bound != from.as_str()
        {
            return bind(connection, layout, to).await;
        }
        for shard in self.shards() {
            let mut forget = cmd("HDEL");
            forget.arg(layout.keys(*shard).own).arg(EPOCH);
            ask(connection, &forget).await?;
        }
        let put = self.bind_call(layout, to);
        let put = connection.call(&put).await;
        put.map(drop).map_err(|trouble| trouble.failure())
    }
}
