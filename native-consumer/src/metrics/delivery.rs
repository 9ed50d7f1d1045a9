//! What the engine tells, counted.

use super::label::{CodeLabels, Counters, DeadLabels, DeferredLabels, OutcomeLabels, ReasonLabels};
use super::tell::tell;
use hexlane_core::Outcome;
use hexlane_core::lane::Shard;
use hexlane_engine::{Observation, PauseReason};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(super) struct DeliveryMetrics {
    settled: Counters<OutcomeLabels>,
    buried: Counters<DeadLabels>,
    deferred: Counters<DeferredLabels>,
    retry_delay: Histogram,
    ack_latency: Histogram,
    apply_time: Histogram,
    refused: Counter,
    looked_up: Counter,
    leased: Counter,
    fenced: Counter,
    pauses: Counters<ReasonLabels>,
    alerts: Counters<CodeLabels>,
    paused: Mutex<BTreeSet<(Shard, PauseReason)>>,
}

impl DeliveryMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            settled: Counters::default(),
            buried: Counters::default(),
            deferred: Counters::default(),
            // 1 ms to 65 s, and 0.1 s to 15 min: about what each can come to.
            ack_latency: Histogram::new(exponential_buckets(0.001, 2.0, 17)),
            apply_time: Histogram::new(exponential_buckets(0.001, 2.0, 14)),
            retry_delay: Histogram::new(exponential_buckets(0.1, 2.0, 14)),
            refused: Counter::default(),
            looked_up: Counter::default(),
            leased: Counter::default(),
            fenced: Counter::default(),
            pauses: Counters::default(),
            alerts: Counters::default(),
            paused: Mutex::default(),
        };
        for outcome in Outcome::ALL {
            let outcome = outcome.as_str();
            drop(metrics.settled.get_or_create(&OutcomeLabels { outcome }));
        }
        metrics.enter(registry);
        metrics
    }

    fn enter(&self, registry: &mut Registry) {
        let mut enter =
            |name, help, counter: &Counter| registry.register(name, help, counter.clone());
        enter(
            "delivery_batches_refused",
            "Batches searched for a bad row",
            &self.refused,
        );
        enter(
            "delivery_commits_looked_up",
            "Lost answers found by claims",
            &self.looked_up,
        );
        enter("delivery_shards_leased", "Leases taken", &self.leased);
        enter(
            "delivery_operations_fenced",
            "Higher epochs met",
            &self.fenced,
        );
        registry.register(
            "delivery_events_settled",
            "Events by outcome",
            self.settled.clone(),
        );
        registry.register(
            "delivery_events_buried",
            "Dead letters",
            self.buried.clone(),
        );
        registry.register(
            "delivery_attempts_deferred",
            "Retries",
            self.deferred.clone(),
        );
        registry.register(
            "delivery_shards_paused",
            "Pauses of shards",
            self.pauses.clone(),
        );
        registry.register(
            "delivery_alerts_raised",
            "An operator is needed",
            self.alerts.clone(),
        );
        let mut enter = |name, help, histogram: &Histogram| {
            registry.register(name, help, histogram.clone());
        };
        enter(
            "delivery_ack_latency_seconds",
            "From fetch to ack",
            &self.ack_latency,
        );
        enter(
            "delivery_apply_duration_seconds",
            "One batch in the sink",
            &self.apply_time,
        );
        enter(
            "delivery_retry_delay_seconds",
            "Waits drawn",
            &self.retry_delay,
        );
    }

    pub(super) fn paused(&self) -> BTreeMap<&'static str, usize> {
        let mut reasons = BTreeMap::new();
        let paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, reason) in paused.iter() {
            *reasons.entry(reason.as_str()).or_insert(0) += 1;
        }
        reasons
    }

    pub(super) fn observe(&self, shard: Shard, observation: &Observation) {
        self.count(observation);
        self.note_pause(shard, observation);
        tell(shard, observation);
    }

    fn count(&self, observation: &Observation) {
        match observation {
            Observation::Leased { .. } => drop(self.leased.inc()),
            Observation::Fenced => drop(self.fenced.inc()),
            Observation::Refused { .. } => drop(self.refused.inc()),
            Observation::LookedUp { .. } => drop(self.looked_up.inc()),
            Observation::Landed { took, .. } => self.apply_time.observe(took.as_secs_f64()),
            Observation::Buried {
                destination, class, ..
            } => {
                let (destination, class) = (destination.as_str(), class.as_str());
                self.buried
                    .get_or_create(&DeadLabels { destination, class })
                    .inc();
            }
            Observation::Deferred {
                class,
                stage,
                delay_ms,
            } => {
                let (class, stage) = (class.as_str(), stage.as_str());
                self.deferred
                    .get_or_create(&DeferredLabels { class, stage })
                    .inc();
                let delay = std::time::Duration::from_millis(*delay_ms);
                self.retry_delay.observe(delay.as_secs_f64());
            }
            Observation::Acked { outcome, latency } => {
                let outcome = outcome.as_str();
                self.settled.get_or_create(&OutcomeLabels { outcome }).inc();
                self.ack_latency.observe(latency.as_secs_f64());
            }
            Observation::Paused { reason, .. } => {
                let reason = reason.as_str();
                self.pauses.get_or_create(&ReasonLabels { reason }).inc();
            }
            Observation::Alert { code } => self.alert(code.to_string()),
            Observation::Released
            | Observation::Joined { .. }
            | Observation::Fetched { .. }
            | Observation::Held { .. }
            | Observation::Resumed { .. } => {}
        }
    }

    pub(super) fn alert(&self, code: String) {
        self.alerts.get_or_create(&CodeLabels { code }).inc();
    }

    fn note_pause(&self, shard: Shard, observation: &Observation) {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Observation::Paused { reason, .. } = observation {
            paused.insert((shard, *reason));
        } else if let Observation::Resumed { reason } = observation {
            paused.remove(&(shard, *reason));
        }
    }
}
