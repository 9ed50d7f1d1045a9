//! The retry schedule: how long to wait after the n-th attempt.
//!
//! In saturating integer milliseconds, with c = min(cap, base · 2^(n−1)):
//! `none` c, `full` U\[0, c\], `equal` c/2 + U\[0, c/2\], `decorrelated`
//! min(cap, U\[base, 3 · previous\]). The previous delay is stored with the delivery, so
//! that a restart draws from the same interval. Source: M. Brooker, "Exponential
//! Backoff And Jitter", AWS Architecture Blog, 2015.

use crate::draw::Draw;

/// How chance enters a delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// Anywhere up to the backoff.
    #[default]
    Full,
    /// Half the backoff for certain, half by chance.
    Equal,
    /// Anywhere up to three times the previous delay.
    Decorrelated,
    /// The backoff itself.
    None,
}

impl Jitter {
    /// Every kind, in the order of the declaration.
    pub const ALL: [Self; 4] = [Self::Full, Self::Equal, Self::Decorrelated, Self::None];

    /// The fixed name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
            Self::None => "none",
        }
    }

    /// The kind of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|jitter| jitter.as_str() == name)
    }
}

/// When to try again and when to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How chance enters a delay.
    pub jitter: Jitter,
    /// The first backoff.
    pub base_ms: u64,
    /// The largest backoff: longer ones only delay recovery.
    pub cap_ms: u64,
    /// Failures that spend the budget; the last of them is the end.
    pub failures_max: u32,
    /// From the first attempt: bounds what spends no budget.
    pub age_ms_max: u64,
    /// No `Retry-After` is honoured beyond it: a header must not park an event for days.
    pub retry_after_ms_max: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            jitter: Jitter::Full,
            base_ms: 500,
            cap_ms: 30_000,
            failures_max: 6,
            age_ms_max: 24 * 60 * 60 * 1_000,
            retry_after_ms_max: 15 * 60 * 1_000,
        }
    }
}

/// The wait before the next attempt, and what it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// How long to wait: the longer of what was drawn and what was asked for.
    pub delay_ms: u64,
    /// What was drawn; the previous delay of the next draw.
    pub drawn_ms: u64,
}

impl RetryPolicy {
    /// No delay of this policy is longer.
    #[must_use]
    pub fn wait_ms_max(&self) -> u64 {
        self.cap_ms.max(self.retry_after_ms_max)
    }

    /// min(cap, base · 2^(n−1)) for the n-th attempt, from 1.
    #[must_use]
    pub fn backoff_ms(&self, attempt: u32) -> u64 {
        let factor = 1_u64
            .checked_shl(attempt.saturating_sub(1))
            .unwrap_or(u64::MAX);
        self.base_ms.saturating_mul(factor).min(self.cap_ms)
    }

    /// The delay after the n-th attempt, given the one before it (0 when there was none).
    #[must_use]
    pub fn delay_ms(&self, attempt: u32, previous_ms: u64, draw: Draw) -> u64 {
        let backoff_ms = self.backoff_ms(attempt);
        match self.jitter {
            Jitter::None => backoff_ms,
            Jitter::Full => draw.within(0, backoff_ms),
            Jitter::Equal => {
                let half_ms = backoff_ms / 2;
                (backoff_ms - half_ms).saturating_add(draw.within(0, half_ms))
            }
            Jitter::Decorrelated => {
                let high_ms = previous_ms.max(self.base_ms).saturating_mul(3);
                draw.within(self.base_ms, high_ms).min(self.cap_ms)
            }
        }
    }

    /// The wait after the n-th attempt when the other side may have asked for one. What it
    /// asks only lengthens the wait: `Retry-After: 0` must not empty the schedule.
    #[must_use]
    pub fn wait(&self, attempt: u32, previous_ms: u64, asked_ms: Option<u64>, draw: Draw) -> Wait {
        let drawn_ms = self.delay_ms(attempt, previous_ms, draw);
        let asked_ms = asked_ms.map_or(0, |asked_ms| self.spread_ms(asked_ms, draw.second()));
        Wait {
            delay_ms: drawn_ms.max(asked_ms),
            drawn_ms,
        }
    }

