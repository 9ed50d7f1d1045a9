//! What waits, asked of the stores at the moment of a scrape.

use super::PREFIX;
use super::label::{Counters, DeadLabels, ShardLabels, StoreLabels};
use hexlane_backend::{DeadCount, DeadLetters, Failure, Queue, ShardBacklog};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

type Gauges<L> = Family<L, Gauge<u64, AtomicU64>>;
type Seconds<L> = Family<L, Gauge<f64, AtomicU64>>;

/// The stores that are asked.
#[derive(Clone, Copy, Debug)]
enum Store {
    Queue,
    DeadLetters,
}

impl Store {
    const ALL: [Self; 2] = [Self::Queue, Self::DeadLetters];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::DeadLetters => "dead_letters",
        }
    }
}

/// How often a store did not say what waits.
#[derive(Debug)]
pub(super) struct BacklogMetrics {
    failed: Counters<StoreLabels>,
}

impl BacklogMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let failed = Counters::<StoreLabels>::default();
        // At 0 from the start: an alert on the first failure needs something to rise from.
        for store in Store::ALL {
            drop(failed.get_or_create(&labels(store)));
        }
        let help = "Scrapes that a store did not answer: its gauges are left out";
        registry.register("backlog_reads_failed", help, failed.clone());
        Self { failed }
    }

    /// The gauges of this moment. A store that fails leaves its gauges out, for an old number
    /// would be worse than none, and is counted and logged.
    pub(super) async fn read(
        &self,
        queue: &impl Queue,
        dead_letters: &impl DeadLetters,
    ) -> Registry {
        let mut registry = Registry::with_prefix(PREFIX);
        let waiting = self.told(Store::Queue, queue.backlog().await);
        register_waiting(&mut registry, &waiting);
        let open = self.told(Store::DeadLetters, dead_letters.count().await);
        register_open(&mut registry, &open);
        registry
    }

    fn told<T>(&self, store: Store, said: Result<Vec<T>, Failure>) -> Vec<T> {
        said.unwrap_or_else(|failure| {
            let (store_name, code) = (store.as_str(), failure.code.as_str());
            tracing::warn!(store = store_name, code, %failure, "backlog not read");
            self.failed.get_or_create(&labels(store)).inc();
            Vec::new()
        })
    }
}

const fn labels(store: Store) -> StoreLabels {
    StoreLabels {
        store: store.as_str(),
    }
}

fn register_waiting(registry: &mut Registry, waiting: &[ShardBacklog]) {
    let (ready, in_flight, bytes) = (Gauges::default(), Gauges::default(), Gauges::default());
    let age = Seconds::default();
    for waiting in waiting {
        let labels = ShardLabels {
            shard: waiting.shard.get(),
        };
        ready.get_or_create(&labels).set(waiting.ready);
        in_flight.get_or_create(&labels).set(waiting.in_flight);
        bytes.get_or_create(&labels).set(waiting.bytes);
        let oldest = Duration::from_millis(waiting.oldest_age_ms.unwrap_or(0));
        age.get_or_create(&labels).set(oldest.as_secs_f64());
    }
    registry.register("queue_ready_events", "Waiting, not handed out", ready);
    registry.register("queue_in_flight_events", "Handed out, not acked", in_flight);
    registry.register("queue_waiting_bytes", "Encoded size of what waits", bytes);
    let help = "Age of the oldest that waits";
    registry.register("queue_oldest_age_seconds", help, age);
}

fn register_open(registry: &mut Registry, counts: &[DeadCount]) {
    let open = Gauges::default();
    for count in counts {
        let (destination, class) = (count.destination.as_str(), count.class.as_str());
        open.get_or_create(&DeadLabels { destination, class })
            .set(count.open);
    }
    registry.register("dead_letters_open_events", "Open dead letters", open);
}
