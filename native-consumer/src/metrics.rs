//! What is counted since the start, for Prometheus. Names and labels that dashboards read
//! come from enums; no cell, key or source is a label.

mod backlog;
mod delivery;
mod intake;
mod label;
mod layers;
mod tell;

use self::backlog::BacklogMetrics;
use self::delivery::DeliveryMetrics;
use self::intake::IntakeMetrics;
use self::layers::LayerMetrics;
use hexlane_backend::{DeadLetters, Queue};
use hexlane_core::lane::Shard;
use hexlane_door::{Answer, Enqueued};
use hexlane_engine::{Observation, Observer};
use prometheus_client::encoding::prometheus_text;
use prometheus_client::registry::Registry;
use std::collections::BTreeMap;

/// Before every name.
const PREFIX: &str = "hexlane";

/// Everything that is counted.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    intake: IntakeMetrics,
    delivery: DeliveryMetrics,
    backlog: BacklogMetrics,
    layers: LayerMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        Self {
            intake: IntakeMetrics::register(&mut registry),
            delivery: DeliveryMetrics::register(&mut registry),
            backlog: BacklogMetrics::register(&mut registry),
            layers: LayerMetrics::register(&mut registry),
            registry,
        }
    }
}

impl Metrics {
    /// Counts an answer of the intake, and the violations it tells.
    pub fn intake_answered(&self, answer: &Answer) {
        self.intake.answered(answer);
    }

    /// Counts an answer of the relay.
    pub fn relay_answered(&self, answer: &Answer) {
        self.intake.relay_answered(answer);
    }

    /// Counts what the queue said.
    pub fn enqueued(&self, said: &[Enqueued]) {
        self.intake.enqueued(said);
    }

    /// Counts a reference layer that was loaded.
    pub fn layer_loaded(&self) {
        self.layers.ended("loaded");
    }

    /// Counts a load of a reference layer that failed.
    pub fn layer_load_failed(&self) {
        self.layers.ended("failed");
    }

    /// Counts an alert that is not of a shard.
    pub fn alert(&self, code: &'static str) {
        self.delivery.alert(code.to_owned());
    }

    /// What shards wait for now, by reason: how many.
    #[must_use]
    pub fn paused(&self) -> BTreeMap<&'static str, usize> {
        self.delivery.paused()
    }

    /// Everything as Prometheus text, the backlog asked for now.
    pub async fn scrape(&self, queue: &impl Queue, dead_letters: &impl DeadLetters) -> String {
        let mut text = String::new();
        let waiting = self.backlog.read(queue, dead_letters).await;
        for registry in [&self.registry, &waiting] {
            if prometheus_text::encode(&mut text, registry).is_err() {
                tracing::error!("metrics could not be written");
            }
        }
        text
    }
}

impl Observer for Metrics {
    fn observe(&self, shard: Shard, observation: Observation) {
        self.layers.observe(&observation);
        self.delivery.observe(shard, &observation);
    }
}
