//! What the meetings of edges say about whole rings and parts; the later stages ask it what they may still judge.

use crate::exact::Point;
use crate::fault::{Fault, FaultKind, Place};
use crate::ledger::Ledger;
use crate::rings::{Fitness, Rings};

#[derive(Debug)]
pub(crate) struct Marks {
    /// A ring crosses or overlaps itself: inside and outside of it are not sure.
    pub(crate) crosses_itself: Vec<bool>,
    /// A ring comes back to a point of its own.
    pub(crate) touches_itself: Vec<bool>,
    /// A ring crosses or overlaps another: it is not on one side of it.
    pub(crate) crosses_another: Vec<bool>,
    /// A part whose rings do not fit each other, so that the connection of its interior is not asked.
    pub(crate) torn: Vec<bool>,
    /// The first proof that a part overlaps an earlier one.
    overlaps: Vec<Option<Fault>>,
}

impl Marks {
    pub(crate) fn new(rings: &Rings, standing: &[usize]) -> Self {
        let mut marks = Self {
            crosses_itself: vec![false; rings.table.len()],
            touches_itself: vec![false; rings.table.len()],
            crosses_another: vec![false; rings.table.len()],
            torn: vec![false; rings.parts.len()],
            overlaps: vec![None; rings.parts.len()],
        };
        for (number, ring) in rings.table.iter().enumerate() {
            if standing[number] != number {
                marks.torn[ring.part as usize] = true;
            }
        }
        marks
    }

    pub(crate) fn cross(&mut self, rings: &Rings, a: usize, b: usize) {
        if a == b {
            self.crosses_itself[a] = true;
        } else {
            self.crosses_another[a] = true;
            self.crosses_another[b] = true;
        }
        if rings.table[a].part == rings.table[b].part {
            self.torn[rings.table[a].part as usize] = true;
        }
    }

    /// Two parts have common ground next to this point.
    pub(crate) fn overlap(&mut self, location: Point, location_exact: bool, a: Place, b: Place) {
        let (other, at) = if a.part < b.part { (a, b) } else { (b, a) };
        let kept = &mut self.overlaps[at.part as usize];
        let rank = |fault: &Fault| (fault.at, fault.other, !fault.location_exact);
        let first = |kept: Fault| {
            (at, Some(other), !location_exact)
                .cmp(&rank(&kept))
                .then_with(|| location[0].total_cmp(&kept.location[0]))
                .then_with(|| location[1].total_cmp(&kept.location[1]))
                .is_lt()
        };
        if kept.is_none_or(first) {
            let (kind, other) = (FaultKind::OverlappingParts, Some(other));
            *kept = Some(Fault {
                kind,
                location,
                location_end: None,
                location_exact,
                at,
                other,
            });
        }
    }

    pub(crate) fn tell_overlaps(&mut self, ledger: &mut Ledger) {
        for fault in self.overlaps.iter_mut().filter_map(Option::take) {
            ledger.add(fault);
        }
    }

    /// The parts whose holes are all known, so that what lies in none of them lies on the part.
    pub(crate) fn sure_parts(&self, rings: &Rings, standing: &[usize]) -> Vec<bool> {
        let mut sure: Vec<bool> = rings
            .parts
            .iter()
            .map(|part| part.complete && part.shell != Fitness::Empty)
            .collect();
        for (number, ring) in rings.table.iter().enumerate() {
            if self.crosses_itself[number] || (!ring.is_shell() && standing[number] != number) {
                sure[ring.part as usize] = false;
            }
        }
        sure
    }
}
