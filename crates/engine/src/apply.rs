//! One batch to the sink, until it is known what became of it.
//!
//! An outage is waited out and spends nothing. A commit that was not answered is looked
//! up before anything else. Another transaction in the way is repeated, uncounted.

use crate::cause::cause_of;
use crate::context::Context;
use crate::end::End;
use crate::observer::{Observation, PauseReason};
use crate::pause::Pause;
use crate::row::Row;
use crate::settings::BUSY;
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{ClaimQuery, Failure, Landed, Sink, StoreError};
use hexlane_core::effect::Effect;
use hexlane_delivery::{Cause, Scope};

/// What became of a batch.
#[derive(Debug)]
pub(crate) enum Applied {
    /// It is committed; an answer for each row.
    Landed(Vec<Landed>),
    /// It is not, because of some row.
    Refused(Failure),
}

/// Applies batches under one lease.
pub(crate) struct Applier<'a, B: Backends> {
    context: &'a Context<B>,
    tenure: &'a Tenure,
    outage: Pause,
}

impl<'a, B: Backends> Applier<'a, B> {
    pub(crate) const fn new(context: &'a Context<B>, tenure: &'a Tenure) -> Self {
        Self {
            context,
            tenure,
            outage: Pause::new(PauseReason::Sink),
        }
    }

    /// Applies these rows, in their order.
    ///
    /// # Errors
    /// When the work on the shard ends; nothing is known of the rows then.
    pub(crate) async fn apply(&mut self, rows: &mut [Row]) -> Result<Applied, End> {
        let mut busy = Pause::new(PauseReason::Sink);
        let mut repeats = 0;
        loop {
            self.tenure.may_dispatch(self.context)?;
            let failure = match self.once(rows).await? {
                Ok(landed) => return self.landed(rows.len(), landed),
                Err(failure) => failure,
            };
            let cause = cause_of(&failure);
            match cause.scope() {
                Scope::Event
                    if is_busy(&cause) && repeats < self.context.settings.busy_repeats_max =>
                {
                    repeats += 1;
                    busy.wait(self.context, &BUSY, failure.retry_after).await?;
                }
                Scope::Event => {
                    // It answers: what it refuses is refused for itself.
                    if !is_busy(&cause) {
                        self.outage.over(self.context, self.tenure.lease.shard);
                    }
                    let observation = Observation::Refused { events: rows.len() };
                    self.context
                        .observer
                        .observe(self.tenure.lease.shard, observation);
                    return Ok(Applied::Refused(failure));
                }
                Scope::Sink | Scope::Shard => self.wait_for_sink(&failure).await?,
            }
        }
    }

    /// Nothing lands at all: waits as for an outage.
    pub(crate) async fn wait_for_sink(&mut self, failure: &Failure) -> Result<(), End> {
        self.outage
            .after(self.context, self.tenure.lease.shard, failure)
            .await
    }

    /// One call, its lost answer looked up.
    async fn once(&mut self, rows: &mut [Row]) -> Result<Result<Vec<Landed>, Failure>, End> {
        let effects = self.effects(rows)?;
        let sent_at = self.context.clock.monotonic();
        match self
            .context
            .stores
            .sink()
            .apply(&self.tenure.lease, effects)
            .await
        {
            Ok(landed) => {
                let took = self.context.clock.monotonic().saturating_sub(sent_at);
                let observation = Observation::Landed {
                    events: rows.len(),
                    took,
                };
                self.context
                    .observer
                    .observe(self.tenure.lease.shard, observation);
                Ok(Ok(landed))
            }
            Err(StoreError::Fenced { .. }) => Err(End::Fenced),
            Err(StoreError::Failed(failure)) if failure.may_have_happened() => {
                Ok(self.look_up(rows).await?.ok_or(failure))
            }
            Err(StoreError::Failed(failure)) => Ok(Err(failure)),
        }
    }

    /// Which of these claims stand, whatever they say. Asks until it is answered.
    ///
    /// # Errors
    /// When the work on the shard ends.
    pub(crate) async fn claimed(&mut self, claims: Vec<ClaimQuery>) -> Result<Vec<bool>, End> {
        let asked = claims.len();
        loop {
            self.tenure.may_dispatch(self.context)?;
            match self.context.stores.sink().lookup(claims.clone()).await {
                Ok(found) if found.len() == asked => {
                    self.outage.over(self.context, self.tenure.lease.shard);
                    return Ok(found.iter().map(Option::is_some).collect());
                }
                Ok(_) => return Err(End::defect("sink.miscounted")),
                Err(failure) => self.wait_for_sink(&failure).await?,
            }
        }
    }

    /// What the claims say; none when the batch did not commit. Asks until it is answered.
    async fn look_up(&mut self, rows: &[Row]) -> Result<Option<Vec<Landed>>, End> {
        loop {
            self.tenure.may_dispatch(self.context)?;
            match self.context.stores.sink().lookup(claims(rows)).await {
                Ok(found) => {
                    let landed: Option<Vec<Landed>> = found.into_iter().collect();
                    if landed.is_some() {
                        let observation = Observation::LookedUp { events: rows.len() };
                        self.context
                            .observer
                            .observe(self.tenure.lease.shard, observation);
                    }
                    return Ok(landed);
                }
                Err(failure) => self.wait_for_sink(&failure).await?,
            }
        }
    }

    fn landed(&mut self, rows: usize, landed: Vec<Landed>) -> Result<Applied, End> {
        self.outage.over(self.context, self.tenure.lease.shard);
        if landed.len() == rows {
            Ok(Applied::Landed(landed))
        } else {
            Err(End::defect("sink.miscounted"))
        }
    }

    fn effects(&self, rows: &mut [Row]) -> Result<Vec<Effect>, End> {
        let read = |row: &mut Row| {
            let again = |row: &Row| self.context.reader.read(row.delivery.envelope()?).ok();
            let taken = row.effect.take().map(|effect| *effect);
            let mut effect = taken.or_else(|| again(row))?;
            effect.joined = row.joined.clone().and_then(Result::ok);
            Some(effect)
        };
        let effects: Option<Vec<Effect>> = rows.iter_mut().map(read).collect();
        effects.ok_or_else(|| End::defect("reader.unstable"))
    }
}

const fn is_busy(cause: &Cause) -> bool {
    matches!(cause, Cause::Transient { .. })
}

fn claims(rows: &[Row]) -> Vec<ClaimQuery> {
    let claim = |row: &Row| {
        let payload_sha256 = row.delivery.envelope()?.payload_sha256;
        Some(ClaimQuery {
            key: row.delivery.key(),
            payload_sha256,
        })
    };
    rows.iter().filter_map(claim).collect()
}
