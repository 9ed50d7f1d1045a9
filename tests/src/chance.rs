//! Seeded chance, so that a run which failed can be run again.

use crate::tools::variable;
use crate::wait;

/// Splitmix64.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// By the seed of `HEXLANE_SEED`, else by one that differs each second; printed.
    ///
    /// # Panics
    /// When `HEXLANE_SEED` is no number.
    #[must_use]
    pub fn seeded() -> Self {
        let given =
            variable("HEXLANE_SEED").map(|text| text.parse().expect("HEXLANE_SEED is a number"));
        let seed = given.unwrap_or_else(|| wait::now_s().unsigned_abs());
        eprintln!("HEXLANE_SEED={seed} runs this again");
        Self(seed)
    }

    /// From 0 up to but not including `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }
}
