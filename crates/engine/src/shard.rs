//! One shard, for as long as the engine runs: ask for its lease, work, ask again.
//!
//! One task per shard, so work of an old epoch has ended before a new one is asked for.

use crate::context::Context;
use crate::doorbell::ShardBell;
use crate::end::End;
use crate::engine::EngineError;
use crate::observer::{Observation, PauseReason};
use crate::ownership::Ownership;
use crate::pause::Pause;
use crate::settings::OUTAGE;
use crate::stores::Backends;
use crate::tenure::{Renewal, Tenure};
use hexlane_backend::Leases;
use hexlane_core::lane::Shard;
use std::sync::Arc;
use std::time::Duration;

/// Serves a shard until the engine stops.
///
/// # Errors
/// When the lease is too short to be used safely.
pub(crate) async fn serve<B: Backends>(
    context: Arc<Context<B>>,
    shard: Shard,
    bell: Arc<ShardBell>,
) -> Result<(), EngineError> {
    let mut authority = Pause::new(PauseReason::Leases);
    let mut queue_outage = Pause::new(PauseReason::Queue);
    while !context.stop.is_stopping() {
        let sent_at = context.clock.monotonic();
        // A stop during a wait is seen by the loop itself.
        let _stopped = match context
            .stores
            .leases()
            .acquire(shard, &context.settings.holder)
            .await
        {
            Ok(Some(lease)) => {
                authority.over(&context, shard);
                answered(&context, shard);
                let tenure = Tenure::new(lease, sent_at, context.settings.store_call_ms_max)?;
                match own(
                    &context,
                    Arc::new(tenure),
                    Arc::clone(&bell),
                    &mut queue_outage,
                )
                .await
                {
                    End::Stopped => return Ok(()),
                    End::FetchLost(failure) => queue_outage.after(&context, shard, &failure).await,
                    End::Fenced | End::Lapsed | End::Halted { .. } => {
                        Pause::new(PauseReason::Leases)
                            .wait(&context, &OUTAGE, None)
                            .await
                    }
                }
            }
            Ok(None) => {
                // Another holder works on it.
                authority.over(&context, shard);
                answered(&context, shard);
                context.back(shard, PauseReason::Queue);
                let poll = Duration::from_millis(context.settings.acquire_poll_ms);
                Pause::new(PauseReason::Leases)
                    .wait(&context, &OUTAGE, Some(poll))
                    .await
            }
            Err(failure) => authority.after(&context, shard, &failure).await,
        };
    }
    Ok(())
}

/// Leases, map and dead letters are one database: it answers, so what a former tenure waited
/// for is over, or is met again.
fn answered<B: Backends>(context: &Context<B>, shard: Shard) {
    context.back(shard, PauseReason::Sink);
    context.back(shard, PauseReason::DeadLetters);
}

async fn own<B: Backends>(
    context: &Arc<Context<B>>,
    tenure: Arc<Tenure>,
    bell: Arc<ShardBell>,
    queue_outage: &mut Pause,
) -> End {
    let (shard, epoch) = (tenure.lease.shard, tenure.lease.epoch.get());
    tracing::debug!(%shard, epoch, "shard held");
    context
        .observer
        .observe(shard, Observation::Leased { epoch });
    let renewal = Renewal::start(Arc::clone(context), Arc::clone(&tenure));
    let end = Ownership::new(Arc::clone(context), Arc::clone(&tenure), bell, queue_outage)
        .run()
        .await;
    drop(renewal);
    match &end {
        End::Fenced => {
            tracing::warn!(%shard, epoch, "shard dropped: another holder has it");
            context.observer.observe(shard, Observation::Fenced);
        }
        // Whatever kept the lease from being renewed is told already.
        End::Lapsed => {
            tracing::debug!(%shard, epoch, "shard dropped: its lease was not renewed in time");
            context.observer.observe(shard, Observation::Fenced);
        }
        End::Stopped | End::FetchLost(_) | End::Halted { .. } => release(context, &tenure).await,
    }
    end
}

/// A lease that cannot be given back ends by itself.
async fn release<B: Backends>(context: &Context<B>, tenure: &Tenure) {
    let shard = tenure.lease.shard;
    match context.stores.leases().release(&tenure.lease).await {
        Ok(()) => {
            tracing::debug!(%shard, "shard released");
            context.observer.observe(shard, Observation::Released);
        }
        Err(failure) => tracing::debug!(%shard, %failure, "shard not released"),
    }
}
