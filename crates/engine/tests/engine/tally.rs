//! An observer that counts.

use hexlane_core::lane::Shard;
use hexlane_core::{Outcome, Stage};
use hexlane_delivery::Destination;
use hexlane_engine::{Observation, Observer, PauseReason};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) acked: BTreeMap<Outcome, usize>,
    pub(crate) buried: BTreeMap<(Destination, String), usize>,
    pub(crate) deferred: usize,
    pub(crate) looked_up: usize,
    pub(crate) fenced: usize,
    pub(crate) released: usize,
    pub(crate) paused: BTreeMap<PauseReason, usize>,
    pub(crate) resumed: BTreeMap<PauseReason, usize>,
    pub(crate) alerts: Vec<String>,
    pub(crate) fetched_pending: usize,
    pub(crate) held_max: usize,
    pub(crate) parked_keys_max: usize,
    pub(crate) landed_rows: usize,
    pub(crate) refused: usize,
    pub(crate) deferred_at: BTreeMap<Stage, usize>,
    pub(crate) joined: usize,
    pub(crate) spared: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

impl Tally {
    pub(crate) fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap()
    }

    pub(crate) fn acked(&self, outcome: Outcome) -> usize {
        self.counts().acked.get(&outcome).copied().unwrap_or(0)
    }

    pub(crate) fn acked_in_all(&self) -> usize {
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
            Observation::Deferred { stage, .. } => {
                counts.deferred += 1;
                *counts.deferred_at.entry(stage).or_default() += 1;
            }
            Observation::Joined { events, spared, .. } => {
                counts.joined += events;
                counts.spared += spared;
            }
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
