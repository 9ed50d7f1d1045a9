//! Reference layers: how their loads ended, and what joining with them cost.

use super::label::{Counters, ResultLabels};
use hexlane_engine::Observation;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

#[derive(Debug)]
pub(super) struct LayerMetrics {
    loads: Counters<ResultLabels>,
    joined: Counter,
    spared: Counter,
    join_time: Histogram,
}

impl LayerMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            loads: Counters::default(),
            joined: Counter::default(),
            spared: Counter::default(),
            // 0.1 ms to 1.6 s: from one point to a batch of large polygons.
            join_time: Histogram::new(exponential_buckets(0.0001, 2.0, 15)),
        };
        // At 0 from the start: an alert on the first failure needs something to rise from.
        for result in ["loaded", "failed"] {
            drop(metrics.loads.get_or_create(&ResultLabels { result }));
        }
        let help = "Loads of reference layers, the first and after each change";
        registry.register("layers_loads_ended", help, metrics.loads.clone());
        let help = "Events joined with reference layers";
        registry.register("delivery_events_joined", help, metrics.joined.clone());
        let help = "Events that had their effect and cost no join";
        registry.register("delivery_joins_spared", help, metrics.spared.clone());
        let help = "The events of one batch in the reference layers";
        let join_time = metrics.join_time.clone();
        registry.register("delivery_join_duration_seconds", help, join_time);
        metrics
    }

    pub(super) fn ended(&self, result: &'static str) {
        self.loads.get_or_create(&ResultLabels { result }).inc();
    }

    pub(super) fn observe(&self, observation: &Observation) {
        if let Observation::Joined {
            events,
            spared,
            took,
        } = observation
        {
            self.joined.inc_by(*events as u64);
            self.spared.inc_by(*spared as u64);
            self.join_time.observe(took.as_secs_f64());
        }
    }
}
