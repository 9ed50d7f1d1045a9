//! Memory: acked entries are kept for a replay window, and let go before intake is refused.

use crate::connection::Connection;
use crate::failure::malformed;
use crate::probe::Info;
use crate::scripts::Scripts;
use crate::settings::Replay;
use hexlane_backend::{Clock, Failure};
use hexlane_core::lane::Shard;
use hexlane_streams::Layout;
use hexlane_streams::names::GROUP;
use redis::{ParsingError, from_redis_value};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Entries looked at in one call: it reads their bodies, and the server does nothing else
/// meanwhile.
const PAGE: usize = 256;

/// Calls for one shard in one sweep: the next sweep goes on.
const PAGES_MAX: usize = 64;

/// Between two sweeps over all shards.
const SWEEP: Duration = Duration::from_secs(10);

/// Over that part of `maxmemory` nothing acked is kept any more.
const PRESSURE_PERCENT: u64 = 85;

/// Keeps memory within its bounds.
pub(crate) struct Trim {
    replay: Replay,
    shards: u64,
    /// What one shard may keep; from the last look at the server.
    share: AtomicU64,
    swept_at_ms: AtomicI64,
}

/// What a trim works with.
pub(crate) struct Tools<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) scripts: &'a Scripts,
    pub(crate) layout: &'a Layout,
    pub(crate) clock: &'a Arc<dyn Clock>,
}

impl Trim {
    pub(crate) fn new(replay: Replay, shards: usize) -> Self {
        let shards = u64::try_from(shards.max(1)).unwrap_or(1);
        Self {
            replay,
            shards,
            share: AtomicU64::new(replay.bytes_without_maxmemory / shards),
            swept_at_ms: AtomicI64::new(i64::MIN),
        }
    }

    /// After a settlement: trims the shard when it keeps more than its share.
    pub(crate) async fn after_settling(
        &self,
        tools: &Tools<'_>,
        shard: Shard,
        kept: u64,
    ) -> Result<(), Failure> {
        let share = self.share.load(Ordering::Relaxed);
        if kept <= share {
            return Ok(());
        }
        // A tenth less, so that not every settlement comes here.
        self.trim(tools, shard, share - share / 10).await
    }

    /// Now and then: looks at the server's memory and trims every shard.
    pub(crate) async fn sweep_when_due(
        &self,
        tools: &Tools<'_>,
        shards: &[Shard],
    ) -> Result<(), Failure> {
        let now_ms = i64::try_from(tools.clock.monotonic().as_millis()).unwrap_or(i64::MAX);
        let due_ms = i64::try_from(SWEEP.as_millis()).unwrap_or(i64::MAX);
        let last_ms = self.swept_at_ms.load(Ordering::Relaxed);
        if last_ms != i64::MIN && now_ms.saturating_sub(last_ms) < due_ms {
            return Ok(());
        }
        self.swept_at_ms.store(now_ms, Ordering::Relaxed);
        let share = self.look(tools).await?;
        self.sweep(tools, shards, share).await
    }

    /// The server is full: lets go of everything that is acked.
    pub(crate) async fn let_go(&self, tools: &Tools<'_>, shards: &[Shard]) -> Result<(), Failure> {
        self.sweep(tools, shards, 0).await
    }

    async fn sweep(&self, tools: &Tools<'_>, shards: &[Shard], kept: u64) -> Result<(), Failure> {
        for shard in shards {
            self.trim(tools, *shard, kept).await?;
        }
        Ok(())
    }

    async fn trim(&self, tools: &Tools<'_>, shard: Shard, kept: u64) -> Result<(), Failure> {
        let window_us = i64::try_from(self.replay.window.as_micros()).unwrap_or(i64::MAX);
        let before_us = tools.clock.now_us().saturating_sub(window_us);
        let keys = tools.layout.keys(shard);
        let others = shard == tools.layout.unsharded();
        let mut from = "-".to_owned();
        for _ in 0..PAGES_MAX {
            let call = tools
                .scripts
                .trim
                .call([keys.stream.as_str(), keys.own.as_str()])
                .with(GROUP)
                .with(before_us.to_string())
                .with(kept.to_string())
                .with(PAGE.to_string())
                .with(if others { "1" } else { "0" })
                .with(from);
            let answer = tools.connection.call(&call).await;
            let answer = answer.map_err(|trouble| trouble.failure())?;
            let told = |error: ParsingError| malformed(&error.to_string());
            let (_, more): (u64, Option<String>) = from_redis_value(answer).map_err(told)?;
            let Some(more) = more else { break };
            from = more;
        }
        Ok(())
    }

    /// What one shard may keep, by the server's memory. In a cluster each master has its
    /// own; the tightest decides, for the shards it may have.
    async fn look(&self, tools: &Tools<'_>) -> Result<u64, Failure> {
        let masters = tools.connection.info_of_masters().await;
        let masters = masters.map_err(|trouble| trouble.failure())?;
        let nodes = u64::try_from(masters.len().max(1)).unwrap_or(1);
        let allowed = masters.iter().map(|info| self.allowed(Info(info))).min();
        let allowed = allowed.unwrap_or(self.replay.bytes_without_maxmemory);
        let share = allowed.saturating_mul(nodes) / self.shards;
        self.share.store(share, Ordering::Relaxed);
        Ok(share)
    }

    fn allowed(&self, info: Info<'_>) -> u64 {
        let Some(maxmemory) = info.maxmemory() else {
            return self.replay.bytes_without_maxmemory;
        };
        let percent = |of: u64| maxmemory / 100 * of;
        if info.used_memory() > percent(PRESSURE_PERCENT) {
            return 0;
        }
        percent(self.replay.memory_percent)
    }
}
