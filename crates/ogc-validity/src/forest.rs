//! Which ring lies in which, for all rings at once.
//!
//! A sweep over the rings that meet neither themselves nor cross another: the edge right below a ring's least point, in
//! the order right after that point, is of the ring around it, or of one that lies in the same ring as it does. Rings
//! touch there as they may. So every ring knows the innermost one around it; a walk down that forest keeps, for each
//! part, how many of its rings are around. The few rings that are not clean are looked up one by one.

use std::collections::BTreeSet;

use crate::exact::{Point, before};
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::nesting::{Misplaced, Question};
use crate::rings::{Fitness, Rings};
use crate::sweep::{self, Incidence, Watch, vertex};

/// No ring.
const NONE: u32 = u32::MAX;

pub(crate) fn judge(
    question: &mut Question<'_>,
    meter: &mut Meter,
    misplaced: &mut Vec<Misplaced>,
) -> Result<(), Stopped> {
    let marks = question.marks;
    let clean: Vec<bool> = (0..question.rings.table.len())
        .map(|ring| {
            question.is_asked(ring) && !marks.crosses_itself[ring] && !marks.touches_itself[ring]
        })
        .collect();
    let parents = parents(question.rings, &clean, meter)?;
    Walk::new(question, &clean).over(&parents, meter, misplaced)?;
    for (ring, clean) in clean.iter().enumerate() {
        if !clean && question.is_asked(ring) {
            question.ask(ring, meter, misplaced)?;
        }
    }
    Ok(())
}

/// For each clean ring the innermost clean ring around it.
fn parents(rings: &Rings, clean: &[bool], meter: &mut Meter) -> Result<Vec<u32>, Stopped> {
    let mut nested = Nested {
        rings,
        parents: vec![NONE; rings.table.len()],
        known: vec![false; rings.table.len()],
    };
    let swept = |ring: usize| clean[ring];
    sweep::sweep(rings, &swept, usize::MAX, false, meter, &mut nested)?;
    Ok(nested.parents)
}

struct Nested<'a> {
    rings: &'a Rings<'a>,
    parents: Vec<u32>,
    known: Vec<bool>,
}

impl Nested<'_> {
    /// Whether a ring begins here: it passes each of its points once.
    fn begins(&self, ring: usize, at: Point) -> bool {
        self.rings.points[self.rings.table[ring].least] == at
    }

    /// The ring around what lies right above an edge.
    fn around(&self, below: Option<u32>) -> u32 {
        let Some(below) = below else { return NONE };
        let number = self.rings.ring_of(below as usize);
        let [from, to] = self.rings.edge(below as usize);
        let left_is_inside = self.rings.winding(&self.rings.table[number]).is_gt();
        if before(from, to) == left_is_inside {
            narrow(number)
        } else {
            self.parents[number]
        }
    }
}

impl Watch for Nested<'_> {
    fn touch(&mut self, _: Point, _: &[Incidence]) {}

    fn settle(&mut self, vertices: &[u64], below: Option<u32>, right: &[u32]) {
        let at = self.rings.points[vertex(vertices[0])];
        let of_vertex = |event: &u64| self.rings.ring_of(vertex(*event));
        if !vertices
            .iter()
            .any(|event| self.begins(of_vertex(event), at))
        {
            return;
        }
        // From the bottom up, so that the ring below is known.
        let mut below = below;
        for &edge in right {
            let number = self.rings.ring_of(edge as usize);
            if !self.known[number] && self.begins(number, at) {
                self.known[number] = true;
                self.parents[number] = self.around(below);
            }
            below = Some(edge);
        }
    }
}

/// What is around the ring in hand.
struct Walk<'a, 'b> {
    question: &'a mut Question<'b>,
    clean: &'a [bool],
    /// Rings that may be around others and are not clean.
    others: Vec<usize>,
    /// The rings around, and by part: how many holes, whether the shell, and the first hole.
    around: Vec<bool>,
    holes: Vec<u32>,
    shells: Vec<bool>,
    first_holes: Vec<u32>,
    /// The sure parts of which the shell is around and no hole.
    hosts: BTreeSet<u32>,
}

impl<'a, 'b> Walk<'a, 'b> {
    fn new(question: &'a mut Question<'b>, clean: &'a [bool]) -> Self {
        let (rings, parts) = (clean.len(), question.rings.parts.len());
        let is_other = |ring: &usize| {
            let stands = question.standing[*ring] == *ring;
            stands && !clean[*ring] && !question.marks.crosses_itself[*ring]
        };
        Self {
            others: (0..rings).filter(is_other).collect(),
            clean,
            around: vec![false; rings],
            holes: vec![0; parts],
            shells: vec![false; parts],
            first_holes: vec![NONE; parts],
            hosts: BTreeSet::new(),
            question,
        }
    }

