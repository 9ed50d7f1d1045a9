//! One layer, kept up to date: looked at now and then, loaded again when it changed.

use super::Slot;
use super::origin::Origin;
use crate::metrics::Metrics;
use crate::settings::LayerSettings;
use hexlane_backend::{Failure, LayerStamp};
use hexlane_engine::StopSignal;
use hexlane_join::{LayerBuilder, LayerError, LayerRules, Made};
use std::sync::Arc;
use std::time::Duration;

/// The stable code of the alert.
const LOAD_FAILED: &str = "layer.load_failed";

/// Why a layer did not load.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error(transparent)]
    Away(#[from] Failure),
    #[error(transparent)]
    Unusable(#[from] LayerError),
    #[error("its reader died")]
    Died,
}

/// Keeps one layer.
pub(super) struct Keeper {
    origin: Origin,
    rules: LayerRules,
    reload: Duration,
    slot: Arc<Slot>,
    metrics: Arc<Metrics>,
    /// The state that is loaded, or cannot be: it is not read again.
    done: Option<LayerStamp>,
    /// What was told last, so that the log does not repeat it every time.
    told: Option<String>,
}

impl Keeper {
    pub(super) fn new(
        origin: Origin,
        settings: &LayerSettings,
        slot: Arc<Slot>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            origin,
            rules: settings.rules.clone(),
            reload: settings.reload,
            slot,
            metrics,
            done: None,
            told: None,
        }
    }

    /// Looks at it until the stop.
    pub(super) async fn keep(mut self, stop: StopSignal) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(self.reload) => {}
                () = stop.stopping() => return,
            }
            self.look().await;
        }
    }

    /// Loads it when it is in another state than before.
    pub(super) async fn look(&mut self) {
        match self.origin.stamp().await {
            Ok(stamp) if self.done.as_ref() == Some(&stamp) => {
                self.told = None;
                return;
            }
            Ok(_) => {}
            Err(failure) => return self.failed(&failure.into()),
        }
        if let Err(error) = self.load().await {
            self.failed(&error);
        }
    }

    async fn load(&mut self) -> Result<(), LoadError> {
        let (stamp, content) = self.origin.read().await?;
        let (name, rules) = (self.slot.name.clone(), self.rules.clone());
        let made = tokio::task::spawn_blocking(move || {
            let mut builder = LayerBuilder::new(&name, rules);
            content.add_to(&mut builder)?;
            Ok::<Made, LayerError>(builder.build())
        });
        let made = made.await.map_err(|_| LoadError::Died)?;
        self.done = Some(stamp);
        self.loaded(made?);
        Ok(())
    }

    fn loaded(&mut self, made: Made) {
        let (layer, features) = (&self.slot.name, made.layer.features());
        let faulty = made.faults_total;
        for fault in &made.faults {
            tracing::warn!(layer, %fault, "a reference feature is faulty");
        }
        tracing::info!(layer, features, faulty, "reference layer loaded");
        self.slot.replace(made.layer);
        self.metrics.layer_loaded();
        self.told = None;
    }

    /// An alert the first time it is told so, and counted each time.
    fn failed(&mut self, error: &LoadError) {
        let detail = error.to_string();
        self.metrics.layer_load_failed();
        if self.told.as_ref() == Some(&detail) {
            tracing::debug!(layer = self.slot.name, detail, "still not loaded");
            return;
        }
        let keeps_old = self.slot.current().is_some();
        tracing::error!(
            code = LOAD_FAILED,
            layer = self.slot.name,
            keeps_old,
            detail,
            "alert"
        );
        self.metrics.alert(LOAD_FAILED);
        self.told = Some(detail);
    }
}
