//! Keeps the first faults in document order and counts all. Its memory does not grow with the number of faults.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::fault::{Fault, FaultKind, Place};
use crate::meter::Stopped;
use crate::report::{Report, Totals};

#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    kept: BinaryHeap<Entry>,
    kept_max: usize,
    totals: Totals,
    first_only: bool,
}

impl Ledger {
    pub(crate) fn new(kept_max: usize) -> Self {
        Self {
            kept: BinaryHeap::new(),
            kept_max,
            totals: Totals::default(),
            first_only: false,
        }
    }

    /// Takes one fault, the first it is told, and no other.
    pub(crate) fn of_first() -> Self {
        Self {
            first_only: true,
            ..Self::new(1)
        }
    }

    pub(crate) fn first_only(&self) -> bool {
        self.first_only
    }

    /// Ends the judgement when no further fault is asked for. To be called after telling.
    pub(crate) fn go_on(&self) -> Result<(), Stopped> {
        if self.first_only && !self.is_empty() {
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.totals.sum() == 0
    }

    pub(crate) fn add(&mut self, fault: Fault) {
        if self.go_on().is_err() {
            return;
        }
        self.totals.count(fault.kind);
        let entry = Entry(fault);
        if self.kept.len() < self.kept_max {
            self.kept.push(entry);
        } else if let Some(mut last) = self.kept.peek_mut()
            && entry < *last
        {
            *last = entry;
        }
    }

    /// A fault of one vertex, which is also its location.
    pub(crate) fn add_vertex(
        &mut self,
        kind: FaultKind,
        location: [f64; 2],
        at: Place,
        other: Option<Place>,
    ) {
        self.add(Fault {
            kind,
            location,
            location_end: None,
            location_exact: true,
            at,
            other,
        });
    }

    pub(crate) fn close(self, complete: bool) -> Report {
        let faults = self
            .kept
            .into_sorted_vec()
            .into_iter()
            .map(|entry| entry.0)
            .collect();
        Report {
            faults,
            totals: self.totals,
            complete: complete && !self.first_only,
        }
    }
}

/// A fault by its rank in the document.
#[derive(Debug, Clone)]
struct Entry(Fault);

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (&self.0, &other.0);
        (a.at, a.other, a.kind)
            .cmp(&(b.at, b.other, b.kind))
            .then_with(|| a.location[0].total_cmp(&b.location[0]))
            .then_with(|| a.location[1].total_cmp(&b.location[1]))
            .then_with(|| b.location_exact.cmp(&a.location_exact))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}
