//! The engine: one task per shard, one doorbell, one way to stop.

use crate::chance::Chance;
use crate::context::{Context, SharedCredits};
use crate::doorbell::Doorbell;
use crate::join::{Join, Unjoined};
use crate::observer::{Observer, Unobserved};
use crate::outages::Outages;
use crate::reader::Reader;
use crate::settings::EngineSettings;
use crate::shard::serve;
use crate::stop::StopSignal;
use crate::stores::Backends;
use hexlane_backend::Clock;
use hexlane_delivery::Credits;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// Drains a queue into a sink.
pub struct Engine<B: Backends> {
    stores: B,
    settings: EngineSettings,
    reader: Arc<dyn Reader>,
    join: Arc<dyn Join>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    observer: Arc<dyn Observer>,
}

/// How an engine ended that was asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stopped {
    /// Everything in flight was settled and every lease given back.
    Drained,
    /// The drain limit passed, or a second stop came. Nothing is lost; leases run out.
    CutOff,
}

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// A call could outlast the lease it was made under. A setting must change.
    #[error("a lease of {lease_ms} ms is too short for store calls of up to {call_ms_max} ms")]
    LeaseTooShort {
        /// What the authority gives.
        lease_ms: u64,
        /// How long a call may take.
        call_ms_max: u64,
    },
    /// The task of a shard died. A defect; start again.
    #[error("a shard's task died: {0}")]
    TaskDied(String),
}

impl<B: Backends> Engine<B> {
    /// An engine on these stores, unobserved, that joins nothing.
    #[must_use]
    pub fn new(
        stores: B,
        settings: EngineSettings,
        reader: Arc<dyn Reader>,
        clock: Arc<dyn Clock>,
        chance: Arc<dyn Chance>,
    ) -> Self {
        Self {
            stores,
            settings,
            reader,
            join: Arc::new(Unjoined),
            clock,
            chance,
            observer: Arc::new(Unobserved),
        }
    }

    /// The same, telling an observer.
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// The same, joining events with reference layers before they are applied.
    #[must_use]
    pub fn joined_by(mut self, join: Arc<dyn Join>) -> Self {
        self.join = join;
        self
    }

    /// Runs until it is stopped. Dropping the future is a crash: nothing is lost.
    ///
    /// # Errors
    /// When it cannot go on; what was in flight comes again.
    pub async fn run(self, stop: StopSignal) -> Result<Stopped, EngineError> {
        let drain_max = Duration::from_millis(self.settings.drain_ms_max);
        let context = Arc::new(self.into_context(stop.clone()));
        let doorbell = Doorbell::start(Arc::clone(&context));
        let mut shards = JoinSet::new();
        for shard in &context.settings.shards {
            shards.spawn(serve(Arc::clone(&context), *shard, doorbell.of(*shard)));
        }
        let cut_off = async {
            stop.stopping().await;
            tokio::select! {
                () = tokio::time::sleep(drain_max) => {}
                () = stop.ending() => {}
            }
        };
        let ended = tokio::select! {
            biased;
            ended = all_ended(&mut shards) => ended.map(|()| Stopped::Drained),
            () = cut_off => Ok(Stopped::CutOff),
        };
        shards.shutdown().await;
        ended
    }

    fn into_context(self, stop: StopSignal) -> Context<B> {
        Context {
            credits: SharedCredits::new(Credits::new(self.settings.credits)),
            outages: Outages::default(),
            stores: self.stores,
            reader: self.reader,
            join: self.join,
            clock: self.clock,
            chance: self.chance,
            observer: self.observer,
            settings: self.settings,
            stop,
        }
    }
}

async fn all_ended(shards: &mut JoinSet<Result<(), EngineError>>) -> Result<(), EngineError> {
    while let Some(ended) = shards.join_next().await {
        ended.map_err(|error: JoinError| EngineError::TaskDied(error.to_string()))??;
    }
    Ok(())
}
