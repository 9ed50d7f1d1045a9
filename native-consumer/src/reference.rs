//! Reference layers in memory: loaded, kept up to date without a restart, and asked.
//!
//! A layer that changed replaces the old one at once and only when it loaded whole; a reload
//! that fails keeps the old one, with an alert. Until a layer has loaded once, events that
//! need it wait and spend nothing. Which geometries match is `hexlane-join`'s business.

mod keeper;
mod origin;

use self::keeper::Keeper;
use self::origin::Origin;
use crate::metrics::Metrics;
use crate::settings::ReferenceSettings;
use hexlane_backend::Failure;
use hexlane_backend_postgis::PostgisLayers;
use hexlane_core::effect::Effect;
use hexlane_engine::{Join, JoinFailure, StopSignal};
use hexlane_join::{Layer, Matches, Subject, document};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// A layer as it is now.
#[derive(Debug)]
struct Slot {
    name: String,
    current: RwLock<Option<Arc<Layer>>>,
}

impl Slot {
    fn current(&self) -> Option<Arc<Layer>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    fn replace(&self, layer: Layer) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Arc::new(layer));
    }
}

/// The layers of each source.
#[derive(Debug, Default)]
pub struct ReferenceLayers {
    sources: BTreeMap<String, Vec<Arc<Slot>>>,
}

impl ReferenceLayers {
    /// Loads every layer once, whatever comes of it, and keeps each up to date until the stop.
    ///
    /// # Errors
    /// The server of the tables cannot be asked as the settings say. That it is away is none.
    pub async fn start(
        settings: &ReferenceSettings,
        metrics: &Arc<Metrics>,
        stop: &StopSignal,
    ) -> Result<Self, Failure> {
        let server = settings.server.as_ref().map(PostgisLayers::new);
        let server = server.transpose()?;
        let mut slots = BTreeMap::new();
        for layer in &settings.layers {
            let slot = Arc::new(Slot {
                name: layer.name.clone(),
                current: RwLock::default(),
            });
            let origin = Origin::of(&layer.place, server.as_ref())?;
            let mut keeper = Keeper::new(origin, layer, Arc::clone(&slot), Arc::clone(metrics));
            keeper.look().await;
            tokio::spawn(keeper.keep(stop.clone()));
            slots.insert(layer.name.clone(), slot);
        }
        let of_source = |names: &Vec<String>| {
            let slots = names.iter().filter_map(|name| slots.get(name));
            slots.cloned().collect()
        };
        let sources = settings.joins.iter();
        Ok(Self {
            sources: sources
                .map(|(source, names)| (source.clone(), of_source(names)))
                .collect(),
        })
    }
}

impl Join for ReferenceLayers {
    fn wants(&self, source: &str) -> bool {
        self.sources.contains_key(source)
    }

    fn join(&self, effect: &Effect) -> Result<String, JoinFailure> {
        let slots = self.sources.get(&effect.envelope.source);
        let slots = slots.map_or(&[][..], Vec::as_slice);
        let layers = slots.iter().map(|slot| slot.current().ok_or(slot));
        let layers = layers.collect::<Result<Vec<Arc<Layer>>, _>>();
        let layers = layers.map_err(|slot| JoinFailure::Away {
            layer: slot.name.clone(),
        })?;
        let subject = Subject::of_wkb(effect.wkb.as_deref().unwrap_or_default());
        let subject = subject.map_err(|error| JoinFailure::Failed {
            layer: slots
                .first()
                .map_or_else(String::new, |slot| slot.name.clone()),
            message: error.to_string(),
        })?;
        let answers: Vec<(&str, Matches<'_>)> = layers
            .iter()
            .map(|layer| (layer.name(), layer.matches(&subject)))
            .collect();
        Ok(document(answers))
    }
}
