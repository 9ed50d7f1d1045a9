//! Carrying settlements to the queue. Idempotent: what was not confirmed is sent again.

use crate::closing::{Closing, Then};
use crate::context::Context;
use crate::end::End;
use crate::observer::Observation;
use crate::row::Row;
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{Failure, Queue, Settled, StoreError, Unsettled};
use hexlane_core::lane::LaneKey;
use hexlane_delivery::Load;
use hexlane_delivery::lanes::Run;
use std::time::Duration;

/// Settlements of one call: two full batches.
pub(crate) const SETTLE_EVENTS_MAX: usize = 1_000;

/// What settling gave.
#[derive(Debug, Default)]
pub(crate) struct Flushed {
    /// What left the engine.
    pub(crate) gone: Load,
    /// What stands before its key again.
    pub(crate) again: Vec<Run<Row>>,
    /// What was not confirmed, and why.
    pub(crate) unsettled: Option<(Vec<Closing>, Failure)>,
    /// Why the work on the shard ends, when it does.
    pub(crate) end: Option<End>,
}

/// Sends these settlements.
pub(crate) async fn flush<B: Backends>(
    context: &Context<B>,
    tenure: &Tenure,
    closings: Vec<Closing>,
) -> Flushed {
    if closings.is_empty() {
        return Flushed::default();
    }
    if let Err(end) = tenure.may_dispatch(context) {
        return Flushed {
            end: Some(end),
            ..Flushed::default()
        };
    }
    let (settlements, follows): (Vec<_>, Vec<_>) = closings
        .into_iter()
        .map(|closing| (closing.settlement, (closing.fetched_at, closing.then)))
        .unzip();
    let sizes: Vec<usize> = settlements
        .iter()
        .map(hexlane_backend::Settlement::size_bytes)
        .collect();
    match context
        .stores
        .queue()
        .settle(&tenure.lease, settlements)
        .await
    {
        Ok(settled) => {
            let mut flushed = Flushed::default();
            for ((settled, (fetched_at, then)), bytes) in
                settled.into_iter().zip(follows).zip(sizes)
            {
                flushed.follow(context, tenure, settled, fetched_at, then, bytes);
            }
            flushed
        }
        Err(unsettled) => keep(unsettled, follows),
    }
}

fn keep(unsettled: Unsettled, follows: Vec<(Duration, Then)>) -> Flushed {
    let failure = match unsettled.error {
        StoreError::Fenced { .. } => {
            return Flushed {
                end: Some(End::Fenced),
                ..Flushed::default()
            };
        }
        StoreError::Failed(failure) => failure,
    };
    let kept = unsettled.settlements.into_iter().zip(follows);
    let kept = kept.map(|(settlement, (fetched_at, then))| Closing {
        settlement,
        fetched_at,
        then,
    });
    Flushed {
        unsettled: Some((kept.collect(), failure)),
        ..Flushed::default()
    }
}

impl Flushed {
    fn follow<B: Backends>(
        &mut self,
        context: &Context<B>,
        tenure: &Tenure,
        settled: Settled,
        fetched_at: Duration,
        then: Then,
        bytes: usize,
    ) {
        match (settled, then) {
            (Settled::Acked, Then::Gone(outcome)) => {
                self.gone.entries += 1;
                self.gone.bytes += bytes;
                let latency = context.clock.monotonic().saturating_sub(fetched_at);
                context
                    .observer
                    .observe(tenure.lease.shard, Observation::Acked { outcome, latency });
            }
            (Settled::Deferred(delivery), Then::Again { key, behind }) => {
                let first = Row {
                    delivery,
                    key,
                    fetched_at,
                    effect: None,
                    joined: None,
                };
                self.again.push(run(first, behind, context.latest_due_us()));
            }
            (Settled::Acked, Then::Again { .. }) | (Settled::Deferred(_), Then::Gone(_)) => {
                self.end = Some(End::defect("queue.settled_otherwise"));
            }
        }
    }
}

fn run(first: Row, behind: Vec<Row>, latest_due_us: i64) -> Run<Row> {
    let key: LaneKey = first.key.clone();
    let entries = std::iter::once(first)
        .chain(behind)
        .map(|row| row.into_entry(latest_due_us))
        .collect();
    Run { key, entries }
}
