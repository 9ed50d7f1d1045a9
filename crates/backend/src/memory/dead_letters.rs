//! Dead letters in memory.

use super::lock;
use super::map::{Claim, ClaimState, MapState, MemoryMap};
use crate::dead_letters::{DeadCount, DeadLetter, DeadLetterState, DeadLetters, StoredDeadLetter};
use crate::failure::{Failure, StoreError};
use crate::key::EventKey;
use crate::lease::Lease;
use crate::recorded::Recorded;
use hexlane_core::Outcome;
use std::collections::BTreeMap;

impl MapState {
    fn record(&mut self, letter: DeadLetter) -> Recorded {
        let key = letter.key.clone();
        let payload_sha256 = letter.payload_sha256();
        let claim = self.claims.entry(key.clone()).or_insert(Claim {
            payload_sha256,
            state: ClaimState::Dead,
        });
        let had_effect = match claim.state {
            ClaimState::Applied | ClaimState::Stale => claim.payload_sha256 == payload_sha256,
            ClaimState::Dead => false,
        };
        if had_effect {
            self.tally.add(Outcome::Duplicate, 1);
            return Recorded::by_store(key, Outcome::Duplicate);
        }
        let same = |stored: &&mut StoredDeadLetter| {
            stored.letter.key == key && stored.letter.payload_sha256() == payload_sha256
        };
        if let Some(stored) = self.letters.iter_mut().find(same) {
            let another = letter.ends_another_delivery(&stored.letter);
            self.tally.add(Outcome::Dead, u64::from(another));
            stored.letter = letter.after(&stored.letter);
        } else {
            self.tally.add(Outcome::Dead, 1);
            self.letters.push(StoredDeadLetter {
                letter,
                state: DeadLetterState::Open,
            });
        }
        Recorded::by_store(key, Outcome::Dead)
    }

    fn count(&self) -> Vec<DeadCount> {
        let mut counts = BTreeMap::new();
        for stored in &self.letters {
            match stored.state {
                DeadLetterState::Open => {
                    let kind = (stored.letter.destination, stored.letter.class);
                    *counts.entry(kind).or_insert(0) += 1;
                }
                DeadLetterState::Superseded => {}
            }
        }
        let shown = |((destination, class), open)| DeadCount {
            destination,
            class,
            open,
        };
        counts.into_iter().map(shown).collect()
    }
}

impl DeadLetters for MemoryMap {
    async fn record(
        &self,
        lease: &Lease,
        letters: Vec<DeadLetter>,
    ) -> Result<Vec<Recorded>, StoreError> {
        let mut state = lock(&self.state);
        state.fence.admit(lease)?;
        Ok(letters
            .into_iter()
            .map(|letter| state.record(letter))
            .collect())
    }

    async fn find(&self, key: EventKey) -> Result<Vec<StoredDeadLetter>, Failure> {
        let state = lock(&self.state);
        let of_key = state
            .letters
            .iter()
            .filter(|stored| stored.letter.key == key);
        Ok(of_key.cloned().collect())
    }

    async fn count(&self) -> Result<Vec<DeadCount>, Failure> {
        Ok(MapState::count(&lock(&self.state)))
    }
}
