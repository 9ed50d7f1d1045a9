//! The join stage, between reading and applying.
//!
//! A cheap read of the claims comes first: what had its effect already, here or earlier in
//! the batch, costs no join. The rest is joined off the engine's threads. What could not be
//! joined is told per row; order and retries are decided by the attempt.

use crate::apply::Applier;
use crate::context::Context;
use crate::end::End;
use crate::join::{Join, JoinFailure};
use crate::observer::Observation;
use crate::reader::Refusal;
use crate::row::{Joined, Row};
use crate::stores::Backends;
use hexlane_backend::ClaimQuery;
use hexlane_core::effect::Effect;
use hexlane_core::envelope::Op;
use hexlane_core::lane::Shard;
use hexlane_delivery::Cause;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Joins these rows where they need it, and leaves in each what that gave.
///
/// # Errors
/// When the work on the shard ends.
pub(crate) async fn join<B: Backends>(
    context: &Context<B>,
    shard: Shard,
    applier: &mut Applier<'_, B>,
    rows: &mut [Row],
) -> Result<(), End> {
    let wanted = (0..rows.len()).filter(|index| {
        let row = rows.get(*index);
        row.is_some_and(|row| wants(context, row))
    });
    let wanted: Vec<usize> = wanted.collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let plan = Plan::of(applier, rows, &wanted).await?;
    let started_at = context.clock.monotonic();
    let (events, spared) = (plan.first.len(), wanted.len() - plan.first.len());
    compute(context, rows, &plan.first).await?;
    for (index, like) in plan.repeated {
        let joined = rows.get(like).and_then(|row| row.joined.clone());
        put(rows, index, joined);
    }
    let observation = Observation::Joined {
        events,
        spared,
        took: context.clock.monotonic().saturating_sub(started_at),
    };
    context.observer.observe(shard, observation);
    Ok(())
}

fn wants<B: Backends>(context: &Context<B>, row: &Row) -> bool {
    row.effect.as_ref().is_some_and(|effect| {
        effect.envelope.op == Op::Upsert
            && effect.wkb.is_some()
            && context.join.wants(&effect.envelope.source)
    })
}

/// What has to be computed.
struct Plan {
    /// Rows to join.
    first: Vec<usize>,
    /// Rows that are one of those again: the same key under the same payload.
    repeated: Vec<(usize, usize)>,
}

impl Plan {
    async fn of<B: Backends>(
        applier: &mut Applier<'_, B>,
        rows: &[Row],
        wanted: &[usize],
    ) -> Result<Self, End> {
        let claims: Vec<(usize, ClaimQuery)> = wanted
            .iter()
            .filter_map(|index| {
                let effect = rows.get(*index)?.effect.as_ref()?;
                Some((*index, ClaimQuery::of(effect)))
            })
            .collect();
        let asked = claims.iter().map(|(_, claim)| claim.clone()).collect();
        let is_claimed = applier.claimed(asked).await?;
        let mut plan = Self {
            first: Vec::new(),
            repeated: Vec::new(),
        };
        let mut seen = HashMap::new();
        for ((index, claim), is_claimed) in claims.into_iter().zip(is_claimed) {
            if is_claimed {
                continue;
            }
            match seen.entry((claim.key, claim.payload_sha256)) {
                Entry::Vacant(new) => {
                    new.insert(index);
                    plan.first.push(index);
                }
                Entry::Occupied(like) => plan.repeated.push((index, *like.get())),
            }
        }
        Ok(plan)
    }
}

/// Joins off the engine's threads; the effects come back to their rows.
async fn compute<B: Backends>(
    context: &Context<B>,
    rows: &mut [Row],
    indexes: &[usize],
) -> Result<(), End> {
    let work: Vec<(usize, Box<Effect>)> = indexes
        .iter()
        .filter_map(|index| Some((*index, rows.get_mut(*index)?.effect.take()?)))
        .collect();
    let join = Arc::clone(&context.join);
    let joined = tokio::task::spawn_blocking(move || {
        let each = work.into_iter().map(|(index, effect)| {
            let joined = guarded(&*join, &effect);
            (index, effect, joined)
        });
        each.collect::<Vec<_>>()
    });
    for (index, effect, joined) in joined.await.map_err(|_| End::defect("join.died"))? {
        put(rows, index, Some(joined));
        if let Some(row) = rows.get_mut(index) {
            row.effect = Some(effect);
        }
    }
    Ok(())
}

/// A panic of geometry code is that of one geometry.
fn guarded(join: &dyn Join, effect: &Effect) -> Joined {
    let answer = catch_unwind(AssertUnwindSafe(|| join.join(effect)));
    match answer {
        Ok(answer) => answer.map_err(|failure| Box::new(refusal(&failure))),
        Err(_) => Err(Box::new(Refusal::bare(
            Cause::JoinFailed {
                code: "join.panicked".into(),
            },
            "joining this geometry panicked",
        ))),
    }
}

fn refusal(failure: &JoinFailure) -> Refusal {
    let cause = match failure {
        JoinFailure::Away { .. } => Cause::LayerAway {
            code: "layer.away".into(),
        },
        JoinFailure::Failed { .. } => Cause::JoinFailed {
            code: "join.failed".into(),
        },
    };
    Refusal::bare(cause, failure.to_string())
}

fn put(rows: &mut [Row], index: usize, joined: Option<Joined>) {
    if let Some(row) = rows.get_mut(index) {
        row.joined = joined;
    }
}
