//! Which ring lies in which: holes in their shell and in no other hole, no polygon on another.
//!
//! A ring is asked for its side of another only where the two do not cross. Where few boxes lie in each other the rings
//! around each are looked up one by one (`around`); where that takes too long, one sweep finds for every ring the
//! innermost one around it, and one walk down that forest judges all (`forest`). Both find the same.

use crate::around::Surroundings;
use crate::crossings::Path;
use crate::fault::{FaultKind, Place};
use crate::forest;
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::rings::{Fitness, Ring, Rings};
use crate::tree::Tree;

/// A ring that lies where it must not, and the other one that says so.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Misplaced {
    pub(crate) kind: FaultKind,
    pub(crate) ring: usize,
    pub(crate) other: Option<usize>,
}

pub(crate) fn judge(
    rings: &Rings,
    standing: &[usize],
    tree: &Tree,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<(), Stopped> {
    let mut misplaced = Vec::new();
    let known: &Marks = marks;
    let mut question = Question {
        rings,
        standing,
        sure: known.sure_parts(rings, standing),
        marks: known,
        around: Surroundings::new(rings, tree, known),
    };
    let outcome = match path {
        Path::Tree => question.ask_each(meter, &mut misplaced),
        Path::Sweep => forest::judge(&mut question, meter, &mut misplaced),
        Path::Auto => {
            let steps_max = rings.points.len() as u64 * STEPS_PER_VERTEX_MAX
                + rings.table.len() as u64 * STEPS_PER_RING_MAX
                + STEPS_MIN;
            let each = meter.within(steps_max, |meter| question.ask_each(meter, &mut misplaced));
            match each {
                Ok(Some(())) => Ok(()),
                Ok(None) => {
                    misplaced.clear();
                    forest::judge(&mut question, meter, &mut misplaced)
                }
                Err(stopped) => Err(stopped),
            }
        }
    };
    for found in misplaced {
        let (ring, other) = (&rings.table[found.ring], found.other);
        if found.kind != FaultKind::NestedShells {
            marks.torn[ring.part as usize] = true;
        }
        let location = rings.location(rings.points[ring.first]);
        let other = other.map(|other| place(&rings.table[other]));
        ledger.add_vertex(found.kind, location, place(ring), other);
        ledger.go_on()?;
    }
    outcome
}

/// Steps of looking rings up one by one before the sweep: a fraction of what that costs.
const STEPS_PER_VERTEX_MAX: u64 = 4;
const STEPS_PER_RING_MAX: u64 = 160;
const STEPS_MIN: u64 = 1024;

fn place(ring: &Ring) -> Place {
    Place {
        part: ring.part,
        ring: ring.index,
        vertex: 0,
    }
}

/// What is asked of rings, and by what it is answered.
pub(crate) struct Question<'a> {
    pub(crate) rings: &'a Rings<'a>,
    pub(crate) standing: &'a [usize],
    /// The parts whose holes are all known.
    pub(crate) sure: Vec<bool>,
    pub(crate) marks: &'a Marks,
    pub(crate) around: Surroundings<'a>,
}

impl Question<'_> {
    /// Whether a ring is on one side of each ring that it is asked for.
    pub(crate) fn is_asked(&self, number: usize) -> bool {
        self.standing[number] == number && !self.marks.crosses_another[number]
    }

    fn ask_each(
        &mut self,
        meter: &mut Meter,
        misplaced: &mut Vec<Misplaced>,
    ) -> Result<(), Stopped> {
        for number in 0..self.rings.table.len() {
            if self.is_asked(number) {
                self.ask(number, meter, misplaced)?;
            }
        }
        Ok(())
    }

    /// Judges one ring by the rings around it.
    pub(crate) fn ask(
        &mut self,
        number: usize,
        meter: &mut Meter,
        misplaced: &mut Vec<Misplaced>,
    ) -> Result<(), Stopped> {
        let (table, sure) = (&self.rings.table, &self.sure);
        let own = &table[number];
        if own.is_shell() {
            let mut around = self.around.around(number, meter, |other| {
                let part = table[other].part;
                part != own.part && sure[part as usize]
            })?;
            around.sort_unstable();
            let part = |ring: &usize| table[*ring].part;
            // Of one part, the shell alone: in the shell and in none of its holes.
            let host = around
                .chunk_by(|a, b| part(a) == part(b))
                .find(|rings| rings.len() == 1 && table[rings[0]].is_shell());
            misplaced.extend(host.map(|host| Misplaced::shell(number, host[0])));
        } else {
            let holes = self.around.around(number, meter, |other| {
                table[other].part == own.part && !table[other].is_shell()
            })?;
            misplaced.extend(self.outside_shell(number, None, meter)?);
            let outer = holes.into_iter().min();
            misplaced.extend(outer.map(|outer| Misplaced::hole(number, outer)));
        }
        Ok(())
    }

    /// Whether a hole lies outside its shell; `known` when it is known that the shell is around it, or is not.
    pub(crate) fn outside_shell(
        &mut self,
        number: usize,
        known: Option<bool>,
        meter: &mut Meter,
    ) -> Result<Option<Misplaced>, Stopped> {
        let hole = &self.rings.table[number];
        let (outside, shell) = match self.rings.parts[hole.part as usize].shell {
            Fitness::Unfit => (false, None),
            Fitness::Empty => (true, None),
            Fitness::Fit(shell) => {
                let standing = self.standing[shell];
                let inside = match known {
                    Some(inside) => inside,
                    None if self.marks.crosses_itself[standing] => true,
                    None => self.around.is_inside(number, standing, meter)?,
                };
                (!inside, Some(shell))
            }
        };
        Ok(outside.then_some(Misplaced {
            kind: FaultKind::HoleOutsideShell,
            ring: number,
            other: shell,
        }))
    }
}

impl Misplaced {
    pub(crate) fn shell(ring: usize, host: usize) -> Self {
        Self {
            kind: FaultKind::NestedShells,
            ring,
            other: Some(host),
        }
    }

    pub(crate) fn hole(ring: usize, outer: usize) -> Self {
        Self {
            kind: FaultKind::NestedHoles,
            ring,
            other: Some(outer),
        }
    }
}