    /// Up to a tenth more, so that all who wait do not come back at once; never above the
    /// ceiling.
    fn spread_ms(&self, asked_ms: u64, draw: Draw) -> u64 {
        let asked_ms = asked_ms.min(self.retry_after_ms_max);
        asked_ms
            .saturating_add(draw.within(0, asked_ms / 10))
            .min(self.retry_after_ms_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn policy(jitter: Jitter, base_ms: u64, cap_ms: u64) -> RetryPolicy {
        RetryPolicy {
            jitter,
            base_ms,
            cap_ms,
            ..RetryPolicy::default()
        }
    }

    proptest! {
        #[test]
        fn invariant_15_a_delay_lies_in_its_formulas_interval(
            base_ms in 0..100_000_u64, cap_ms: u64, attempt in 1..200_u32, previous_ms: u64, bits: u64,
        ) {
            let exact = u128::from(base_ms) << (attempt - 1).min(64);
            let backoff = u64::try_from(exact.min(u128::from(cap_ms))).unwrap();
            let drawn = |jitter| policy(jitter, base_ms, cap_ms).delay_ms(attempt, previous_ms, Draw(bits));
            prop_assert_eq!(drawn(Jitter::None), backoff);
            prop_assert!(drawn(Jitter::Full) <= backoff);
            prop_assert!(drawn(Jitter::Equal) >= backoff / 2 && drawn(Jitter::Equal) <= backoff);
            let high = u128::from(previous_ms.max(base_ms)) * 3;
            let decorrelated = drawn(Jitter::Decorrelated);
            prop_assert!(decorrelated >= base_ms.min(cap_ms) && decorrelated <= cap_ms);
            prop_assert!(u128::from(decorrelated) <= high);
        }

        #[test]
        fn invariant_15_a_decorrelated_delay_follows_the_stored_previous_one(bits: u64) {
            let policy = policy(Jitter::Decorrelated, 500, u64::MAX);
            let first = policy.delay_ms(1, 0, Draw(bits));
            prop_assert!((500..=1_500).contains(&first));
            prop_assert!(policy.delay_ms(7, first, Draw(bits)) <= 3 * first);
        }

        #[test]
        fn invariant_17_what_is_asked_lengthens_a_wait_and_never_shortens_it(
            attempt in 1..20_u32, previous_ms in 0..100_000_u64, asked_ms in 0..10_000_000_u64, bits: u64,
        ) {
            let policy = RetryPolicy::default();
            let wait = |asked_ms| policy.wait(attempt, previous_ms, asked_ms, Draw(bits));
            let unasked = wait(None);
            prop_assert_eq!(unasked.delay_ms, policy.delay_ms(attempt, previous_ms, Draw(bits)));
            prop_assert_eq!(wait(Some(0)), unasked, "zero is no leave to come at once");
            let asked = wait(Some(asked_ms));
            prop_assert_eq!(asked.drawn_ms, unasked.drawn_ms);
            prop_assert!(asked.delay_ms >= unasked.delay_ms);
            prop_assert!(asked.delay_ms >= asked_ms.min(policy.retry_after_ms_max));
            prop_assert!(asked.delay_ms <= policy.wait_ms_max());
        }
    }

    #[test]
    fn the_default_backoff_doubles_from_half_a_second_up_to_thirty() {
        let policy = RetryPolicy::default();
        let backoffs: Vec<u64> = (1..=8).map(|attempt| policy.backoff_ms(attempt)).collect();
        assert_eq!(
            backoffs,
            [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]
        );
        assert_eq!(policy.backoff_ms(u32::MAX), 30_000);
    }

    #[test]
    fn every_jitter_is_found_by_its_name() {
        for jitter in Jitter::ALL {
            assert_eq!(Jitter::from_name(jitter.as_str()), Some(jitter));
        }
        assert_eq!(Jitter::from_name("some"), None);
    }
}
