//! The work on one shard under one lease.
//!
//! Each round does three things side by side: the next batch, the settlements of the
//! last one, and a fetch. The round ends when all three have, so nothing that changes a
//! store is ever dropped half-way, and at most one apply of the shard is in flight.

use crate::attempt::{Attempt, attempt};
use crate::closing::Closing;
use crate::context::Context;
use crate::doorbell::ShardBell;
use crate::end::End;
use crate::fetch::{Fetched, fetch};
use crate::observer::{Observation, PauseReason};
use crate::pause::Pause;
use crate::row::Row;
use crate::settings::{CREDITS_PATIENCE, OUTAGE};
use crate::settle::{Flushed, SETTLE_EVENTS_MAX, flush};
use crate::stores::Backends;
use crate::tenure::Tenure;
use hexlane_backend::{Failure, Position};
use hexlane_core::lane::Shard;
use hexlane_delivery::{Code, Lanes, Load};
use std::sync::Arc;
use std::time::Duration;

/// A shard in hand.
pub(crate) struct Ownership<'a, B: Backends> {
    /// How often the queue was waited for; it is over with the first good fetch.
    queue_outage: &'a mut Pause,
    context: Arc<Context<B>>,
    tenure: Arc<Tenure>,
    bell: Arc<ShardBell>,
    lanes: Lanes<Row>,
    outbox: Vec<Closing>,
    held: Load,
    position: Position,
    /// There may be more on the queue.
    hungry: bool,
    /// Monotonic.
    poll_at: Duration,
    /// Monotonic; the queue did not take the last settlements.
    flush_at: Duration,
    flush_failures: u32,
    /// Monotonic; until then a sliver of credits is not worth a fetch. None while there is
    /// more.
    patient_until: Option<Duration>,
}

impl<B: Backends> Drop for Ownership<'_, B> {
    fn drop(&mut self) {
        self.context.credits.give_back(self.held);
    }
}

impl<'a, B: Backends> Ownership<'a, B> {
    pub(crate) fn new(
        context: Arc<Context<B>>,
        tenure: Arc<Tenure>,
        bell: Arc<ShardBell>,
        queue_outage: &'a mut Pause,
    ) -> Self {
        Self {
            queue_outage,
            context,
            tenure,
            bell,
            lanes: Lanes::default(),
            outbox: Vec::new(),
            held: Load::default(),
            position: Position::Pending,
            hungry: true,
            poll_at: Duration::ZERO,
            flush_at: Duration::ZERO,
            flush_failures: 0,
            patient_until: None,
        }
    }

    /// Works until there is a reason not to, and settles what can be settled.
    pub(crate) async fn run(mut self) -> End {
        let end = loop {
            if let Err(end) = self.may_go_on() {
                break end;
            }
            if let Err(end) = self.round().await {
                break end;
            }
        };
        match end {
            End::Fenced | End::Lapsed => end,
            End::Stopped | End::FetchLost(_) => self.drain().await.err().unwrap_or(end),
            End::Halted { reason, code } => self.halt(reason, &code).await,
        }
    }

    fn may_go_on(&self) -> Result<(), End> {
        if self.context.stop.is_stopping() {
            return Err(End::Stopped);
        }
        self.tenure.may_dispatch(&self.context)
    }

    async fn round(&mut self) -> Result<(), End> {
        let runs = self
            .lanes
            .take(self.context.clock.now_us(), &self.context.settings.batch);
        let closings = self.due_closings();
        let reserved = self.reserve();
        if runs.is_empty() && closings.is_empty() && reserved.is_none() {
            self.wait().await;
            return Ok(());
        }
        self.tell(runs.iter().map(|run| run.entries.len()).sum::<usize>() + closings.len());
        let (context, tenure) = (Arc::clone(&self.context), Arc::clone(&self.tenure));
        let position = self.position;
        let fetching = async {
            match reserved {
                Some(reserved) => fetch(&context, &tenure, position, reserved).await.map(Some),
                None => Ok(None),
            }
        };
        let (attempted, flushed, fetched) = tokio::join!(
            attempt(&context, &tenure, runs),
            flush(&context, &tenure, closings),
            fetching
        );
        let ends = [
            self.absorb_attempt(attempted),
            self.absorb_flushed(flushed),
            self.absorb_fetched(fetched),
        ];
        worst(ends)
    }

