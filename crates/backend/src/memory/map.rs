//! Map state in memory: claims, entities, tombstones and dead letters under one mutex, as
//! a database would commit them together.

use super::lock;
use crate::dead_letters::StoredDeadLetter;
use crate::fence::Fence;
use crate::key::EventKey;
use crate::tally::OutcomeCounts;
use hexlane_core::digest::Sha256Digest;
use hexlane_core::version::Version;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// Sink and dead letters in memory. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    pub(super) state: Arc<Mutex<MapState>>,
}

/// What stands on the map for an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryFeature {
    /// The event that put it.
    pub event_id: String,
    /// Its version.
    pub version: Version,
    /// ISO well-known binary; none for a null geometry.
    pub wkb: Option<Vec<u8>>,
    /// JSON object text, or `null`.
    pub properties: String,
    /// What reference layers say of its place, JSON object text.
    pub joined: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct MapState {
    pub(super) fence: Fence,
    pub(super) claims: HashMap<EventKey, Claim>,
    pub(super) entities: BTreeMap<(String, String), EntityState>,
    pub(super) letters: Vec<StoredDeadLetter>,
    pub(super) tally: OutcomeCounts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) payload_sha256: Sha256Digest,
    pub(super) state: ClaimState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimState {
    Applied,
    Stale,
    Dead,
}

#[derive(Clone, Debug)]
pub(super) struct EntityState {
    pub(super) version: Version,
    /// None is a tombstone.
    pub(super) feature: Option<MemoryFeature>,
}

impl MemoryMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every feature on the map, by source and entity.
    #[must_use]
    pub fn features(&self) -> Vec<((String, String), MemoryFeature)> {
        let state = lock(&self.state);
        let shown = |(name, entity): (&(String, String), &EntityState)| {
            entity
                .feature
                .clone()
                .map(|feature| (name.clone(), feature))
        };
        state.entities.iter().filter_map(shown).collect()
    }
}
