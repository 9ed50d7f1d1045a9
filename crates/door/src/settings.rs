//! The door's settings: the same tables in `hexlane.toml` and in `wrangler.toml`.

use crate::open::Door;
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{SourceError, SourceSettings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// As written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoorSettings {
    /// Who may send, by name.
    #[serde(default)]
    pub sources: BTreeMap<String, SourceSettings>,
    /// What one request may cost.
    #[serde(default)]
    pub limits: Limits,
    /// How many shards the queue has; fixed for the life of a queue.
    #[serde(default = "default_shards")]
    pub shards: u16,
}

const fn default_shards() -> u16 {
    ShardMap::SHARDS_DEFAULT
}

impl Default for DoorSettings {
    fn default() -> Self {
        Self {
            sources: BTreeMap::new(),
            limits: Limits::default(),
            shards: default_shards(),
        }
    }
}

/// Why settings do not make a door.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A source does not resolve.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Not a shard count.
    #[error("`shards` is {0}, not 1 to 999")]
    Shards(u16),
}

impl DoorSettings {
    /// The door; `secret` looks a secret up by its name.
    ///
    /// # Errors
    /// When a setting has no meaning, or a secret is missing.
    pub fn resolve(&self, secret: impl Fn(&str) -> Option<String>) -> Result<Door, SettingsError> {
        let shard_map = ShardMap::new(self.shards).ok_or(SettingsError::Shards(self.shards))?;
        let mut sources = BTreeMap::new();
        for (name, settings) in &self.sources {
            sources.insert(name.clone(), settings.resolve(name, &secret)?);
        }
        Ok(Door::new(sources, self.limits, shard_map))
    }
}