    /// Settlements to send now.
    fn due_closings(&mut self) -> Vec<Closing> {
        if self.context.clock.monotonic() < self.flush_at {
            return Vec::new();
        }
        let count = self.outbox.len().min(SETTLE_EVENTS_MAX);
        self.outbox.drain(..count).collect()
    }

    /// Room for a fetch, when one is wanted: never so much that the batch after next
    /// would wait in memory.
    fn reserve(&mut self) -> Option<Load> {
        self.hungry |= self.bell.take();
        let settings = &self.context.settings;
        let is_due = self.hungry || self.context.clock.monotonic() >= self.poll_at;
        let runnable = self
            .lanes
            .waiting()
            .saturating_sub(self.lanes.parked_entries());
        if !is_due || runnable >= settings.batch.events_max {
            return None;
        }
        let wanted = Load {
            entries: settings.batch.events_max,
            bytes: settings.fetch_bytes_max,
        };
        let now = self.context.clock.monotonic();
        let least = match self.patient_until {
            Some(until) if until <= now => 1,
            Some(_) | None => self.context.settings.fetch_events_least(),
        };
        let credits = &self.context.credits;
        let granted = credits.reserve(wanted, least, self.held.entries);
        if granted.is_some() {
            self.patient_until = None;
        } else {
            let until = now.saturating_add(CREDITS_PATIENCE);
            self.patient_until.get_or_insert(until);
        }
        granted
    }

    fn absorb_attempt(&mut self, attempt: Attempt) -> Result<(), End> {
        self.outbox.extend(attempt.closings);
        for key in &attempt.free_keys {
            self.lanes.finish(key);
        }
        attempt.end.map_or(Ok(()), Err)
    }

    fn absorb_flushed(&mut self, flushed: Flushed) -> Result<(), End> {
        self.context.credits.give_back(flushed.gone);
        self.held.entries = self.held.entries.saturating_sub(flushed.gone.entries);
        self.held.bytes = self.held.bytes.saturating_sub(flushed.gone.bytes);
        for run in flushed.again {
            self.lanes.give_back(run);
        }
        match flushed.unsettled {
            Some((closings, failure)) => self.keep_unsettled(closings, &failure),
            None if self.flush_failures > 0
                && flushed.end.is_none()
                && flushed.gone.entries > 0 =>
            {
                self.flush_failures = 0;
                self.context.back(self.shard(), PauseReason::Queue);
            }
            None => {}
        }
        flushed.end.map_or(Ok(()), Err)
    }

    fn keep_unsettled(&mut self, closings: Vec<Closing>, failure: &Failure) {
        self.context.away(self.shard(), PauseReason::Queue, failure);
        self.flush_failures = self.flush_failures.saturating_add(1);
        let delay_ms = OUTAGE.delay_ms(self.flush_failures, 0, self.context.chance.draw());
        self.flush_at = self
            .context
            .clock
            .monotonic()
            .saturating_add(Duration::from_millis(delay_ms));
        self.outbox.splice(0..0, closings);
    }

