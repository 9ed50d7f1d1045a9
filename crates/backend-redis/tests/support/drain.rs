//! Publishing, fetching and acking, as tests of faults do it.

use super::fixture::{Place, Stores};
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{
    Credit, Delivery, Epoch, Failure, Holder, Landed, Lease, Leases, Position, Published, Queue,
    Recorded, Settlement, Sink,
};
use hexlane_core::Outcome;
use hexlane_core::lane::Shard;

/// The shard that samples are on.
pub const SHARD: Shard = Shard::new(7);

/// A credit that is never the limit.
pub const PLENTY: Credit = Credit {
    events_max: 1_000,
    bytes_max: 16 * 1024 * 1024,
};

/// A lease by hand.
pub fn lease(shard: Shard, epoch: u64) -> Lease {
    Lease {
        shard,
        holder: Holder::new("test"),
        epoch: Epoch::new(epoch),
        lease_ms: 15_000,
        expires_at_us: 0,
    }
}

/// Publishes events of those keys.
pub async fn publish(queue: &impl Queue, keys: &[&str]) -> Result<Vec<Published>, Failure> {
    let envelopes = keys.iter().map(|key| Sample::new(key).envelope());
    queue.publish(envelopes.collect()).await
}

/// Everything pending, then what is new.
pub async fn fetch_all(queue: &impl Queue, lease: &Lease) -> Vec<Delivery> {
    let mut all = Vec::new();
    loop {
        let page = queue.fetch(lease, Position::Pending, PLENTY).await.unwrap();
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    loop {
        let page = queue.fetch(lease, Position::New, PLENTY).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Event ids, in order; `lost` and `unreadable` stand for what is none.
pub fn ids(deliveries: &[Delivery]) -> Vec<String> {
    let id = |delivery: &Delivery| match delivery.body() {
        hexlane_backend::Body::Event(event) => event.event_id.clone(),
        hexlane_backend::Body::Unreadable { .. } => "unreadable".to_owned(),
        hexlane_backend::Body::Lost => "lost".to_owned(),
    };
    deliveries.iter().map(id).collect()
}

/// An ack by hand, as after a sink.
pub fn ack(delivery: Delivery) -> Settlement {
    let proof = Recorded::by_store(delivery.key(), Outcome::Applied);
    delivery.ack(proof).unwrap()
}

/// Fetches and acks until nothing is there; answers what came.
pub async fn drain(queue: &impl Queue, lease: &Lease) -> Vec<String> {
    let handed = fetch_all(queue, lease).await;
    let came = ids(&handed);
    let settlements: Vec<Settlement> = handed.into_iter().map(ack).collect();
    let settled = queue.settle(lease, settlements).await.unwrap();
    assert_eq!(settled.len(), came.len());
    came
}

/// What waits on the sample's shard: ready, in flight.
pub async fn waiting(queue: &impl Queue, shard: Shard) -> (u64, u64) {
    let backlog = queue.backlog().await.unwrap();
    let own = backlog.iter().find(|row| row.shard == shard);
    own.map_or((0, 0), |row| (row.ready, row.in_flight))
}

/// Drains through the memory sink, so that an event that comes twice has one effect.
pub async fn apply_all<P: Place>(stores: &Stores<P>, shard: Shard) -> Vec<Outcome> {
    let lease = stores.leases.acquire(shard, &Holder::new("test")).await;
    let lease = lease.unwrap().unwrap();
    let mut outcomes = Vec::new();
    let mut settlements = Vec::new();
    for delivery in fetch_all(&stores.queue, &lease).await {
        let effect = Sample::new(&delivery.key().key)
            .about(&delivery.key().key, 1)
            .effect();
        let landed = stores.map.apply(&lease, vec![effect]).await.unwrap();
        let Some(Landed::Recorded(proof)) = landed.into_iter().next() else {
            panic!("no key is reused here")
        };
        outcomes.push(proof.outcome());
        settlements.push(delivery.ack(proof).unwrap());
    }
    let settled = stores.queue.settle(&lease, settlements).await.unwrap();
    assert_eq!(settled.len(), outcomes.len());
    outcomes
}
