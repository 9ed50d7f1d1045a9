//! Waiting for something that is away: longer each time, by chance, and never past a stop.

use crate::context::Context;
use crate::end::End;
use crate::observer::PauseReason;
use crate::stores::Backends;
use hexlane_backend::{Failure, FailureKind};
use hexlane_core::lane::Shard;
use hexlane_delivery::RetryPolicy;
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
        context.away(shard, self.reason, failure);
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
        context.back(shard, self.reason);
        self.count = 0;
    }
}
