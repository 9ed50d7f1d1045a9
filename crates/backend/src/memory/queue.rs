//! The queue in memory.

use super::lock;
use crate::clock::Clock;
use crate::delivery::{Body, Delivery, Receipt};
use crate::failure::{Code, Failure, Part, StoreError};
use crate::fence::{Admitted, Fence};
use crate::hand_over::{HandOver, ShardCount};
use crate::key::EventKey;
use crate::lease::Lease;
use crate::limits::QueueLimits;
use crate::queue::{Bell, Credit, Position, Published, Queue, RawEntry, ShardBacklog};
use crate::retry_state::RetryState;
use crate::settlement::{Settled, Settlement, Unsettled};
use hexlane_core::Envelope;
use hexlane_core::digest::Sha256Digest;
use hexlane_core::lane::{Shard, ShardMap};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// A queue in memory. Clones share it.
#[derive(Clone, Debug)]
pub struct MemoryQueue {
    clock: Arc<dyn Clock>,
    shard_map: ShardMap,
    limits: QueueLimits,
    state: Arc<Mutex<State>>,
    bell: watch::Sender<u64>,
}

#[derive(Clone, Debug, Default)]
struct State {
    log: BTreeMap<u64, Entry>,
    keys: HashMap<EventKey, SeenKey>,
    last_sequence: u64,
    fence: Fence,
    hands: HashMap<Shard, HandOver>,
    counts: BTreeMap<Shard, ShardCount>,
}

#[derive(Clone, Debug)]
struct Entry {
    shard: Shard,
    bytes: Vec<u8>,
    retry: RetryState,
    enqueued_at_us: i64,
}

#[derive(Clone, Copy, Debug)]
struct SeenKey {
    payload_sha256: Sha256Digest,
    seen_at_us: i64,
    last_sequence: u64,
}

impl MemoryQueue {
    /// An empty queue.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, shard_map: ShardMap, limits: QueueLimits) -> Self {
        Self {
            clock,
            shard_map,
            limits,
            state: Arc::default(),
            bell: watch::Sender::new(0),
        }
    }

    /// The same entries, as another process would find them after a crash.
    #[must_use]
    pub fn reopened(&self) -> Self {
        let mut state = lock(&self.state).clone();
        state.hands.clear();
        for count in state.counts.values_mut() {
            count.handed = 0;
        }
        Self {
            state: Arc::new(Mutex::new(state)),
            bell: watch::Sender::new(0),
            ..self.clone()
        }
    }

    fn put(&self, envelopes: &[Envelope]) -> Result<Vec<Published>, Failure> {
        let encoded = self.limits.admit(envelopes, self.shard_map)?;
        let now_us = self.clock.now_us();
        let mut state = lock(&self.state);
        let answers = envelopes.iter().zip(encoded);
        let answers = answers
            .map(|(envelope, bytes)| state.put(envelope, bytes, now_us))
            .collect();
        state.trim_keys(self.limits.keys_forgotten_before_us(now_us));
        Ok(answers)
    }

    fn report(&self) -> Vec<ShardBacklog> {
        let state = lock(&self.state);
        let now_us = self.clock.now_us();
        let report = |(shard, count): (&Shard, &ShardCount)| {
            let oldest = state.log.values().find(|entry| entry.shard == *shard);
            count.report(
                *shard,
                oldest.map(|entry| age_ms(now_us, entry.enqueued_at_us)),
            )
        };
        state.counts.iter().map(report).collect()
    }
}

fn age_ms(now_us: i64, since_us: i64) -> u64 {
    u64::try_from(now_us.saturating_sub(since_us) / 1_000).unwrap_or(0)
}

fn sequence(receipt: &Receipt) -> Result<u64, Failure> {
    let text = receipt.as_str();
    text.parse().map_err(|_| {
        let detail = format!("`{text}` is no receipt of this queue");
        Failure::new(Part::Queue, Code::Internal).with_detail(detail)
    })
}

impl State {
    fn put(&mut self, envelope: &Envelope, bytes: Vec<u8>, now_us: i64) -> Published {
        let key = EventKey::of(envelope);
        let seen = self.keys.get(&key).map(|seen| seen.payload_sha256);
        if seen.is_some_and(|sha| sha != envelope.payload_sha256) {
            return Published::Conflict;
        }
        self.add(envelope.shard, bytes, now_us);
        self.keys.insert(
            key,
            SeenKey {
                payload_sha256: envelope.payload_sha256,
                seen_at_us: now_us,
                last_sequence: self.last_sequence,
            },
        );
        if seen.is_some() {
            Published::Duplicate
        } else {
            Published::Enqueued
        }
    }