    /// Judges every clean ring, the outer ones before those in them.
    fn over(
        mut self,
        parents: &[u32],
        meter: &mut Meter,
        misplaced: &mut Vec<Misplaced>,
    ) -> Result<(), Stopped> {
        let mut within: Vec<usize> = (0..parents.len())
            .filter(|ring| self.clean[*ring])
            .collect();
        // Rings with one parent follow each other.
        within.sort_unstable_by_key(|ring| parents[*ring]);
        let children = |parent: u32| {
            let first = within.partition_point(|ring| parents[*ring] < parent);
            let count = within[first..].partition_point(|ring| parents[*ring] == parent);
            &within[first..first + count]
        };
        let mut stack: Vec<Step> = children(NONE)
            .iter()
            .map(|ring| Step::Into(*ring))
            .collect();
        while let Some(step) = stack.pop() {
            meter.pay(1)?;
            match step {
                Step::Into(ring) => {
                    self.judge(ring, meter, misplaced)?;
                    stack.push(Step::OutOf(ring, self.enter(ring)));
                    stack.extend(children(narrow(ring)).iter().map(|ring| Step::Into(*ring)));
                }
                Step::OutOf(ring, first_hole) => self.leave(ring, first_hole),
            }
        }
        Ok(())
    }

    fn judge(
        &mut self,
        number: usize,
        meter: &mut Meter,
        misplaced: &mut Vec<Misplaced>,
    ) -> Result<(), Stopped> {
        let rings = self.question.rings;
        if rings.table[number].is_shell() {
            let host = self.host(number, meter)?;
            misplaced.extend(host.map(|host| Misplaced::shell(number, host)));
            return Ok(());
        }
        let part = rings.table[number].part;
        let known = match rings.parts[part as usize].shell {
            Fitness::Fit(shell) => {
                let standing = self.question.standing[shell];
                self.clean[standing].then(|| self.around[standing])
            }
            Fitness::Empty | Fitness::Unfit => None,
        };
        misplaced.extend(self.question.outside_shell(number, known, meter)?);
        let of_part =
            |other: usize| rings.table[other].part == part && !rings.table[other].is_shell();
        let others = (self.question.around).among(&self.others, number, meter, of_part)?;
        let first = self.first_holes[part as usize];
        let clean = (first != NONE).then_some(first as usize);
        let outer = others.into_iter().chain(clean).min();
        misplaced.extend(outer.map(|outer| Misplaced::hole(number, outer)));
        Ok(())
    }

    /// The first part that a shell lies on, by its shell.
    fn host(&mut self, number: usize, meter: &mut Meter) -> Result<Option<usize>, Stopped> {
        let table = &self.question.rings.table;
        let own = table[number].part;
        let sure = &self.question.sure;
        let others = (self.question.around).among(&self.others, number, meter, |other| {
            let part = table[other].part;
            part != own && sure[part as usize]
        })?;
        let part = |ring: &usize| table[*ring].part;
        let alone = |rings: &&[usize]| {
            let part = part(&rings[0]) as usize;
            let is_shell = rings.len() == 1 && table[rings[0]].is_shell();
            is_shell && self.holes[part] == 0 && !self.shells[part]
        };
        let by_part = || others.chunk_by(|a, b| part(a) == part(b));
        let other = by_part().find(alone).map(|rings| rings[0]);
        let clean = self
            .hosts
            .iter()
            .find(|host| !by_part().any(|rings| part(&rings[0]) == **host))
            .and_then(
                |host| match self.question.rings.parts[*host as usize].shell {
                    Fitness::Fit(shell) => Some(shell),
                    Fitness::Empty | Fitness::Unfit => None,
                },
            );
        Ok(other.into_iter().chain(clean).min())
    }

    /// Goes into a ring; returns what its part had for a first hole.
    fn enter(&mut self, number: usize) -> u32 {
        let ring = &self.question.rings.table[number];
        let part = ring.part as usize;
        self.around[number] = true;
        let first_hole = self.first_holes[part];
        if ring.is_shell() {
            self.shells[part] = true;
        } else {
            self.holes[part] += 1;
            self.first_holes[part] = first_hole.min(narrow(number));
        }
        self.note_host(ring.part);
        first_hole
    }

    fn leave(&mut self, number: usize, first_hole: u32) {
        let ring = &self.question.rings.table[number];
        let part = ring.part as usize;
        self.around[number] = false;
        self.first_holes[part] = first_hole;
        if ring.is_shell() {
            self.shells[part] = false;
        } else {
            self.holes[part] -= 1;
        }
        self.note_host(ring.part);
    }

    fn note_host(&mut self, part: u32) {
        let number = part as usize;
        if self.shells[number] && self.holes[number] == 0 && self.question.sure[number] {
            self.hosts.insert(part);
        } else {
            self.hosts.remove(&part);
        }
    }
}

/// A step of the walk.
#[derive(Debug, Clone, Copy)]
enum Step {
    Into(usize),
    /// With the first hole as it was before.
    OutOf(usize, u32),
}
