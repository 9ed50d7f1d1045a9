//! What waits: from counts beside the streams, one call for one server, one a shard in a
//! cluster.

use super::Store;
use crate::failure::malformed;
use futures_util::future::join_all;
use hexlane_backend::{Failure, ShardBacklog};
use hexlane_core::lane::Shard;
use hexlane_streams::names::GROUP;
use redis::Value;

impl Store {
    pub(super) async fn report(&self) -> Result<Vec<ShardBacklog>, Failure> {
        let tools = self.tools();
        // A sweep that fails is made again; what waits is told all the same.
        drop(self.trim.sweep_when_due(&tools, &self.shards).await);
        let each = if self.connection.is_cluster() {
            1
        } else {
            self.shards.len().max(1)
        };
        let parts = self.shards.chunks(each).map(|part| self.report_of(part));
        let parts = join_all(parts).await.into_iter();
        let parts = parts.collect::<Result<Vec<_>, Failure>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    async fn report_of(&self, shards: &[Shard]) -> Result<Vec<ShardBacklog>, Failure> {
        let layout = &self.settings.layout;
        let keys: Vec<_> = shards.iter().map(|shard| layout.keys(*shard)).collect();
        let names = keys
            .iter()
            .flat_map(|keys| [keys.stream.as_str(), &keys.own]);
        let mut call = self.scripts.backlog.call(names).with(GROUP);
        for shard in shards {
            let foreign = *shard == layout.unsharded();
            call.push(if foreign { "foreign" } else { "counted" });
        }
        let answer = self.connection.call(&call).await;
        let answer = answer.map_err(|trouble| trouble.failure())?;
        let Value::Array(rows) = answer else {
            return Err(malformed(&format!("{answer:?}")));
        };
        let now_us = self.clock.now_us();
        rows.into_iter()
            .map(|row| read(row, shards, now_us))
            .collect()
    }
}

fn read(row: Value, shards: &[Shard], now_us: i64) -> Result<ShardBacklog, Failure> {
    let told = |error: redis::ParsingError| malformed(&error.to_string());
    let row: (usize, u64, u64, u64, Option<i64>) = redis::from_redis_value(row).map_err(told)?;
    let (place, waiting, handed, bytes, came_at_us) = row;
    let shard = place.checked_sub(1).and_then(|place| shards.get(place));
    let shard = *shard.ok_or_else(|| malformed("a shard that was not asked for"))?;
    let in_flight = handed.min(waiting);
    let age_us = came_at_us.map(|came_at_us| now_us.saturating_sub(came_at_us));
    Ok(ShardBacklog {
        shard,
        ready: waiting - in_flight,
        in_flight,
        oldest_age_ms: age_us.map(|age_us| u64::try_from(age_us / 1_000).unwrap_or(0)),
        bytes,
    })
}