    fn absorb_fetched(&mut self, fetched: Result<Option<Fetched>, End>) -> Result<(), End> {
        let Some(fetched) = fetched? else {
            return Ok(());
        };
        // A queue that hands out and takes no settlements is not back.
        if self.flush_failures == 0 {
            self.queue_outage
                .over(&self.context, self.tenure.lease.shard);
        }
        let poll = Duration::from_millis(self.context.settings.poll_ms);
        self.poll_at = self.context.clock.monotonic().saturating_add(poll);
        self.hungry = fetched.load.entries > 0;
        if fetched.load.entries == 0 && self.position == Position::Pending {
            self.position = Position::New;
            self.hungry = true;
        }
        self.held.entries += fetched.load.entries;
        self.held.bytes += fetched.load.bytes;
        for row in fetched.rows {
            let key = row.key.clone();
            let entry = row.into_entry(self.context.latest_due_us());
            self.lanes.push(&key, entry);
        }
        Ok(())
    }

    /// Nothing to do: until the bell, a due time, free credits, the next poll, or a stop.
    async fn wait(&mut self) {
        self.tell(self.outbox.len());
        let wait = self.idle_time();
        let starved = self.hungry;
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = self.context.stop.stopping() => {}
            () = self.bell.rung() => {}
            () = self.context.credits.freed.notified(), if starved => {}
        }
    }

    /// At least a millisecond, so that a clock that stands still does not spin.
    fn idle_time(&self) -> Duration {
        let now = self.context.clock.monotonic();
        let poll = Duration::from_millis(self.context.settings.poll_ms);
        let mut idle = self
            .poll_at
            .checked_sub(now)
            .filter(|left| !left.is_zero())
            .unwrap_or(poll);
        if let Some(left) = self.patient_until.and_then(|until| until.checked_sub(now)) {
            idle = idle.min(left);
        }
        if let Some(due_at_us) = self.lanes.next_due_at_us() {
            let left_us = due_at_us.saturating_sub(self.context.clock.now_us());
            idle = idle.min(Duration::from_micros(u64::try_from(left_us).unwrap_or(0)));
        }
        if !self.outbox.is_empty() {
            idle = idle.min(self.flush_at.saturating_sub(now));
        }
        idle.max(Duration::from_millis(1))
    }

    /// Settles what is decided; what is not stays on the queue.
    async fn drain(&mut self) -> Result<(), End> {
        while !self.outbox.is_empty() {
            self.tenure.may_dispatch(&self.context)?;
            let closings = self.due_closings();
            let flushed = flush(&self.context, &self.tenure, closings).await;
            self.absorb_flushed(flushed)?;
            let left = self.flush_at.saturating_sub(self.context.clock.monotonic());
            if !left.is_zero() {
                tokio::time::sleep(left).await;
            }
        }
        Ok(())
    }

    /// Keeps the shard and does nothing with it: order needs an operator.
    async fn halt(&mut self, reason: PauseReason, code: &Code) -> End {
        self.context.alert(self.shard(), code, &reason.as_str());
        self.observe(Observation::Paused {
            reason,
            code: code.clone(),
        });
        if let Err(end) = self.drain().await {
            return end;
        }
        let look = Duration::from_millis(self.context.settings.poll_ms.max(1));
        loop {
            if let Err(end) = self.may_go_on() {
                return end;
            }
            tokio::select! {
                () = tokio::time::sleep(look) => {}
                () = self.context.stop.stopping() => {}
            }
        }
    }

    fn tell(&self, in_flight: usize) {
        let (events, parked_keys) = (self.held.entries, self.lanes.parked_keys());
        self.observe(Observation::Held {
            events,
            in_flight,
            parked_keys,
        });
    }

    fn shard(&self) -> Shard {
        self.tenure.lease.shard
    }

    fn observe(&self, observation: Observation) {
        self.context.observer.observe(self.shard(), observation);
    }
}

/// Of several reasons to end, the one that allows least.
fn worst(ends: [Result<(), End>; 3]) -> Result<(), End> {
    let rank = |end: &End| match end {
        End::Fenced => 0,
        End::Lapsed => 1,
        End::Halted { .. } => 2,
        End::FetchLost(_) => 3,
        End::Stopped => 4,
    };
    ends.into_iter()
        .filter_map(Result::err)
        .min_by_key(rank)
        .map_or(Ok(()), Err)
}
