//! Everything an engine needs, in memory and in virtual time, under one fault plan.

use crate::event::{Form, START_US, event, number_of};
use crate::garbled::Garbled;
use crate::tally::Tally;
use crate::watched_sink::WatchedSink;
use hexlane_backend::fault::{FaultPlan, Faulty};
use hexlane_backend::limits::QueueLimits;
use hexlane_backend::memory::{MemoryLeases, MemoryMap, MemoryQueue};
use hexlane_backend::{Clock, DeadLetters, EventKey, Holder, Queue, StoredDeadLetter};
use hexlane_core::lane::ShardMap;
use hexlane_core::{Envelope, Outcome};
use hexlane_engine::{
    CoreReader, Engine, EngineError, EngineSettings, Join, SeededChance, StopHandle, Stopped,
    Stores, Unjoined, stop_pair,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

pub(crate) const LEASE_MS: u64 = 15_000;

/// Follows tokio's time, which stands still in tests until everything waits.
#[derive(Debug)]
pub(crate) struct VirtualClock {
    start: Instant,
    stepped_us: AtomicI64,
}

impl VirtualClock {
    /// The wall clock jumps; monotonic time does not.
    pub(crate) fn step(&self, by_us: i64) {
        self.stepped_us.fetch_add(by_us, Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now_us(&self) -> i64 {
        let passed_us = i64::try_from(self.monotonic().as_micros()).unwrap();
        START_US + passed_us + self.stepped_us.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

type WorldStores = Stores<
    Faulty<MemoryLeases>,
    Faulty<Garbled<MemoryQueue>>,
    Faulty<WatchedSink>,
    Faulty<MemoryMap>,
>;

pub(crate) struct World {
    pub(crate) shard_map: ShardMap,
    pub(crate) clock: Arc<VirtualClock>,
    pub(crate) plan: FaultPlan,
    pub(crate) map: MemoryMap,
    pub(crate) sink: WatchedSink,
    pub(crate) queue: Garbled<MemoryQueue>,
    pub(crate) tally: Arc<Tally>,
    pub(crate) settings: EngineSettings,
    pub(crate) published: Vec<String>,
    pub(crate) seed: u64,
    pub(crate) join: Arc<dyn Join>,
    stores: WorldStores,
}

pub(crate) struct Running {
    pub(crate) stop: StopHandle,
    pub(crate) task: JoinHandle<Result<Stopped, EngineError>>,
}

impl Running {
    /// The process dies.
    pub(crate) async fn crash(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }

    pub(crate) async fn stop(self) -> Stopped {
        self.stop.stop();
        self.task.await.unwrap().unwrap()
    }
}

impl World {
    pub(crate) fn new(shards: u16, seed: u64) -> Self {
        Self::on(MemoryMap::new(), shards, seed)
    }

    /// The same, on a map that others write to.
    pub(crate) fn on(map: MemoryMap, shards: u16, seed: u64) -> Self {
        let shard_map = ShardMap::new(shards).unwrap();
        let clock = Arc::new(VirtualClock {
            start: Instant::now(),
            stepped_us: AtomicI64::new(0),
        });
        let plan = FaultPlan::default();
        let sink = WatchedSink::new(map.clone());
        let seam_clock: Arc<dyn Clock> = clock.clone();
        let limits = QueueLimits::default();
        let queue = Garbled::new(MemoryQueue::new(seam_clock.clone(), shard_map, limits));
        let leases = MemoryLeases::new(seam_clock, LEASE_MS);
        let stores = Stores {
            leases: Faulty::new(leases, plan.clone()),
            queue: Faulty::new(queue.clone(), plan.clone()),
            sink: Faulty::new(sink.clone(), plan.clone()),
            dead_letters: Faulty::new(map.clone(), plan.clone()),
        };
        let settings = EngineSettings::for_all(Holder::new("one"), shard_map);
        let (tally, published) = (Arc::default(), Vec::new());
        Self {
            shard_map,
            clock,
            plan,
            map,
            sink,
            queue,
            tally,
            settings,
            published,
            seed,
            join: Arc::new(Unjoined),
            stores,
        }
    }

    pub(crate) fn start(&self) -> Running {
        let (stop, signal) = stop_pair();
        let engine = Engine::new(
            self.stores.clone(),
            self.settings.clone(),
            Arc::new(CoreReader),
            self.clock.clone(),
            Arc::new(SeededChance::new(self.seed)),
        );
        let engine = engine
            .observed_by(self.tally.clone())
            .joined_by(Arc::clone(&self.join));
        Running {
            stop,
            task: tokio::spawn(engine.run(signal)),
        }
    }

    pub(crate) async fn publish(&mut self, envelopes: Vec<Envelope>) {
        self.published
            .extend(envelopes.iter().map(|envelope| envelope.key.value.clone()));
        for chunk in envelopes.chunks(1_000) {
            self.queue.publish(chunk.to_vec()).await.unwrap();
        }
    }

    /// `count` good events of a lane, from number `from`.
    pub(crate) fn events(&self, lane: &str, from: u32, count: u32) -> Vec<Envelope> {
        (from..from + count)
            .map(|number| event(lane, number, Form::Good, self.shard_map))
            .collect()
    }

    pub(crate) async fn waiting(&self) -> usize {
        let backlog = self.queue.backlog().await.unwrap();
        backlog
            .iter()
            .map(|shard| usize::try_from(shard.ready + shard.in_flight).unwrap())
            .sum()
    }

    /// How long ago that was.
    pub(crate) fn since(&self, moment: Duration) -> Duration {
        self.clock.monotonic().saturating_sub(moment)
    }

    /// Often in the first second, seldom in a long wait.
    async fn probe_later(&self, started_at: Duration) {
        let long = self.since(started_at) > Duration::from_secs(1);
        tokio::time::sleep(Duration::from_millis(if long { 100 } else { 5 })).await;
    }

    /// Until nothing waits on the queue.
    pub(crate) async fn until_empty(&self) {
        self.until_waiting(0).await;
    }

    /// Until at most so many wait on the queue.
    pub(crate) async fn until_waiting(&self, most: usize) {
        let started_at = self.clock.monotonic();
        let deadline = started_at + Duration::from_hours(1);
        while self.waiting().await > most {
            assert!(
                self.clock.monotonic() < deadline,
                "seed {}: {} still wait after an hour; {:?}",
                self.seed,
                self.waiting().await,
                self.tally.counts()
            );
            self.probe_later(started_at).await;
        }
    }

    /// Until the condition holds, looked at every few virtual milliseconds.
    pub(crate) async fn until(&self, mut holds: impl FnMut() -> bool) {
        let started_at = self.clock.monotonic();
        let deadline = started_at + Duration::from_hours(1);
        while !holds() {
            assert!(
                self.clock.monotonic() < deadline,
                "seed {}: {:?}",
                self.seed,
                self.tally.counts()
            );
            self.probe_later(started_at).await;
        }
    }

    pub(crate) async fn letters(&self, key: &str) -> Vec<StoredDeadLetter> {
        let key = EventKey {
            source: "test".to_owned(),
            key: key.to_owned(),
        };
        self.map.find(key).await.unwrap()
    }

    /// Invariant 1: each published event is in exactly one place, and left by one door.
    pub(crate) async fn account(&self) {
        let waiting = self.waiting().await;
        let acked = self.tally.acked_in_all();
        assert_eq!(
            acked + waiting,
            self.published.len(),
            "seed {}: {:?}",
            self.seed,
            self.tally.counts()
        );
        let log = self.sink.log();
        let applied: HashSet<&str> = effects(&log.commits)
            .map(|commit| commit.key.as_str())
            .collect();
        let applied_in_all = effects(&log.commits).count();
        assert_eq!(
            applied.len(),
            applied_in_all,
            "seed {}: invariant 2, an effect twice",
            self.seed
        );
    }

    /// Invariants 5, 6 and 7, and one apply per shard at a time.
    pub(crate) fn check_order(&self) {
        let log = self.sink.log();
        let mut last: HashMap<&str, u32> = HashMap::new();
        let mut last_epoch: HashMap<&str, u64> = HashMap::new();
        for commit in effects(&log.commits) {
            let number = number_of(&commit.key);
            let before = last.insert(&commit.lane, number);
            assert!(
                before.is_none_or(|before| before < number),
                "seed {}: {commit:?} after {before:?}",
                self.seed
            );
        }
        for commit in &log.commits {
            let before = last_epoch.insert(&commit.lane, commit.epoch);
            assert!(
                before.is_none_or(|before| before <= commit.epoch),
                "seed {}: epoch fell",
                self.seed
            );
            assert_ne!(
                commit.outcome,
                Some(Outcome::Stale),
                "seed {}: {commit:?}",
                self.seed
            );
        }
        assert_eq!(
            log.lane_overlaps, 0,
            "seed {}: two attempts of a key at once",
            self.seed
        );
        assert!(
            log.applies_at_once_max <= 1,
            "seed {}: two applies of a shard at once",
            self.seed
        );
    }
}

fn effects(
    commits: &[crate::watched_sink::Commit],
) -> impl Iterator<Item = &crate::watched_sink::Commit> {
    commits
        .iter()
        .filter(|commit| commit.outcome == Some(Outcome::Applied))
}
