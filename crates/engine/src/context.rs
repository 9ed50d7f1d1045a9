//! What every shard of an engine shares.

use crate::chance::Chance;
use crate::join::Join;
use crate::observer::{Observation, Observer, PauseReason};
use crate::outages::Outages;
use crate::reader::Reader;
use crate::settings::EngineSettings;
use crate::stop::StopSignal;
use crate::stores::Backends;
use hexlane_backend::{Clock, Failure};
use hexlane_core::lane::Shard;
use hexlane_delivery::{Code, Credits, Load};
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

pub(crate) struct Context<B: Backends> {
    pub(crate) stores: B,
    pub(crate) reader: Arc<dyn Reader>,
    pub(crate) join: Arc<dyn Join>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) settings: EngineSettings,
    pub(crate) stop: StopSignal,
    pub(crate) credits: SharedCredits,
    pub(crate) outages: Outages,
}

impl<B: Backends> Context<B> {
    /// No wait that the policy draws is longer: a due time beyond it comes from a clock
    /// that was stepped.
    pub(crate) fn latest_due_us(&self) -> i64 {
        let wait_us = self.settings.retry.wait_ms_max().saturating_mul(1_000);
        self.clock.now_us().saturating_add_unsigned(wait_us)
    }

    /// An operator is needed: a log entry with a stable code, and a count.
    pub(crate) fn alert(&self, shard: Shard, code: &Code, detail: &dyn Display) {
        tracing::error!(%shard, code = %code, %detail, "alert");
        self.observer
            .observe(shard, Observation::Alert { code: code.clone() });
    }

    /// A shard waits for something. Each shard is counted; the log has one line, an alert
    /// where no waiting helps, until the last shard goes on.
    pub(crate) fn away(&self, shard: Shard, reason: PauseReason, failure: &Failure) {
        let met = self.outages.meet(shard, reason, failure.code);
        let needs_operator = failure.kind.needs_operator();
        let (code, what, name) = (failure.code.as_str(), reason.what(), reason.as_str());
        match (met.is_news, needs_operator) {
            (true, true) => tracing::error!(
                reason = name, code, %failure,
                "alert: {what} does not work and needs an operator; events wait, none is lost, \
                 and it goes on by itself once that is mended"
            ),
            (true, false) => tracing::warn!(
                reason = name, code, %failure,
                "{what} is away; events wait, none is lost, and it goes on by itself"
            ),
            (false, _) => tracing::debug!(%shard, reason = name, code, %failure, "paused"),
        }
        let code = Code::Borrowed(code);
        if needs_operator {
            let code = code.clone();
            self.observer.observe(shard, Observation::Alert { code });
        }
        if met.is_first_of_shard {
            self.observer
                .observe(shard, Observation::Paused { reason, code });
        }
    }

    /// A shard waits for that no more, if it did.
    pub(crate) fn back(&self, shard: Shard, reason: PauseReason) {
        let Some(left) = self.outages.leave(shard, reason) else {
            return;
        };
        let name = reason.as_str();
        if left.is_last {
            tracing::info!(reason = name, "{} is back; delivery goes on", reason.what());
        } else {
            tracing::debug!(%shard, reason = name, "resumed");
        }
        self.observer
            .observe(shard, Observation::Resumed { reason });
    }
}

/// The credits of all shards, and a bell for when some come back.
pub(crate) struct SharedCredits {
    credits: Mutex<Credits>,
    pub(crate) freed: Notify,
}

impl SharedCredits {
    pub(crate) fn new(credits: Credits) -> Self {
        Self {
            credits: Mutex::new(credits),
            freed: Notify::new(),
        }
    }

    pub(crate) fn reserve(&self, wanted: Load, least: usize, shard_entries: usize) -> Option<Load> {
        self.with(|credits| credits.reserve(wanted, least, shard_entries))
    }

    pub(crate) fn fetched(&self, reserved: Load, got: Load) {
        self.with(|credits| credits.fetched(reserved, got));
        self.freed.notify_one();
    }

    pub(crate) fn give_back(&self, load: Load) {
        if load.entries > 0 {
            self.with(|credits| credits.give_back(load));
            self.freed.notify_one();
        }
    }

    /// A panic elsewhere cannot leave the counts half changed: each change is one call.
    fn with<T>(&self, change: impl FnOnce(&mut Credits) -> T) -> T {
        change(&mut self.credits.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
