//! One draw of chance, made by the caller. Never drawn here.

/// 64 uniform random bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw(pub u64);

impl Draw {
    /// A uniform value of `low..=high`; `low` when the interval is empty.
    #[must_use]
    pub fn within(self, low: u64, high: u64) -> u64 {
        let width = u128::from(high.saturating_sub(low)) + 1;
        let offset = (u128::from(self.0) * width) >> 64;
        // `offset` < `width` ≤ 2^64, so it fits.
        low.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
    }

    /// A second draw made of the same bits, for a decision that needs two.
    #[must_use]
    pub const fn second(self) -> Self {
        Self(self.0.rotate_left(32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_draw_stays_in_its_interval(bits: u64, low: u64, high: u64) {
            let drawn = Draw(bits).within(low, high);
            prop_assert!(drawn >= low && drawn <= high.max(low));
        }
    }

    #[test]
    fn both_ends_of_an_interval_can_be_drawn() {
        assert_eq!(Draw(0).within(5, 9), 5);
        assert_eq!(Draw(u64::MAX).within(5, 9), 9);
        assert_eq!(Draw(u64::MAX).within(0, u64::MAX), u64::MAX);
    }
}
