//! Lanes: which events keep their order among themselves, and where they queue.
//!
//! `cell` is the cell of one deterministic point of the geometry, of H3, S2 or quadkeys; the lane key is
//! the cell, the entity, or both; the shard is the first eight bytes of SHA-256 of the
//! lane key, big-endian, modulo the shard count. `tests/golden/shards.json` holds
//! vectors that any language can repeat.

mod cell;
mod point;
mod quadkey;
mod s2;

pub use cell::{Cell, Grid};
pub use point::lane_point;

use crate::digest::{leading_u64, sha256};
use std::fmt;

/// What a source's lane key is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum LaneRule {
    /// Order per cell.
    #[default]
    #[serde(rename = "cell")]
    Cell,
    /// Order per entity.
    #[serde(rename = "entity")]
    Entity,
    /// Order per entity within a cell.
    #[serde(rename = "cell+entity")]
    CellAndEntity,
}

impl LaneRule {
    /// Whether the lane key cannot be made without a geometry.
    #[must_use]
    pub const fn needs_cell(self) -> bool {
        match self {
            Self::Cell | Self::CellAndEntity => true,
            Self::Entity => false,
        }
    }
}

/// Events of one lane key keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey(String);

impl LaneKey {
    /// A lane key as it stands in an envelope.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The key's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LaneKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A physical slice of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shard(u16);

impl Shard {
    /// The shard of that number.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// Its number, from 0.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:03}", self.0)
    }
}

/// The rule lane → shard: a fixed count, and a version that changes with the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardMap {
    shards: u16,
}

impl ShardMap {
    /// The version of the hash: SHA-256, first eight bytes, big-endian, modulo.
    pub const VERSION: u32 = 1;
    /// The usual count.
    pub const SHARDS_DEFAULT: u16 = 64;
    /// The largest count: names have three digits.
    pub const SHARDS_MAX: u16 = 999;

    /// The map of that many shards; none outside 1..=999.
    #[must_use]
    pub const fn new(shards: u16) -> Option<Self> {
        if shards == 0 || shards > Self::SHARDS_MAX {
            None
        } else {
            Some(Self { shards })
        }
    }

    /// How many shards there are.
    #[must_use]
    pub const fn shards(self) -> u16 {
        self.shards
    }

    /// The shard of a lane key.
    #[must_use]
    pub fn shard(self, lane_key: &LaneKey) -> Shard {
        let number = leading_u64(&sha256(lane_key.as_str().as_bytes())) % u64::from(self.shards);
        Shard(u16::try_from(number).unwrap_or(0))
    }

    /// Every shard, in order.
    pub fn all(self) -> impl Iterator<Item = Shard> {
        (0..self.shards).map(Shard)
    }
}

impl Default for ShardMap {
    fn default() -> Self {
        Self {
            shards: Self::SHARDS_DEFAULT,
        }
    }
}
