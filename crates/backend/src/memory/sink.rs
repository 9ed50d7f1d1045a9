//! The sink in memory.

use super::lock;
use super::map::{Claim, ClaimState, EntityState, MapState, MemoryFeature, MemoryMap};
use crate::dead_letters::DeadLetterState;
use crate::failure::{Code, Failure, Part, StoreError};
use crate::key::EventKey;
use crate::lease::Lease;
use crate::recorded::Recorded;
use crate::sink::{ClaimQuery, Landed, Sink};
use hexlane_core::Outcome;
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Op;

/// The shortest well-known binary: byte order, type, and a count or a position.
const WKB_BYTES_MIN: usize = 9;

impl MapState {
    fn apply(&mut self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        self.fence.check(lease)?;
        for effect in &effects {
            readable(effect)?;
        }
        self.fence.admit(lease)?;
        Ok(effects
            .into_iter()
            .map(|effect| self.land(effect))
            .collect())
    }

    fn land(&mut self, effect: Effect) -> Landed {
        let key = EventKey::of(&effect.envelope);
        let payload_sha256 = effect.envelope.payload_sha256;
        let outcome = match self.claims.get(&key) {
            Some(claim) if claim.payload_sha256 != payload_sha256 => return Landed::Conflict,
            Some(Claim {
                state: ClaimState::Applied | ClaimState::Stale,
                ..
            }) => Outcome::Duplicate,
            Some(Claim {
                state: ClaimState::Dead,
                ..
            }) => {
                self.supersede(&key, &effect);
                self.put(&key, effect)
            }
            None => self.put(&key, effect),
        };
        self.tally.add(outcome, 1);
        Landed::Recorded(Recorded::by_store(key, outcome))
    }

    fn put(&mut self, key: &EventKey, effect: Effect) -> Outcome {
        let payload_sha256 = effect.envelope.payload_sha256;
        let name = (
            effect.envelope.source.clone(),
            effect.envelope.entity.clone(),
        );
        let version = effect.envelope.version;
        let newer = self
            .entities
            .get(&name)
            .is_none_or(|entity| entity.version < version);
        let (state, outcome) = if newer {
            let feature = match effect.envelope.op {
                Op::Delete => None,
                Op::Upsert => Some(MemoryFeature {
                    event_id: effect.envelope.event_id,
                    version,
                    wkb: effect.wkb,
                    properties: effect.properties,
                    joined: effect.joined,
                }),
            };
            self.entities.insert(name, EntityState { version, feature });
            (ClaimState::Applied, Outcome::Applied)
        } else {
            (ClaimState::Stale, Outcome::Stale)
        };
        self.claims.insert(
            key.clone(),
            Claim {
                payload_sha256,
                state,
            },
        );
        outcome
    }

    fn supersede(&mut self, key: &EventKey, effect: &Effect) {
        for stored in &mut self.letters {
            let same = stored.letter.payload_sha256() == effect.envelope.payload_sha256;
            if stored.letter.key == *key && same {
                stored.state = DeadLetterState::Superseded;
            }
        }
    }

    fn look_up(&self, query: ClaimQuery) -> Option<Landed> {
        let claim = self.claims.get(&query.key)?;
        if claim.payload_sha256 != query.payload_sha256 {
            return Some(Landed::Conflict);
        }
        let outcome = match claim.state {
            ClaimState::Applied => Outcome::Applied,
            ClaimState::Stale => Outcome::Stale,
            ClaimState::Dead => return None,
        };
        Some(Landed::Recorded(Recorded::by_store(query.key, outcome)))
    }
}

fn readable(effect: &Effect) -> Result<(), Failure> {
    match &effect.wkb {
        Some(wkb) if wkb.len() < WKB_BYTES_MIN || wkb.first().is_none_or(|order| *order > 1) => {
            Err(Failure::new(Part::Sink, Code::RowRefused).with_detail("not well-known binary"))
        }
        Some(_) | None => Ok(()),
    }
}

impl Sink for MemoryMap {
    async fn apply(&self, lease: &Lease, effects: Vec<Effect>) -> Result<Vec<Landed>, StoreError> {
        lock(&self.state).apply(lease, effects)
    }

    async fn lookup(&self, claims: Vec<ClaimQuery>) -> Result<Vec<Option<Landed>>, Failure> {
        let state = lock(&self.state);
        Ok(claims
            .into_iter()
            .map(|query| state.look_up(query))
            .collect())
    }
}
