//! An observer that counts.

use hexlane_core::Outcome;
use hexlane_core::lane::Shard;
use hexlane_delivery::Destination;
use hexlane_engine::{Observation, Observer, PauseReason};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
pub struct Counts {
    pub acked: BTreeMap<Outcome, usize>,
    pub buried: BTreeMap<(Destination, String), usize>,
    pub deferred: usize,
    pub looked_up: usize,
    pub fenced: usize,
    pub released: usize,
    pub paused: BTreeMap<PauseReason, usize>,
    pub resumed: BTreeMap<PauseReason, usize>,
    pub alerts: Vec<String>,
    pub fetched_pending: usize,
    pub held_max: usize,
    pub parked_keys_max: usize,
    pub landed_rows: usize,
    pub refused: usize,
}

#[derive(Debug, Default)]
pub struct Tally(Mutex<Counts>);

impl Tally {
    pub fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap()
    }

    pub fn acked(&self, outcome: Outcome) -> usize {
        self.counts().acked.get(&outcome).copied().unwrap_or(0)
    }

    pub fn acked_in_all(&self) -> usize {
        self.counts().acked.values().sum()
    }
}

impl Observer for Tally {
    fn observe(&self, _shard: Shard, observation: Observation) {
        let mut counts = self.counts();
        match observation {
            Observation::Leased { .. } => {}
            Observation::Released => counts.released += 1,
            Observation::Fenced => counts.fenced += 1,
            Observation::Fetched {
                events, pending, ..
            } => {
                counts.fetched_pending += if pending { events } else { 0 };
            }
            Observation::Landed { events, .. } => counts.landed_rows += events,
            Observation::Refused { .. } => counts.refused += 1,
            Observation::LookedUp { .. } => counts.looked_up += 1,
            Observation::Buried {
                destination, code, ..
            } => {
                *counts
                    .buried
                    .entry((destination, code.into_owned()))
                    .or_default() += 1;
            }
            Observation::Deferred { .. } => counts.deferred += 1,
            Observation::Acked { outcome, .. } => *counts.acked.entry(outcome).or_default() += 1,
            Observation::Held {
                events,
                parked_keys,
                ..
            } => {
                counts.held_max = counts.held_max.max(events);
                counts.parked_keys_max = counts.parked_keys_max.max(parked_keys);
            }
            Observation::Paused { reason, .. } => *counts.paused.entry(reason).or_default() += 1,
            Observation::Resumed { reason } => *counts.resumed.entry(reason).or_default() += 1,
            Observation::Alert { code } => counts.alerts.push(code.into_owned()),
        }
    }
}