    fn add(&mut self, shard: Shard, bytes: Vec<u8>, now_us: i64) {
        self.last_sequence += 1;
        self.counts
            .entry(shard)
            .or_default()
            .add(bytes.len() as u64);
        let entry = Entry {
            shard,
            bytes,
            retry: RetryState::default(),
            enqueued_at_us: now_us,
        };
        self.log.insert(self.last_sequence, entry);
    }

    /// Forgets keys past their time of which nothing waits.
    fn trim_keys(&mut self, before_us: i64) {
        let oldest = self
            .log
            .first_key_value()
            .map_or(u64::MAX, |(sequence, _)| *sequence);
        self.keys
            .retain(|_, seen| seen.seen_at_us >= before_us || seen.last_sequence >= oldest);
    }

    fn admit(&mut self, lease: &Lease) -> Result<(), StoreError> {
        if self.fence.admit(lease)? == Admitted::Installed {
            self.hands
                .insert(lease.shard, HandOver::begin(self.last_sequence));
            self.counts.entry(lease.shard).or_default().handed = 0;
        }
        Ok(())
    }

    fn fetch(
        &mut self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.admit(lease)?;
        let last_sequence = self.last_sequence;
        let hand = self
            .hands
            .entry(lease.shard)
            .or_insert_with(|| HandOver::begin(last_sequence));
        let Some(range) = hand.next(position).filter(|_| credit.events_max > 0) else {
            return Ok(Vec::new());
        };
        let mut taken = credit.meter();
        let mut last = None;
        let mut deliveries = Vec::new();
        let entries = if range.is_empty() {
            self.log.range(0..0)
        } else {
            self.log.range(range)
        };
        for (sequence, entry) in entries.filter(|(_, entry)| entry.shard == lease.shard) {
            if !taken.admits(entry.bytes.len()) {
                break;
            }
            last = Some(*sequence);
            deliveries.push(entry.hand_over(*sequence));
        }
        hand.note(position, last);
        let count = self.counts.entry(lease.shard).or_default();
        count.handed += deliveries.len() as u64;
        Ok(deliveries)
    }

    fn settle(&mut self, lease: &Lease, settlements: &[Settlement]) -> Result<(), StoreError> {
        self.admit(lease)?;
        let sequences = settlements.iter().map(|each| sequence(each.receipt()));
        let sequences = sequences.collect::<Result<Vec<u64>, Failure>>()?;
        for (settlement, sequence) in settlements.iter().zip(sequences) {
            match settlement.deferral() {
                Some(retry) => {
                    if let Some(entry) = self.log.get_mut(&sequence) {
                        entry.retry = retry.clone().bounded();
                    }
                }
                None => {
                    if let Some(entry) = self.log.remove(&sequence) {
                        self.counts
                            .entry(entry.shard)
                            .or_default()
                            .remove(entry.bytes.len() as u64);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Entry {
    fn hand_over(&self, sequence: u64) -> Delivery {
        Delivery::new(
            Receipt::new(sequence.to_string()),
            Body::decode(self.bytes.clone()),
            self.retry.clone(),
            self.bytes.len(),
        )
    }
}

impl Queue for MemoryQueue {
    async fn publish(&self, envelopes: Vec<Envelope>) -> Result<Vec<Published>, Failure> {
        let answers = self.put(&envelopes)?;
        self.bell.send_modify(|rung| *rung += 1);
        Ok(answers)
    }

    async fn append(&self, entries: Vec<RawEntry>) -> Result<(), Failure> {
        self.limits.admit_raw(&entries, self.shard_map)?;
        let now_us = self.clock.now_us();
        let mut state = lock(&self.state);
        for entry in entries {
            state.add(entry.shard, entry.bytes, now_us);
        }
        drop(state);
        self.bell.send_modify(|rung| *rung += 1);
        Ok(())
    }

    async fn fetch(
        &self,
        lease: &Lease,
        position: Position,
        credit: Credit,
    ) -> Result<Vec<Delivery>, StoreError> {
        lock(&self.state).fetch(lease, position, credit)
    }

    async fn settle(
        &self,
        lease: &Lease,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>, Unsettled> {
        match lock(&self.state).settle(lease, &settlements) {
            Ok(()) => Ok(settlements.into_iter().map(Settlement::settle).collect()),
            Err(error) => Err(Unsettled { settlements, error }),
        }
    }

    async fn arrived(&self, heard: Bell) -> Result<Bell, Failure> {
        let mut bell = self.bell.subscribe();
        let rung = bell.wait_for(|rung| *rung > heard.0).await;
        rung.map(|rung| Bell(*rung))
            .map_err(|_| Failure::new(Part::Queue, Code::Stopped))
    }

    async fn writable(&self) -> Result<(), Failure> {
        Ok(())
    }

    async fn backlog(&self) -> Result<Vec<ShardBacklog>, Failure> {
        Ok(self.report())
    }
}
