//! Points through which rings pass more than once: do they cross there, or only touch?
//!
//! All arms at a point are ranked round it; two passes cross when the arms of one part the arms of the other. Passes
//! that share a direction overlap there, which is told already.

use crate::contact::round;
use crate::exact::Point;
use crate::fault::{Fault, FaultKind};
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::passes::Pass;
use crate::rings::Rings;

pub(crate) fn judge(
    passes: &[Pass],
    rings: &Rings,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    let mut bench = Bench {
        rings,
        marks,
        ledger,
        arms: Vec::new(),
        ranks: Vec::new(),
        bundles: Vec::new(),
        leaders: Vec::new(),
        open: Vec::new(),
    };
    for node in passes.chunk_by(|a, b| a.point == b.point) {
        bench.rank(node);
        let mut offset = 0;
        for own in node.chunk_by(|a, b| a.ring == b.ring) {
            meter.pay(own.len())?;
            bench.judge_own(own, offset);
            offset += own.len();
        }
        if node[0].ring != node[node.len() - 1].ring && !bench.are_nested(node.len()) {
            for position in 0..node.len() {
                meter.pay(node.len() - position)?;
                bench.judge_pass(node, position);
            }
        }
        bench.ledger.go_on()?;
    }
    Ok(())
}

struct Bench<'a> {
    rings: &'a Rings<'a>,
    marks: &'a mut Marks,
    ledger: &'a mut Ledger,
    /// Where each arm leads, and the pass it is of.
    arms: Vec<(Point, usize)>,
    /// The places of the two arms of each pass round the point; equal for equal directions.
    ranks: Vec<[usize; 2]>,
    /// For each pass of one ring an earlier one that runs along with it, or with one that does, or itself.
    bundles: Vec<usize>,
    /// For each direction, the first pass of the ring in hand that runs there.
    leaders: Vec<usize>,
    /// Passes of which one arm has been met.
    open: Vec<usize>,
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
        self.leaders.clear();
        self.leaders.resize(self.arms.len(), usize::MAX);
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
        for pass in 0..own.len() {
            for rank in self.ranks[offset + pass] {
                let leader = self.leaders[rank];
                if leader == usize::MAX {
                    self.leaders[rank] = pass;
                } else {
                    self.bundle(leader, pass);
                }
            }
        }
        for rank in self.ranks[offset..offset + own.len()].iter().flatten() {
            self.leaders[*rank] = usize::MAX;
        }
        for again in (1..own.len())
            .filter(|pass| self.bundles[*pass] == *pass)
            .collect::<Vec<_>>()
        {
            self.marks.torn[self.rings.table[own[0].ring as usize].part as usize] = true;
            self.tell(FaultKind::RingSelfIntersection, &own[0], &own[again]);
        }
    }

    /// Puts two passes, and those that run along with them, into one bundle, which goes by its first.
    fn bundle(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|mut pass| {
            while self.bundles[pass] != pass {
                self.bundles[pass] = self.bundles[self.bundles[pass]];
                pass = self.bundles[pass];
            }
            pass
        });
        self.bundles[a.max(b)] = a.min(b);
    }

    /// Whether no pass parts the arms of another, and none share a direction: the arms open and close like brackets.
    fn are_nested(&mut self, passes: usize) -> bool {
        let distinct = self.ranks.iter().flatten().max().map_or(0, |last| last + 1);
        if distinct != 2 * passes {
            return false;
        }
        self.open.clear();
        for &(_, pass) in &self.arms {
            if self.open.last() == Some(&pass) {
                self.open.pop();
            } else {
                self.open.push(pass);
            }
        }
        self.open.is_empty()
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
}
