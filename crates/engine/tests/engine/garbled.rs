//! A queue that lost or garbled the bytes of some entries.

use hexlane_backend::{
    Bell, Body, Credit, Delivery, Failure, Lease, Position, Published, Queue, RawEntry, Settled,
    Settlement, ShardBacklog, StoreError, Unsettled,
};
use hexlane_core::Envelope;
use hexlane_core::envelope::EnvelopeError;
use std::sync::{Arc, Mutex};

/// What is wrong with an entry's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Damage {
    Lost,
    Garbled,
}

#[derive(Clone, Debug)]
pub(crate) struct Garbled<Q> {
    inner: Q,
    damaged: Arc<Mutex<Vec<(String, Damage)>>>,
}

impl<Q> Garbled<Q> {
    pub(crate) fn new(inner: Q) -> Self {
        Self {
            inner,
            damaged: Arc::default(),
        }
    }

    pub(crate) fn damage(&self, key: &str, damage: Damage) {
        self.damaged.lock().unwrap().push((key.to_owned(), damage));
    }

    fn through(&self, delivery: Delivery) -> Delivery {
        let damaged = self.damaged.lock().unwrap();
        let key = delivery
            .envelope()
            .map(|envelope| envelope.key.value.clone());
        let found = damaged
            .iter()
            .find(|(damaged, _)| Some(damaged) == key.as_ref());
        let body = match found {
            None => return delivery,
            Some((_, Damage::Lost)) => Body::Lost,
            Some((_, Damage::Garbled)) => Body::Unreadable {
                bytes: b"garbled".to_vec(),
                reason: EnvelopeError::Encoding("garbled".to_owned()),
            },
        };
        Delivery::new(
            delivery.receipt().clone(),
            body,
            delivery.retry().clone(),
            delivery.size_bytes(),
        )
    }
}

impl<Q: Queue> Queue for Garbled<Q> {
    fn publish(
        &self,
        envelopes: Vec<Envelope>,
    ) -> impl Future<Output = Result<Vec<Published>, Failure>> + Send {
        self.inner.publish(envelopes)
    }

    fn append(&self, entries: Vec<RawEntry>) -> impl Future<Output = Result<(), Failure>> + Send {
        self.inner.append(entries)
    }

    async fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        let deliveries = self.inner.fetch(lease, position, credit).await?;
        Ok(deliveries
            .into_iter()
            .map(|delivery| self.through(delivery))
            .collect())
    }

    fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> impl Future<Output = Result<Vec<Settled>, Unsettled>> + Send {
        self.inner.settle(lease, settlements)
    }

    fn arrived(&self, heard: Bell) -> impl Future<Output = Result<Bell, Failure>> + Send {
        self.inner.arrived(heard)
    }

    fn writable(&self) -> impl Future<Output = Result<(), Failure>> + Send {
        self.inner.writable()
    }

    fn backlog(&self) -> impl Future<Output = Result<Vec<ShardBacklog>, Failure>> + Send {
        self.inner.backlog()
    }
}
