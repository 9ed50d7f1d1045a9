//! Waiting for something that is away: longer each time, by chance, and never past a stop.

use crate::context::Context;
use crate::end::End;
use crate::observer::{Observation, PauseReason};
use crate::stores::Backends;
use hexlane_backend::{Failure, FailureKind};
use hexlane_core::lane::Shard;
use hexlane_delivery::{Code, RetryPolicy};
use std::time::Duration;

/// How often something was waited for in a row.
#[derive(Debug)]
pub(crate) struct Pause {
    reason: PauseReason,
    count: u32,
}

impl Pause {
    pub(crate) const fn new(reason: PauseReason) -> Self {
        Self { reason, count: 0 }
    }

    /// Waits because of a failure; an error that no waiting heals is an alert.
    ///
    /// # Errors
    /// When the engine stops meanwhile.
    pub(crate) async fn after<B: Backends>(
        &mut self,
        context: &Context<B>,
        shard: Shard,
        failure: &Failure,
    ) -> Result<(), End> {
        self.announce(context, shard, failure);
        let policy = match failure.kind {
            FailureKind::Again | FailureKind::Later => crate::settings::OUTAGE,
            FailureKind::Never => crate::settings::OPERATOR,
        };
        self.wait(context, &policy, failure.retry_after).await
    }

    /// Waits by that policy, and not less than the other side asks.
    ///
    /// # Errors
    /// When the engine stops meanwhile.
    pub(crate) async fn wait<B: Backends>(
        &mut self,
        context: &Context<B>,
        policy: &RetryPolicy,
        asked: Option<Duration>,
    ) -> Result<(), End> {
        self.count = self.count.saturating_add(1);
        let drawn = Duration::from_millis(policy.delay_ms(self.count, 0, context.chance.draw()));
        let ceiling = Duration::from_millis(policy.cap_ms);
        let wait = asked.map_or(drawn, |asked| drawn.max(asked.min(ceiling)));
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(()),
            () = context.stop.stopping() => Err(End::Stopped),
        }
    }

    /// It is back.
    pub(crate) fn over<B: Backends>(&mut self, context: &Context<B>, shard: Shard) {
        if self.count > 0 {
            tracing::info!(%shard, reason = self.reason.as_str(), pauses = self.count, "resumed");
            context.observer.observe(
                shard,
                Observation::Resumed {
                    reason: self.reason,
                },
            );
        }
        self.count = 0;
    }

    fn announce<B: Backends>(&self, context: &Context<B>, shard: Shard, failure: &Failure) {
        let code = Code::Borrowed(failure.code.as_str());
        match failure.kind {
            FailureKind::Never => context.alert(shard, &code, failure),
            FailureKind::Again | FailureKind::Later if self.count == 0 => {
                let reason = self.reason.as_str();
                tracing::warn!(%shard, reason, code = %code, %failure, "paused");
            }
            FailureKind::Again | FailureKind::Later => {
                tracing::debug!(%shard, code = %code, pauses = self.count, "still paused");
            }
        }
        if self.count == 0 {
            context.observer.observe(
                shard,
                Observation::Paused {
                    reason: self.reason,
                    code,
                },
            );
        }
    }
}
