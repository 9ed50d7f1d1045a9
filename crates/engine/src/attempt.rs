//! An attempt: one micro-batch, from the envelopes to a settlement for each.
//!
//! What gives no effect is buried first, so that nothing of its key overtakes it
//! unrecorded. The rest is joined with reference layers where its source says so; what
//! cannot be joined waits or is buried alone. Then the rest lands as one batch. When the sink refuses it, the first bad
//! row is found, settled alone, and the rest lands without it; when that row waits for
//! another attempt, those of its key behind it wait too.

use crate::apply::{Applied, Applier};
use crate::bury::{Burial, bury};
use crate::cause::cause_of;
use crate::closing::{Closing, attempt_of, kept_after, retry_state};
use crate::context::Context;
use crate::end::End;
use crate::joining::join;
use crate::observer::{Observation, PauseReason};
use crate::reader::Refusal;
use crate::row::Row;
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{Body, Failure, Landed, RetryState};
use hexlane_core::envelope::Kind;
use hexlane_core::lane::LaneKey;
use hexlane_delivery::lanes::Run;
use hexlane_delivery::{Attempted, Bisection, Cause, Settlement, Step, settle};
use std::collections::VecDeque;

/// What an attempt gave.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    /// To be settled.
    pub(crate) closings: Vec<Closing>,
    /// Keys that may run again at once.
    pub(crate) free_keys: Vec<LaneKey>,
    /// Why the work on the shard ends, when it does. Rows without a closing then stay on
    /// the queue.
    pub(crate) end: Option<End>,
}

/// Tries these runs. Never more than one of it at a time per shard.
pub(crate) async fn attempt<B: Backends>(
    context: &Context<B>,
    tenure: &Tenure,
    runs: Vec<Run<Row>>,
) -> Attempt {
    let mut free_keys: Vec<LaneKey> = runs.iter().map(|run| run.key.clone()).collect();
    let mut trial = Trial {
        context,
        tenure,
        applier: Applier::new(context, tenure),
        closings: Vec::new(),
        waiting_keys: Vec::new(),
    };
    let end = trial.run(runs).await.err();
    free_keys.retain(|key| !trial.waiting_keys.contains(key));
    Attempt {
        closings: trial.closings,
        free_keys,
        end,
    }
}

struct Trial<'a, B: Backends> {
    context: &'a Context<B>,
    tenure: &'a Tenure,
    applier: Applier<'a, B>,
    closings: Vec<Closing>,
    /// Keys whose first event waits for another attempt.
    waiting_keys: Vec<LaneKey>,
}

