//! What a person should see in the log of what the engine tells.

use hexlane_core::lane::Shard;
use hexlane_engine::Observation;

/// Lifecycle and recoveries, dead letters, alerts; the rest for whoever looks closer.
pub(super) fn tell(shard: Shard, observation: &Observation) {
    let shard = shard.get();
    match observation {
        Observation::Leased { epoch } => tracing::debug!(shard, epoch, "shard leased"),
        Observation::Released => tracing::debug!(shard, "shard released"),
        Observation::Fenced => tracing::warn!(shard, "fenced by a higher epoch"),
        Observation::Refused { events } => {
            tracing::warn!(
                shard,
                events,
                "the sink refused a batch; searching for the row"
            );
        }
        Observation::LookedUp { events } => {
            tracing::warn!(shard, events, "a lost answer was found by its claims");
        }
        Observation::Buried {
            destination,
            class,
            code,
        } => {
            let (destination, class) = (destination.as_str(), class.as_str());
            tracing::warn!(shard, destination, class, %code, "dead letter");
        }
        Observation::Paused { reason, code } => {
            tracing::warn!(shard, reason = reason.as_str(), %code, "shard paused");
        }
        Observation::Resumed { reason } => {
            tracing::info!(shard, reason = reason.as_str(), "shard resumed");
        }
        Observation::Alert { code } => tracing::error!(shard, %code, "alert"),
        Observation::Landed { events, took } => {
            tracing::debug!(shard, events, took_ms = took.as_millis(), "batch landed");
        }
        Observation::Fetched {
            events,
            bytes,
            pending,
        } => {
            tracing::debug!(shard, events, bytes, pending, "fetched");
        }
        Observation::Deferred { class, delay_ms } => {
            tracing::debug!(shard, class = class.as_str(), delay_ms, "deferred");
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
