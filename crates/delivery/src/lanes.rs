//! Key lanes: which events of a shard may run now.
//!
//! A FIFO per key. A key whose events are out for an attempt gives out no more until
//! they come back, so one attempt per key is in flight. Keys take turns; a turn is a
//! burst of consecutive events. A key that must wait stops itself alone. Never drops,
//! reorders within a key, or looks into an item.

use crate::limits::BatchLimits;
use hexlane_core::lane::LaneKey;
use std::collections::{BTreeSet, HashMap, VecDeque};

/// An event in its lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// What it weighs in a batch.
    pub bytes: usize,
    /// Not before, µs since 1970; none when it may run at once.
    pub due_at_us: Option<i64>,
    /// The event.
    pub item: T,
}

/// Consecutive events of one key, out for an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<T> {
    /// Their key.
    pub key: LaneKey,
    /// In the key's order; never empty.
    pub entries: Vec<Entry<T>>,
}

/// The lanes of one shard.
#[derive(Debug)]
pub struct Lanes<T> {
    by_key: HashMap<LaneKey, Lane<T>>,
    ready: VecDeque<LaneKey>,
    parked: BTreeSet<(i64, LaneKey)>,
    waiting: usize,
    parked_entries: usize,
}

#[derive(Debug)]
struct Lane<T> {
    waiting: VecDeque<Entry<T>>,
    turn: Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Ready,
    Parked,
    InFlight,
}

struct Room {
    events: usize,
    bytes: usize,
    untouched: bool,
}

impl Room {
    fn admits(&self, bytes: usize) -> bool {
        self.events > 0 && (self.untouched || bytes <= self.bytes)
    }

    fn take(&mut self, bytes: usize) {
        self.events -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.untouched = false;
    }
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self {
            by_key: HashMap::new(),
            ready: VecDeque::new(),
            parked: BTreeSet::new(),
            waiting: 0,
            parked_entries: 0,
        }
    }
}

impl<T> Lanes<T> {
    /// Puts an event behind all of its key.
    pub fn push(&mut self, key: &LaneKey, entry: Entry<T>) {
        self.waiting += 1;
        if let Some(lane) = self.by_key.get_mut(key) {
            lane.waiting.push_back(entry);
            self.parked_entries += usize::from(lane.turn == Turn::Parked);
            return;
        }
        let lane = Lane {
            waiting: VecDeque::from([entry]),
            turn: Turn::InFlight,
        };
        self.by_key.insert(key.clone(), lane);
        self.schedule(key);
    }

    /// Takes what may run at `now_us`: bursts of keys in turn until the batch is full.
    /// Every key taken is in flight until [`Lanes::finish`] or [`Lanes::give_back`].
    pub fn take(&mut self, now_us: i64, limits: &BatchLimits) -> Vec<Run<T>> {
        self.wake(now_us);
        let mut runs: Vec<Run<T>> = Vec::new();
        let mut again: VecDeque<usize> = VecDeque::new();
        let mut room = Room {
            events: limits.events_max,
            bytes: limits.bytes_max,
            untouched: true,
        };
        loop {
            let turn = match self.ready.pop_front() {
                Some(key) => {
                    runs.push(Run {
                        key,
                        entries: Vec::new(),
                    });
                    Some(runs.len() - 1)
                }
                None => again.pop_front(),
            };
            let Some(run) = turn.and_then(|at| runs.get_mut(at).map(|run| (at, run))) else {
                break;
            };
            match self.burst(run.1, now_us, &mut room, limits.key_burst_events_max) {
                Burst::More => again.push_back(run.0),
                Burst::Exhausted => {}
                Burst::Full => break,
            }
        }
        self.put_back_untouched(&mut runs);
        runs
    }

    /// The run's events are settled: its key may run again.
    pub fn finish(&mut self, key: &LaneKey) {
        self.schedule(key);
    }

    /// The run's events, or the last of them, are not settled: they stand again before
    /// all others of their key, which waits for the first one's due time.
    pub fn give_back(&mut self, run: Run<T>) {
        self.waiting += run.entries.len();
        if let Some(lane) = self.by_key.get_mut(&run.key) {
            for entry in run.entries.into_iter().rev() {
                lane.waiting.push_front(entry);
            }
        }
        self.schedule(&run.key);
    }

    /// Events that are not in flight.
    #[must_use]
    pub const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Events of keys that wait for a due time.
    #[must_use]
    pub const fn parked_entries(&self) -> usize {
        self.parked_entries
    }

    /// Keys that wait for a due time.
    #[must_use]
    pub fn parked_keys(&self) -> usize {
        self.parked.len()
    }

    /// When the next parked key may run.
    #[must_use]
    pub fn next_due_at_us(&self) -> Option<i64> {
        self.parked.first().map(|(due_at_us, _)| *due_at_us)
    }

    fn wake(&mut self, now_us: i64) {
        while self
            .next_due_at_us()
            .is_some_and(|due_at_us| due_at_us <= now_us)
        {
            let Some((_, key)) = self.parked.pop_first() else {
                return;
            };
            if let Some(lane) = self.by_key.get_mut(&key) {
                lane.turn = Turn::Ready;
                self.parked_entries -= lane.waiting.len();
                self.ready.push_back(key);
            }
        }
    }

    /// Gives a lane that is in flight its next turn, or forgets it when it is empty.
    fn schedule(&mut self, key: &LaneKey) {
        let Some(lane) = self.by_key.get_mut(key) else {
            return;
        };
        if lane.turn != Turn::InFlight {
            return;
        }
        match lane.waiting.front().map(|head| head.due_at_us) {
            None => {
                self.by_key.remove(key);
            }
            Some(None) => {
                lane.turn = Turn::Ready;
                self.ready.push_back(key.clone());
            }
            Some(Some(due_at_us)) => {
                lane.turn = Turn::Parked;
                self.parked_entries += lane.waiting.len();
                self.parked.insert((due_at_us, key.clone()));
            }
        }
    }

    fn burst(
        &mut self,
        run: &mut Run<T>,
        now_us: i64,
        room: &mut Room,
        events_max: usize,
    ) -> Burst {
        let Some(lane) = self.by_key.get_mut(&run.key) else {
            return Burst::Exhausted;
        };
        lane.turn = Turn::InFlight;
        for _ in 0..events_max.max(1) {
            let Some(head) = lane.waiting.front() else {
                return Burst::Exhausted;
            };
            if head.due_at_us.is_some_and(|due_at_us| due_at_us > now_us) {
                return Burst::Exhausted;
            }
            if !room.admits(head.bytes) {
                return Burst::Full;
            }
            room.take(head.bytes);
            self.waiting -= 1;
            run.entries.extend(lane.waiting.pop_front());
        }
        Burst::More
    }

    /// A key whose turn came when the batch was full keeps its turn.
    fn put_back_untouched(&mut self, runs: &mut Vec<Run<T>>) {
        while let Some(run) = runs.pop_if(|run| run.entries.is_empty()) {
            if let Some(lane) = self.by_key.get_mut(&run.key) {
                lane.turn = Turn::Ready;
                self.ready.push_front(run.key);
            }
        }
    }
}

enum Burst {
    More,
    Exhausted,
    Full,
}

#[cfg(test)]
mod tests;
