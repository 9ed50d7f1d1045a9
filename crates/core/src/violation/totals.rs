//! How many violations there are of each code.

use crate::code::Code;

/// Counts by code. A report has few codes: a short list, looked through, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals(Vec<(Code, u64)>);

impl Totals {
    /// No counts.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn add(&mut self, code: Code, more: u64) {
        let place = self.0.iter().position(|(known, _)| *known >= code);
        let place = place.unwrap_or(self.0.len());
        match self.0.get_mut(place) {
            Some((known, total)) if *known == code => *total += more,
            _ => self.0.insert(place, (code, more)),
        }
    }

    /// How many there are of that code.
    #[must_use]
    pub fn of(&self, code: Code) -> u64 {
        let found = self.0.iter().find(|(known, _)| *known == code);
        found.map_or(0, |(_, total)| *total)
    }

    /// Each code that there is, in the order of [`Code::ALL`], with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Code, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
