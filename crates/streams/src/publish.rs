//! Publishing: envelopes to one call of the script for each shard.

use crate::names::{GROUP, Layout, ShardKeys};
use crate::script::{Call, Script};
use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::lane::Shard;
use std::collections::BTreeMap;

/// How long a key and its payload's digest are known after they were last seen, unless a
/// setting says otherwise: a day.
pub const KEY_RETENTION_MS_DEFAULT: u64 = 24 * 60 * 60 * 1_000;

/// Bytes of a key's id and of a payload's digest as they are stored: half of a SHA-256. Two
/// that meet by chance are not to be expected, and a key costs memory for a day.
const STORED_BYTES: usize = 16;

/// The script, and the code that calls it. Make one and keep it.
#[derive(Clone, Debug)]
pub struct Publish {
    script: Script,
}

/// When it is, and which keys are past their time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The writer's clock, µs since 1970.
    pub now_us: i64,
    /// Keys last seen before that are forgotten, unless their entry waits.
    pub keys_forgotten_before_us: i64,
}

impl Terms {
    /// At that time, with that retention.
    #[must_use]
    pub fn at(now_us: i64, key_retention_ms: u64) -> Self {
        let retention_us = i64::try_from(key_retention_ms.saturating_mul(1_000));
        Self {
            now_us,
            keys_forgotten_before_us: now_us.saturating_sub(retention_us.unwrap_or(i64::MAX)),
        }
    }
}

/// The envelopes of one shard, as one call: all of them or none.
#[derive(Clone, Debug)]
pub struct Batch {
    /// The shard.
    pub shard: Shard,
    /// Its keys; [`ShardKeys::slot`] says where in a cluster.
    pub keys: ShardKeys,
    /// Which envelopes of the input, in order; the answer has one word for each.
    pub positions: Vec<usize>,
    /// What to send.
    pub call: Call,
}

impl Publish {
    /// The script and its digest.
    #[must_use]
    pub fn new() -> Self {
        Self {
            script: Script::new(include_str!("publish.lua")),
        }
    }

    /// The script.
    #[must_use]
    pub const fn script(&self) -> &Script {
        &self.script
    }

    /// One batch for each shard, by shard number; within a shard in the order given.
    /// `encoded` is what [`Envelope::encode`] gives, or that again.
    #[must_use]
    pub fn batches<'a>(
        &self,
        layout: &Layout,
        terms: Terms,
        envelopes: impl IntoIterator<Item = (&'a Envelope, Vec<u8>)>,
    ) -> Vec<Batch> {
        let mut batches: BTreeMap<Shard, Batch> = BTreeMap::new();
        for (position, (envelope, encoded)) in envelopes.into_iter().enumerate() {
            let batch = batches
                .entry(envelope.shard)
                .or_insert_with(|| self.begin(layout, terms, envelope.shard));
            batch.positions.push(position);
            batch
                .call
                .push(key_id(&envelope.source, &envelope.key.value));
            batch.call.push(&envelope.payload_sha256[..STORED_BYTES]);
            batch.call.push(encoded);
        }
        batches.into_values().collect()
    }

    /// The same for bytes that are put on their shards as they are: no key is asked for and
    /// none is remembered.
    #[must_use]
    pub fn raw_batches(
        &self,
        layout: &Layout,
        terms: Terms,
        entries: impl IntoIterator<Item = (Shard, Vec<u8>)>,
    ) -> Vec<Batch> {
        let mut batches: BTreeMap<Shard, Batch> = BTreeMap::new();
        for (position, (shard, bytes)) in entries.into_iter().enumerate() {
            let batch = batches
                .entry(shard)
                .or_insert_with(|| self.begin(layout, terms, shard));
            batch.positions.push(position);
            batch.call.push(Vec::new());
            batch.call.push(Vec::new());
            batch.call.push(bytes);
        }
        batches.into_values().collect()
    }

    fn begin(&self, layout: &Layout, terms: Terms, shard: Shard) -> Batch {
        let keys = layout.keys(shard);
        let names = [&keys.stream, &keys.own, &keys.keys, &keys.keys_old];
        let call = self
            .script
            .call(names.map(String::as_str))
            .with(GROUP)
            .with(layout.shard_map().shards().to_string())
            .with(terms.now_us.to_string())
            .with(terms.keys_forgotten_before_us.to_string());
        Batch {
            shard,
            keys,
            positions: Vec::new(),
            call,
        }
    }
}

impl Default for Publish {
    fn default() -> Self {
        Self::new()
    }
}

/// The stored name of an idempotency key: first half of SHA-256 over the source's length,
/// the source and the key.
fn key_id(source: &str, key: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 + source.len() + key.len());
    bytes.extend_from_slice(&(source.len() as u64).to_be_bytes());
    bytes.extend_from_slice(source.as_bytes());
    bytes.extend_from_slice(key.as_bytes());
    sha256(&bytes)[..STORED_BYTES].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_bytes_go_by_shard_in_their_order() {
        let entries = [(3, "a"), (5, "b"), (3, "a"), (3, "c")];
        let entries = entries.map(|(shard, text)| (Shard::new(shard), text.as_bytes().to_vec()));
        let terms = Terms::at(0, 0);
        let batches = Publish::new().raw_batches(&Layout::default(), terms, entries);
        let positions: Vec<_> = batches.iter().map(|batch| &batch.positions[..]).collect();
        assert_eq!(positions, [&[0, 2, 3][..], &[1]]);
    }

    #[test]
    fn source_and_key_do_not_run_into_each_other() {
        assert_ne!(key_id("ab", "c"), key_id("a", "bc"));
    }

    #[test]
    fn the_stored_form_never_changes() {
        let hex = hexlane_core::digest::hex(&key_id("fleet", "e-1"));
        assert_eq!(hex, "69b420e7a6ebac08de34d1fd689db048");
    }

    #[test]
    fn retention_never_underflows() {
        let terms = Terms::at(5, u64::MAX);
        assert!(terms.keys_forgotten_before_us < 0);
    }
}