impl<B: Backends> Trial<'_, B> {
    async fn run(&mut self, runs: Vec<Run<Row>>) -> Result<(), End> {
        let (mut open, mut burials) = (VecDeque::new(), Vec::new());
        for run in runs {
            self.read(run, &mut open, &mut burials)?;
        }
        self.bury(burials).await?;
        let mut open = self.join(open).await?;
        while !open.is_empty() {
            let all = open.len();
            if let Some(refused) = self.land(&mut open, all).await? {
                self.isolate(&mut open, refused).await?;
            }
        }
        Ok(())
    }

    /// Reads the events of a key; what follows one that has to wait waits with it.
    fn read(
        &mut self,
        run: Run<Row>,
        open: &mut VecDeque<Row>,
        burials: &mut Vec<Burial>,
    ) -> Result<(), End> {
        let mut rows: VecDeque<Row> = run.entries.into_iter().map(|entry| entry.item).collect();
        while let Some(mut row) = rows.pop_front() {
            match self.effect(&mut row) {
                Ok(()) => open.push_back(row),
                Err(refusal) => burials.extend(self.decide(row, *refusal, &mut rows)?),
            }
        }
        Ok(())
    }

    /// Joins the rows that need it; what is left could be, in its order.
    async fn join(&mut self, mut open: VecDeque<Row>) -> Result<VecDeque<Row>, End> {
        let shard = self.tenure.lease.shard;
        join(
            self.context,
            shard,
            &mut self.applier,
            open.make_contiguous(),
        )
        .await?;
        let (mut ready, mut burials) = (VecDeque::with_capacity(open.len()), Vec::new());
        while let Some(mut row) = open.pop_front() {
            match row.joined.take() {
                Some(Err(refusal)) => burials.extend(self.decide(row, *refusal, &mut open)?),
                joined => {
                    row.joined = joined;
                    ready.push_back(row);
                }
            }
        }
        self.bury(burials).await?;
        Ok(ready)
    }

    fn effect(&self, row: &mut Row) -> Result<(), Box<Refusal>> {
        row.joined = None;
        let envelope = match row.delivery.body() {
            Body::Event(envelope) => envelope,
            Body::Unreadable { reason, .. } => {
                return Err(Box::new(Refusal::bare(
                    Cause::NotAnEnvelope,
                    reason.to_string(),
                )));
            }
            Body::Lost => {
                return Err(Box::new(Refusal::bare(
                    Cause::BodyLost,
                    "the queue lost its bytes",
                )));
            }
        };
        match envelope.kind {
            Kind::Accepted => row.effect = Some(Box::new(self.context.reader.read(envelope)?)),
            Kind::Quarantined => return Err(self.context.reader.explain(envelope)),
        }
        Ok(())
    }

    /// Applies the first `count` open rows; none when they landed, else why not.
    async fn land(
        &mut self,
        open: &mut VecDeque<Row>,
        count: usize,
    ) -> Result<Option<Failure>, End> {
        let rows = open.make_contiguous().get_mut(..count).unwrap_or_default();
        let landed = match self.applier.apply(rows).await? {
            Applied::Landed(landed) => landed,
            Applied::Refused(failure) => return Ok(Some(failure)),
        };
        let mut conflicts = Vec::new();
        for (row, landed) in open.drain(..count).zip(landed) {
            match landed {
                Landed::Recorded(proof) => self.closings.push(Closing::ack(row, proof)?),
                Landed::Conflict => conflicts.push(row),
            }
        }
        let mut burials = Vec::new();
        for row in conflicts {
            let refusal = Refusal::bare(Cause::KeyReused, "the key stands under another payload");
            burials.extend(self.decide(row, refusal, &mut VecDeque::new())?);
        }
        self.bury(burials).await?;
        Ok(None)
    }

    /// Finds the first bad row of a refused batch and settles it alone.
    async fn isolate(&mut self, open: &mut VecDeque<Row>, refused: Failure) -> Result<(), End> {
        let mut search = Bisection::of_refused(open.len());
        let mut failure = refused;
        while let Step::Apply(count) = search.step() {
            match self.land(open, count).await? {
                None => search.applied(),
                Some(again) => {
                    failure = again;
                    search.refused();
                }
            }
        }
        let cause = cause_of(&failure);
        if matches!(cause, Cause::Transient { .. }) && !search.has_applied() {
            // Nothing lands: that is the sink, not this event. Let another key be first.
            put_first_key_last(open);
            return self.applier.wait_for_sink(&failure).await;
        }
        let Some(row) = open.pop_front() else {
            return Ok(());
        };
        let message = format!("refused alone: {failure}");
        let burials = self.decide(row, Refusal::bare(cause, message), open)?;
        self.bury(burials.into_iter().collect()).await
    }

    /// Settles an event that failed: a burial to be done, or a closing that defers it and
    /// takes those of its key out of `rest`.
    fn decide(
        &mut self,
        row: Row,
        refusal: Refusal,
        rest: &mut VecDeque<Row>,
    ) -> Result<Option<Burial>, End> {
        let now_us = self.context.clock.now_us();
        let cause = refusal.cause.clone();
        let state = retry_state(&row.delivery);
        let attempted = Attempted::Failed(cause.clone());
        match settle(
            &attempted,
            state,
            &self.context.settings.retry,
            now_us,
            self.context.chance.draw(),
        ) {
            Settlement::DeadLetter {
                destination,
                attempts,
                ..
            } => Ok(Some(Burial {
                row,
                refusal,
                destination,
                attempts,
            })),
            Settlement::Defer {
                due_at_us,
                delay_ms,
                state,
            } => {
                let attempt = attempt_of(&cause, now_us);
                let kept = kept_after(row.delivery.retry(), state, due_at_us, attempt);
                self.defer(row, kept, rest);
                let observation = Observation::Deferred {
                    class: cause.class(),
                    stage: cause.stage(),
                    delay_ms,
                };
                self.context
                    .observer
                    .observe(self.tenure.lease.shard, observation);
                Ok(None)
            }
            Settlement::Hold(_) | Settlement::Ack(_) => {
                let skewed = cause == Cause::VerdictSkew;
                let reason = if skewed {
                    PauseReason::VerdictSkew
                } else {
                    PauseReason::Defect
                };
                Err(End::Halted {
                    reason,
                    code: cause.code(),
                })
            }
        }
    }

    /// The event waits for another attempt, and those of its key behind it with it.
    fn defer(&mut self, row: Row, kept: RetryState, rest: &mut VecDeque<Row>) {
        let behind = take_key(rest, &row.key);
        self.waiting_keys.push(row.key.clone());
        self.closings.push(Closing::defer(row, kept, behind));
    }

    async fn bury(&mut self, burials: Vec<Burial>) -> Result<(), End> {
        let closings = bury(self.context, self.tenure, burials).await?;
        self.closings.extend(closings);
        Ok(())
    }
}

/// Takes the rows of a key out, in their order.
fn take_key(rows: &mut VecDeque<Row>, key: &LaneKey) -> Vec<Row> {
    let (taken, rest): (Vec<Row>, Vec<Row>) = rows.drain(..).partition(|row| row.key == *key);
    rows.extend(rest);
    taken
}

/// Order is kept within keys, so keys may change places.
fn put_first_key_last(rows: &mut VecDeque<Row>) {
    if let Some(key) = rows.front().map(|row| row.key.clone()) {
        let first = take_key(rows, &key);
        rows.extend(first);
    }
}
