//! Points through which rings pass more than once: do they cross there, or only touch?
//!
//! All arms at a point are ranked round it; two passes cross when the arms of one part the arms of the other. Passes
//! that share a direction overlap there, which is told already.

use crate::contact::round;
use crate::exact::Point;
use crate::fault::{Fault, FaultKind, Place};
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::passes::{Pass, Passes};
use crate::rings::Rings;

/// A ring of a part that touches another ring of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch {
    /// Touches of one part at one point have the same number; they follow each other.
    pub(crate) node: usize,
    pub(crate) ring: usize,
    pub(crate) location: Point,
    pub(crate) place: Place,
}

pub(crate) fn judge(
    passes: Passes,
    rings: &Rings,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<Vec<Touch>, Stopped> {
    let passes = passes.into_sorted();
    let mut bench = Bench {
        rings,
        marks,
        ledger,
        arms: Vec::new(),
        ranks: Vec::new(),
        bundles: Vec::new(),
        touches: Vec::new(),
        node: 0,
    };
    for node in passes.chunk_by(|a, b| a.point == b.point) {
        bench.rank(node);
        let mut offset = 0;
        for own in node.chunk_by(|a, b| a.ring == b.ring) {
            meter.pay(own.len().saturating_mul(own.len()))?;
            bench.judge_own(own, offset);
            offset += own.len();
        }
        for position in 0..node.len() {
            meter.pay(node.len() - position)?;
            bench.judge_pass(node, position);
        }
        bench.note_touches(node);
    }
    Ok(bench.touches)
}

struct Bench<'a> {
    rings: &'a Rings<'a>,
    marks: &'a mut Marks,
    ledger: &'a mut Ledger,
    /// Where each arm leads, and the pass it is of.
    arms: Vec<(Point, usize)>,
    /// The places of the two arms of each pass round the point; equal for equal directions.
    ranks: Vec<[usize; 2]>,
    /// For each pass of one ring, the first one that runs along with it, or itself.
    bundles: Vec<usize>,
    touches: Vec<Touch>,
    node: usize,
}

impl Bench<'_> {
    fn rank(&mut self, node: &[Pass]) {
        self.arms.clear();
        for (number, pass) in node.iter().enumerate() {
            self.arms
                .extend(pass.arms(self.rings).map(|arm| (arm, number)));
        }
        let center = node[0].point;
        self.arms.sort_unstable_by(|a, b| round(center, a.0, b.0));
        self.ranks.clear();
        self.ranks.resize(node.len(), [usize::MAX; 2]);
        for (rank, alike) in self
            .arms
            .chunk_by(|a, b| round(center, a.0, b.0).is_eq())
            .enumerate()
        {
            for &(_, number) in alike {
                let ranks = &mut self.ranks[number];
                ranks[usize::from(ranks[0] != usize::MAX)] = rank;
            }
        }
    }

    /// A ring comes back to the point as often as it has bundles of passes there, less one. Passes that run along each
    /// other make a bundle: their overlap is told, and how often they meet is not told again.
    fn judge_own(&mut self, own: &[Pass], offset: usize) {
        self.bundles.clear();
        self.bundles.extend(0..own.len());
        for (later, earlier) in
            (1..own.len()).flat_map(|later| (0..later).map(move |earlier| (later, earlier)))
        {
            let (a, b) = (self.bundles[earlier], self.bundles[later]);
            if a != b && self.shares_direction(offset + earlier, offset + later) {
                let (keep, join) = (a.min(b), a.max(b));
                self.bundles
                    .iter_mut()
                    .filter(|bundle| **bundle == join)
                    .for_each(|bundle| *bundle = keep);
            }
        }
        for again in (1..own.len())
            .filter(|pass| self.bundles[*pass] == *pass)
            .collect::<Vec<_>>()
        {
            self.marks.torn[self.rings.table[own[0].ring as usize].part as usize] = true;
            self.tell(FaultKind::RingSelfIntersection, &own[0], &own[again]);
        }
    }

    /// Judges a pass against the later ones of other rings.
    fn judge_pass(&mut self, node: &[Pass], position: usize) {
        let pass = &node[position];
        for (later, other) in node.iter().enumerate().skip(position + 1) {
            if other.ring != pass.ring && self.cross(position, later) {
                self.marks
                    .cross(self.rings, pass.ring as usize, other.ring as usize);
                self.tell(FaultKind::SelfIntersection, pass, other);
            }
        }
    }

    fn shares_direction(&self, a: usize, b: usize) -> bool {
        self.ranks[a]
            .iter()
            .any(|rank| self.ranks[b].contains(rank))
    }

    fn cross(&self, a: usize, b: usize) -> bool {
        let [low, high] = self.ranks[a];
        let parted = |rank: usize| low < rank && rank < high;
        !self.shares_direction(a, b) && parted(self.ranks[b][0]) != parted(self.ranks[b][1])
    }

    fn tell(&mut self, kind: FaultKind, a: &Pass, b: &Pass) {
        let (at, other) = (a.place(self.rings), b.place(self.rings));
        let location = self.rings.location(a.point);
        let (location_end, location_exact) = (None, true);
        self.ledger.add(Fault {
            kind,
            location,
            location_end,
            location_exact,
            at,
            other: Some(other),
        });
        if at.part != other.part {
            self.marks.overlap(location, location_exact, at, other);
        }
    }

    /// Notes each ring once, by its first pass, where rings of one part meet.
    fn note_touches(&mut self, node: &[Pass]) {
        let part = |pass: &Pass| self.rings.table[pass.ring as usize].part;
        for of_part in node.chunk_by(|a, b| part(a) == part(b)) {
            if of_part.chunk_by(|a, b| a.ring == b.ring).nth(1).is_none() {
                continue;
            }
            for of_ring in of_part.chunk_by(|a, b| a.ring == b.ring) {
                self.touches.push(Touch {
                    node: self.node,
                    ring: of_ring[0].ring as usize,
                    location: self.rings.location(of_ring[0].point),
                    place: of_ring[0].place(self.rings),
                });
            }
            self.node += 1;
        }
    }
}
