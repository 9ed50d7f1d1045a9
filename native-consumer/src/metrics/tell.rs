//! What of the engine's observations is logged here: those that it does not log itself. Each
//! lease, pause, alert and dead letter stands in its own log, with more than it tells.

use hexlane_core::lane::Shard;
use hexlane_engine::Observation;

/// Recoveries; batches and events for whoever looks closer.
pub(super) fn tell(shard: Shard, observation: &Observation) {
    let shard = shard.get();
    match observation {
        Observation::Leased { .. }
        | Observation::Released
        | Observation::Fenced
        | Observation::Buried { .. }
        | Observation::Paused { .. }
        | Observation::Resumed { .. }
        | Observation::Alert { .. } => {}
        Observation::Refused { events } => {
            tracing::debug!(
                shard,
                events,
                "the sink refused a batch; searching for the row"
            );
        }
        Observation::LookedUp { events } => {
            tracing::warn!(shard, events, "a lost answer was found by its claims");
        }
        Observation::Landed { events, took } => {
            tracing::debug!(shard, events, took_ms = took.as_millis(), "batch landed");
        }
        Observation::Joined {
            events,
            spared,
            took,
        } => {
            tracing::debug!(shard, events, spared, took_ms = took.as_millis(), "joined");
        }
        Observation::Fetched {
            events,
            bytes,
            pending,
        } => {
            tracing::debug!(shard, events, bytes, pending, "fetched");
        }
        Observation::Deferred {
            class,
            stage,
            delay_ms,
        } => {
            let (class, stage) = (class.as_str(), stage.as_str());
            tracing::debug!(shard, class, stage, delay_ms, "deferred");
        }
        Observation::Acked { outcome, .. } => {
            tracing::trace!(shard, outcome = outcome.as_str(), "acked");
        }
        Observation::Held {
            events,
            in_flight,
            parked_keys,
        } => {
            tracing::trace!(shard, events, in_flight, parked_keys, "held");
        }
    }
}
