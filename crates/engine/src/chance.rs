//! Chance, as an argument: whoever runs the engine says where randomness comes from.

use hexlane_delivery::Draw;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Draws.
pub trait Chance: Send + Sync + fmt::Debug + 'static {
    /// The next draw.
    fn draw(&self) -> Draw;
}

/// A sequence fixed by its seed (`SplitMix64`, Steele, Lea and Flood 2014). Spreads
/// retries; keeps no secret.
#[derive(Debug)]
pub struct SeededChance(AtomicU64);

impl SeededChance {
    /// The sequence of that seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }
}

impl Chance for SeededChance {
    fn draw(&self) -> Draw {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Draw(mixed ^ (mixed >> 31))
    }
}
