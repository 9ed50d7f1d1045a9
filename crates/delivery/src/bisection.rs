//! Finding the first row a sink refuses inside a batch it refused.
//!
//! Only prefixes are tried, so rows commit in their order and the good ones before the
//! first bad one are applied by the time it is found: ⌈log2 n⌉ applies. What is behind
//! it is then tried at once, as a batch of its own: one bad row of n costs
//! ⌈log2 n⌉ + 1. The caller drops rows from the front as they are applied.

/// The search for the first bad row among rows that were refused together.
#[derive(Clone, Debug)]
pub struct Bisection {
    /// The first bad row is among that many open rows.
    width: usize,
    has_applied: bool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Apply the first so many open rows, then report.
    Apply(usize),
    /// The first open row is the bad one.
    Found,
}

impl Bisection {
    /// A batch of `rows` that was refused as a whole.
    #[must_use]
    pub const fn of_refused(rows: usize) -> Self {
        Self {
            width: rows,
            has_applied: false,
        }
    }

    /// The next step. Asking again changes nothing.
    #[must_use]
    pub const fn step(&self) -> Step {
        if self.width <= 1 {
            Step::Found
        } else {
            Step::Apply(self.width / 2)
        }
    }

    /// The rows of [`Step::Apply`] are applied and no longer open.
    pub const fn applied(&mut self) {
        self.width -= self.width / 2;
        self.has_applied = true;
    }

    /// The rows of [`Step::Apply`] were refused.
    pub const fn refused(&mut self) {
        self.width /= 2;
    }

    /// Whether some row was applied meanwhile: the sink itself is well.
    #[must_use]
    pub const fn has_applied(&self) -> bool {
        self.has_applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Applied rows in order, dead rows in order, applies made after the first.
    fn run(rows: usize, bad: &BTreeSet<usize>) -> (Vec<usize>, Vec<usize>, usize) {
        let (mut applied, mut dead, mut applies, mut low) = (Vec::new(), Vec::new(), 0, 0);
        while low < rows {
            let is_bad = |low: usize, count: usize| bad.range(low..low + count).next().is_some();
            applies += 1;
            if !is_bad(low, rows - low) {
                applied.extend(low..rows);
                break;
            }
            let mut search = Bisection::of_refused(rows - low);
            while let Step::Apply(count) = search.step() {
                applies += 1;
                if is_bad(low, count) {
                    search.refused();
                } else {
                    applied.extend(low..low + count);
                    low += count;
                    search.applied();
                }
            }
            dead.push(low);
            low += 1;
        }
        (applied, dead, applies - 1)
    }

    #[test]
    fn one_bad_row_of_500_costs_at_most_ten_further_applies() {
        for row in 0..500 {
            let (applied, dead, applies) = run(500, &BTreeSet::from([row]));
            assert_eq!((applied.len(), dead), (499, vec![row]));
            assert!(applies <= 10, "row {row}: {applies}");
        }
    }

    #[test]
    fn a_refused_batch_of_one_is_dead_without_another_apply() {
        assert_eq!(run(1, &BTreeSet::from([0])), (vec![], vec![0], 0));
    }

    proptest! {
        #[test]
        fn every_row_ends_once_and_in_order(
            rows in 1..300_usize, picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..6),
        ) {
            let bad: BTreeSet<usize> = picks.iter().map(|pick| pick.index(rows)).collect();
            let (applied, dead, _) = run(rows, &bad);
            prop_assert!(dead.iter().copied().eq(bad.iter().copied()));
            prop_assert!(applied.iter().copied().eq((0..rows).filter(|row| !bad.contains(row))));
        }
    }
}
