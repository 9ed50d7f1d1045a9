//! What waits, asked of the stores at the moment of a scrape.

use super::PREFIX;
use super::label::{DeadLabels, ShardLabels};
use hexlane_backend::{DeadLetters, Queue};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;

type Gauges<L> = Family<L, Gauge<u64, AtomicU64>>;
type Seconds<L> = Family<L, Gauge<f64, AtomicU64>>;

/// The gauges of this moment. A store that does not answer leaves its gauges out: an old
/// number would be worse than none.
pub(super) async fn registry(queue: &impl Queue, dead_letters: &impl DeadLetters) -> Registry {
    let mut registry = Registry::with_prefix(PREFIX);
    let (ready, in_flight, bytes) = (Gauges::default(), Gauges::default(), Gauges::default());
    let (age, open) = (Seconds::default(), Gauges::default());
    for waiting in queue.backlog().await.unwrap_or_default() {
        let labels = ShardLabels {
            shard: waiting.shard.get(),
        };
        ready.get_or_create(&labels).set(waiting.ready);
        in_flight.get_or_create(&labels).set(waiting.in_flight);
        bytes.get_or_create(&labels).set(waiting.bytes);
        let age_s = std::time::Duration::from_millis(waiting.oldest_age_ms.unwrap_or(0));
        age.get_or_create(&labels).set(age_s.as_secs_f64());
    }
    for count in dead_letters.count().await.unwrap_or_default() {
        let (destination, class) = (count.destination.as_str(), count.class.as_str());
        open.get_or_create(&DeadLabels { destination, class })
            .set(count.open);
    }
    registry.register("queue_ready_events", "Waiting, not handed out", ready);
    registry.register("queue_in_flight_events", "Handed out, not acked", in_flight);
    registry.register("queue_waiting_bytes", "Encoded size of what waits", bytes);
    registry.register(
        "queue_oldest_age_seconds",
        "Age of the oldest that waits",
        age,
    );
    registry.register("dead_letters_open_events", "Open dead letters", open);
    registry
}
