//! Limits that every queue has, named with their units, and how a call is held to them.

use crate::failure::{Code, Failure, Part};
use crate::queue::{Credit, RawEntry};
use hexlane_core::Envelope;
use hexlane_core::lane::ShardMap;

/// What a queue takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Largest encoded envelope: larger payloads travel as pointers.
    pub envelope_bytes_max: usize,
    /// Most envelopes in one call: one request's features.
    pub publish_events_max: usize,
    /// How long a key and its payload digest are known after they were last seen.
    pub key_retention_ms: u64,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            envelope_bytes_max: 256 * 1024,
            publish_events_max: 1_000,
            key_retention_ms: 24 * 60 * 60 * 1_000,
        }
    }
}

impl QueueLimits {
    /// The encoded envelopes, when the call is within the limits and of that shard map.
    ///
    /// # Errors
    /// Never: too many, too large, or of another shard map.
    pub fn admit(
        &self,
        envelopes: &[Envelope],
        shard_map: ShardMap,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        self.admit_count(envelopes.len())?;
        envelopes
            .iter()
            .map(|envelope| self.encode(envelope, shard_map))
            .collect()
    }

    /// Whether raw entries are within the limits and of that shard map.
    ///
    /// # Errors
    /// Never: too many, too large, or of a shard that is not there.
    pub fn admit_raw(&self, entries: &[RawEntry], shard_map: ShardMap) -> Result<(), Failure> {
        self.admit_count(entries.len())?;
        for entry in entries {
            if entry.shard.get() >= shard_map.shards() {
                return Err(Failure::new(Part::Queue, Code::ShardMapMismatch));
            }
            self.admit_size(entry.bytes.len())?;
        }
        Ok(())
    }

    fn admit_count(&self, entries: usize) -> Result<(), Failure> {
        if entries <= self.publish_events_max {
            return Ok(());
        }
        let told = format!("{entries} envelopes, at most {}", self.publish_events_max);
        Err(Failure::new(Part::Queue, Code::BatchTooLarge).with_detail(told))
    }

    fn admit_size(&self, bytes: usize) -> Result<(), Failure> {
        if bytes <= self.envelope_bytes_max {
            return Ok(());
        }
        let told = format!("{bytes} bytes, at most {}", self.envelope_bytes_max);
        Err(Failure::new(Part::Queue, Code::EnvelopeTooLarge).with_detail(told))
    }

    fn encode(&self, envelope: &Envelope, shard_map: ShardMap) -> Result<Vec<u8>, Failure> {
        if envelope.shard_map != shard_map || envelope.shard.get() >= shard_map.shards() {
            return Err(
                Failure::new(Part::Queue, Code::ShardMapMismatch).with_detail(format!(
                    "envelope of {} shards, queue of {}",
                    envelope.shard_map.shards(),
                    shard_map.shards()
                )),
            );
        }
        let bytes = envelope.encode();
        self.admit_size(bytes.len())?;
        Ok(bytes)
    }

    /// Keys last seen before that are forgotten.
    #[must_use]
    pub fn keys_forgotten_before_us(&self, now_us: i64) -> i64 {
        let retention_us = self.key_retention_ms.saturating_mul(1_000);
        now_us.saturating_sub(i64::try_from(retention_us).unwrap_or(i64::MAX))
    }
}

impl Credit {
    /// Counts entries against this credit.
    #[must_use]
    pub const fn meter(self) -> CreditMeter {
        CreditMeter {
            credit: self,
            events: 0,
            bytes: 0,
        }
    }
}

/// How much of a credit is spent.
#[derive(Clone, Copy, Debug)]
pub struct CreditMeter {
    credit: Credit,
    events: usize,
    bytes: usize,
}

impl CreditMeter {
    /// Whether an entry of that size still fits; counts it when it does. The first always
    /// fits, unless no entry may be had at all.
    pub const fn admits(&mut self, size_bytes: usize) -> bool {
        let bytes = self.bytes.saturating_add(size_bytes);
        let fits = self.events == 0 || bytes <= self.credit.bytes_max;
        if self.events >= self.credit.events_max || !fits {
            return false;
        }
        self.events += 1;
        self.bytes = bytes;
        true
    }
}
