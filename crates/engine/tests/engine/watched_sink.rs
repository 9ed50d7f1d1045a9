//! A sink that is watched: what it committed, when, and what it was told to refuse.

use hexlane_backend::memory::MemoryMap;
use hexlane_backend::{ClaimQuery, Code, Failure, Landed, Lease, Part, Sink, StoreError};
use hexlane_core::Outcome;
use hexlane_core::effect::Effect;
use hexlane_core::lane::Shard;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A row that committed.
#[derive(Clone, Debug)]
pub(crate) struct Commit {
    pub(crate) lane: String,
    pub(crate) key: String,
    /// None for a conflict.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) epoch: u64,
    /// Which apply it was in.
    pub(crate) apply: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) applies: usize,
    pub(crate) applies_at_once_max: usize,
    pub(crate) commits: Vec<Commit>,
    in_flight: HashMap<Shard, HashSet<usize>>,
    lanes_in_flight: HashMap<String, usize>,
    pub(crate) lane_overlaps: usize,
    refusals: HashMap<String, (Code, u32)>,
}

#[derive(Clone, Debug)]
pub(crate) struct WatchedSink {
    inner: MemoryMap,
    log: Arc<Mutex<Log>>,
}

impl WatchedSink {
    pub(crate) fn new(inner: MemoryMap) -> Self {
        Self {
            inner,
            log: Arc::default(),
        }
    }

    /// Every batch with that key is refused so, that many times.
    pub(crate) fn refuse(&self, key: &str, code: Code, times: u32) {
        self.log().refusals.insert(key.to_owned(), (code, times));
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap()
    }

    fn refusal(&self, effects: &[Effect]) -> Option<Code> {
        let mut log = self.log();
        for effect in effects {
            if let Some((code, times)) = log.refusals.get_mut(&effect.envelope.key.value)
                && *times > 0
            {
                *times -= 1;
                return Some(*code);
            }
        }
        None
    }
}

/// Counts a call out again when it ends or is dropped.
struct InFlight<'a> {
    sink: &'a WatchedSink,
    shard: Shard,
    apply: usize,
    lanes: HashSet<String>,
}

impl<'a> InFlight<'a> {
    fn begin(sink: &'a WatchedSink, shard: Shard, effects: &[Effect]) -> Self {
        let lanes: HashSet<String> = effects
            .iter()
            .map(|effect| effect.envelope.lane_key.as_str().to_owned())
            .collect();
        let mut log = sink.log();
        log.applies += 1;
        let apply = log.applies;
        let shard_calls = log.in_flight.entry(shard).or_default();
        shard_calls.insert(apply);
        let at_once = shard_calls.len();
        log.applies_at_once_max = log.applies_at_once_max.max(at_once);
        for lane in &lanes {
            let calls = log.lanes_in_flight.entry(lane.clone()).or_default();
            *calls += 1;
            let overlaps = usize::from(*calls > 1);
            log.lane_overlaps += overlaps;
        }
        Self {
            sink,
            shard,
            apply,
            lanes,
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let mut log = self.sink.log();
        log.in_flight
            .entry(self.shard)
            .or_default()
            .remove(&self.apply);
        for lane in &self.lanes {
            *log.lanes_in_flight.entry(lane.clone()).or_default() -= 1;
        }
    }
}

impl Sink for WatchedSink {
    async fn apply(&self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        let call = InFlight::begin(self, lease.shard, &effects);
        tokio::time::sleep(Duration::from_millis(1)).await;
        if let Some(code) = self.refusal(&effects) {
            return Err(Failure::new(Part::Sink, code).into());
        }
        let names: Vec<(String, String)> = effects
            .iter()
            .map(|effect| {
                (
                    effect.envelope.lane_key.as_str().to_owned(),
                    effect.envelope.key.value.clone(),
                )
            })
            .collect();
        let landed = self.inner.apply(lease, effects).await?;
        for ((lane, key), landed) in names.into_iter().zip(&landed) {
            let outcome = match landed {
                Landed::Recorded(proof) => Some(proof.outcome()),
                Landed::Conflict => None,
            };
            let epoch = lease.epoch.get();
            self.log().commits.push(Commit {
                lane,
                key,
                outcome,
                epoch,
                apply: call.apply,
            });
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(landed)
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        self.inner.lookup(claims).await
    }
}
