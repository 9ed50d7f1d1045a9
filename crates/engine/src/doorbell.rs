//! The doorbell: one wait for all shards, so that an idle engine does nothing.

use crate::context::Context;
use crate::stores::Backends;
use hexlane_backend::{Bell, Queue};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Listens until it is dropped.
#[derive(Debug)]
pub(crate) struct Doorbell {
    heard: watch::Receiver<Bell>,
    listener: JoinHandle<()>,
}

impl Doorbell {
    pub(crate) fn start<B: Backends>(context: Arc<Context<B>>) -> Self {
        let (ring, heard) = watch::channel(Bell::default());
        Self {
            heard,
            listener: tokio::spawn(listen(context, ring)),
        }
    }

    /// How a shard hears it.
    pub(crate) fn heard(&self) -> watch::Receiver<Bell> {
        self.heard.clone()
    }
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

async fn listen<B: Backends>(context: Arc<Context<B>>, ring: watch::Sender<Bell>) {
    let mut heard = Bell::default();
    loop {
        match context.stores.queue().arrived(heard).await {
            Ok(bell) => {
                heard = bell;
                ring.send_replace(bell);
            }
            Err(failure) => {
                tracing::debug!(%failure, "doorbell lost, polling");
                tokio::time::sleep(Duration::from_millis(context.settings.poll_ms.max(1))).await;
            }
        }
    }
}
