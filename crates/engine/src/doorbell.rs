//! The doorbell: one wait for all shards, so that an idle engine does nothing.
//!
//! A queue rings for any shard; the backlog says for which. So one event wakes one
//! shard, and a trickle over one shard does not make all the others ask.

use crate::context::Context;
use crate::stores::Backends;
use hexlane_backend::{Bell, Failure, Queue, ShardBacklog};
use hexlane_core::lane::Shard;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Between two looks at the backlog: rings of a burst are heard as one.
const HUSH: Duration = Duration::from_millis(5);

/// How a shard hears.
#[derive(Debug, Default)]
pub(crate) struct ShardBell {
    rung: AtomicBool,
    wake: Notify,
}

impl ShardBell {
    fn ring(&self) {
        self.rung.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    /// Whether it rang since the last time it was asked.
    pub(crate) fn take(&self) -> bool {
        self.rung.swap(false, Ordering::AcqRel)
    }

    /// Waits for a ring; may wake without one.
    pub(crate) async fn rung(&self) {
        self.wake.notified().await;
    }
}

/// Listens until it is dropped.
#[derive(Debug)]
pub(crate) struct Doorbell {
    bells: Arc<HashMap<Shard, Arc<ShardBell>>>,
    listener: JoinHandle<()>,
}

impl Doorbell {
    pub(crate) fn start<B: Backends>(context: Arc<Context<B>>) -> Self {
        let shards = context.settings.shards.iter();
        let bells = Arc::new(shards.map(|shard| (*shard, Arc::default())).collect());
        let listener = tokio::spawn(listen(context, Arc::clone(&bells)));
        Self { bells, listener }
    }

    /// The bell of a shard; one that never rings for a shard that was not asked for.
    pub(crate) fn of(&self, shard: Shard) -> Arc<ShardBell> {
        self.bells.get(&shard).cloned().unwrap_or_default()
    }
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen<B: Backends>(context: Arc<Context<B>>, bells: Arc<HashMap<Shard, Arc<ShardBell>>>) {
    let queue = context.stores.queue();
    let mut heard = Bell::default();
    loop {
        match queue.arrived(heard).await {
            Ok(bell) => {
                heard = bell;
                ring(&bells, queue.backlog().await);
                tokio::time::sleep(HUSH).await;
            }
            Err(failure) => {
                tracing::debug!(%failure, "doorbell lost, polling");
                tokio::time::sleep(Duration::from_millis(context.settings.poll_ms.max(1))).await;
            }
        }
    }
}

/// Wakes the shards that have something; all of them when nobody knows.
fn ring(bells: &HashMap<Shard, Arc<ShardBell>>, backlog: Result<Vec<ShardBacklog>, Failure>) {
    match backlog {
        Ok(shards) => {
            let ready = shards.iter().filter(|shard| shard.ready > 0);
            ready
                .filter_map(|shard| bells.get(&shard.shard))
                .for_each(|bell| bell.ring());
        }
        Err(_) => bells.values().for_each(|bell| bell.ring()),
    }
}
