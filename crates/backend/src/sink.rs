//! The sink: where map state lands, each idempotency key once.
//!
//! # What every sink holds
//! - A batch commits whole or not at all: fence, claims, entity versions, features,
//!   tombstones, outbox. No claim without its effect, no effect without its claim.
//! - Rows of one batch are taken in the order given; locks are taken in key order.
//! - A key changes the map at most once, for as long as claims are kept. Seen again with
//!   the same payload it is `Duplicate`; with another it is [`Landed::Conflict`] and that
//!   row does nothing, while the rest of the batch lands.
//! - An effect whose version is not greater than the entity's is `Stale`: claimed, no
//!   change. A delete keeps (entity, version) as a tombstone, also of an entity that was
//!   never there.
//! - A key claimed `dead` with the same payload lands as if new, and its dead letter is
//!   closed as superseded, once.
//! - The first call with a higher epoch installs it; a lower one is fenced.
//! - `lookup` sees every commit that `apply` answered.
//!
//! Not here: judging, retrying, bisecting. Quarantined envelopes are not effects.

use crate::failure::{Failure, StoreError};
use crate::key::EventKey;
use crate::lease::Lease;
use crate::recorded::Recorded;
use hexlane_core::digest::Sha256Digest;
use hexlane_core::effect::Effect;
use std::future::Future;

/// What became of one effect of a batch that committed.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a landed effect is the proof for its ack"]
pub enum Landed {
    /// The sink has it: applied, stale or duplicate.
    Recorded(Recorded),
    /// The key is claimed with another payload (`idempotency.key_reused`): for poison.
    Conflict,
}

/// Which claim to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimQuery {
    /// The key.
    pub key: EventKey,
    /// The payload that was sent under it.
    pub payload_sha256: Sha256Digest,
}

impl ClaimQuery {
    /// The claim that an effect would have made.
    #[must_use]
    pub fn of(effect: &Effect) -> Self {
        Self {
            key: EventKey::of(&effect.envelope),
            payload_sha256: effect.envelope.payload_sha256,
        }
    }
}

/// Where map state lands.
pub trait Sink: Send + Sync + 'static {
    /// Lands a batch and answers for each effect in order, after the commit.
    /// [`Failure::may_have_happened`] means: look up before doing anything else.
    fn apply(
        &self,
        lease: &Lease,
        effects: Vec<Effect>,
    ) -> impl Future<Output = Result<Vec<Landed>, StoreError>> + Send;

    /// What the claims say, in order; none when the effect is not there (also for a
    /// dead one): apply again.
    fn lookup(
        &self,
        claims: Vec<ClaimQuery>,
    ) -> impl Future<Output = Result<Vec<Option<Landed>>, Failure>> + Send;
}

/// Conveniences over any sink.
pub trait SinkExt: Sink {
    /// Lands a batch; when the answer was lost, asks the claims before giving up, so
    /// that a commit that did happen is not mistaken for a failure.
    fn apply_or_look_up(
        &self,
        lease: &Lease,
        effects: Vec<Effect>,
    ) -> impl Future<Output = Result<Vec<Landed>, StoreError>> + Send {
        async move {
            let claims: Vec<ClaimQuery> = effects.iter().map(ClaimQuery::of).collect();
            match self.apply(lease, effects).await {
                Err(StoreError::Failed(failure)) if failure.may_have_happened() => {
                    let found = self.lookup(claims).await?;
                    found
                        .into_iter()
                        .collect::<Option<Vec<_>>>()
                        .ok_or(failure.into())
                }
                answer => answer,
            }
        }
    }
}

impl<S: Sink> SinkExt for S {}
