//! Credits: how much may be held in memory, over all shards of a process.
//!
//! A fetch reserves entries and bytes before it reads and reports what it got; a
//! settlement gives them back. The cap on entries is exact; the cap on bytes can be
//! passed by the first entry of a fetch, which a queue always hands out.

use crate::limits::CreditLimits;

/// What is held or reserved now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credits {
    limits: CreditLimits,
    held: Load,
}

/// Entries and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// How many.
    pub entries: usize,
    /// Their encoded size.
    pub bytes: usize,
}

impl Credits {
    /// Nothing held.
    #[must_use]
    pub const fn new(limits: CreditLimits) -> Self {
        Self {
            limits,
            held: Load {
                entries: 0,
                bytes: 0,
            },
        }
    }

    /// Reserves up to `wanted` for a shard that holds `shard_entries`; none when there
    /// is no room for one entry, or not for `least` of them over all shards. Who can wait
    /// for a batch asks so: many shards that each take what just came free would all
    /// go on with slivers, and a batch costs nearly as much as its rows.
    #[must_use]
    pub fn reserve(&mut self, wanted: Load, least: usize, shard_entries: usize) -> Option<Load> {
        let share = self.limits.shard_entries_max.saturating_sub(shard_entries);
        let free = self.limits.entries_max.saturating_sub(self.held.entries);
        let entries = wanted.entries.min(share).min(free);
        let bytes = wanted
            .bytes
            .min(self.limits.bytes_max.saturating_sub(self.held.bytes));
        if entries == 0 || bytes == 0 || free < least {
            return None;
        }
        self.hold(Load { entries, bytes });
        Some(Load { entries, bytes })
    }

    /// A fetch that had `reserved` got `got`.
    pub const fn fetched(&mut self, reserved: Load, got: Load) {
        self.give_back(reserved);
        self.hold(got);
    }

    /// Entries are settled or handed back.
    pub const fn give_back(&mut self, load: Load) {
        self.held.entries = self.held.entries.saturating_sub(load.entries);
        self.held.bytes = self.held.bytes.saturating_sub(load.bytes);
    }

    /// What is held or reserved.
    #[must_use]
    pub const fn held(&self) -> Load {
        self.held
    }

    const fn hold(&mut self, load: Load) {
        self.held.entries = self.held.entries.saturating_add(load.entries);
        self.held.bytes = self.held.bytes.saturating_add(load.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LIMITS: CreditLimits = CreditLimits {
        entries_max: 100,
        bytes_max: 1_000,
        shard_entries_max: 60,
    };

    fn wanted(entries: usize) -> Load {
        Load {
            entries,
            bytes: 400,
        }
    }

    proptest! {
        #[test]
        fn entries_never_pass_their_cap_and_bytes_pass_theirs_by_one_entry(
            fetches in proptest::collection::vec(
                (1..80_usize, 0..40_usize, 0..80_usize, 1..500_usize, any::<bool>()), 1..60),
        ) {
            let mut credits = Credits::new(LIMITS);
            let mut held: Vec<Load> = Vec::new();
            for (entries, least, there, entry_bytes, settles) in fetches {
                let free = LIMITS.entries_max - credits.held().entries;
                if let Some(granted) = credits.reserve(wanted(entries), least, 0) {
                    prop_assert!(least <= free);
                    let fits = (granted.bytes / entry_bytes).max(1);
                    let got = granted.entries.min(there).min(fits);
                    let got = Load { entries: got, bytes: got * entry_bytes };
                    credits.fetched(granted, got);
                    held.push(got);
                }
                prop_assert!(credits.held().entries <= LIMITS.entries_max);
                prop_assert!(credits.held().bytes < LIMITS.bytes_max + 500);
                if settles && !held.is_empty() {
                    credits.give_back(held.swap_remove(0));
                }
                let sum = held.iter().fold(Load::default(), |sum, each| Load {
                    entries: sum.entries + each.entries,
                    bytes: sum.bytes + each.bytes,
                });
                prop_assert_eq!(credits.held(), sum);
            }
        }
    }

    #[test]
    fn a_shard_gets_no_more_than_its_share() {
        let mut credits = Credits::new(LIMITS);
        assert_eq!(
            credits.reserve(wanted(80), 1, 0).map(|load| load.entries),
            Some(60)
        );
        assert_eq!(credits.reserve(wanted(80), 1, 60), None);
        assert_eq!(
            credits.reserve(wanted(80), 1, 0).map(|load| load.entries),
            Some(40)
        );
        assert_eq!(credits.reserve(wanted(1), 1, 0), None);
    }

    #[test]
    fn a_sliver_is_left_for_who_cannot_wait() {
        let mut credits = Credits::new(LIMITS);
        assert!(credits.reserve(wanted(60), 30, 0).is_some());
        assert!(credits.reserve(wanted(20), 30, 0).is_some());
        assert_eq!(credits.reserve(wanted(60), 30, 0), None);
        assert_eq!(
            credits.reserve(wanted(60), 1, 0).map(|load| load.entries),
            Some(20)
        );
    }
}
