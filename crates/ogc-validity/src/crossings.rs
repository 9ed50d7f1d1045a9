//! Edges that meet where they must not: crossings and overlaps are told here; a meeting at a vertex is only noted, and
//! judged with all others at that point.

use std::cmp::Ordering;

use crate::contact::{Contact, contact, crossing_point, same_way};
use crate::exact::{Point, before};
use crate::fault::{Fault, FaultKind, Place};
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::pairs::{self, Member};
use crate::passes::Passes;
use crate::rings::Rings;
use crate::sweep::{self, Incidence, Watch};
use crate::tree::Tree;

/// Judges every pair of edges; returns the passes of rings through the points where they meet at vertices.
///
/// By the tree where that is cheap, else by the sweep; both find the same.
pub(crate) fn judge(
    rings: &Rings,
    standing: &[usize],
    tree: &Tree,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<Passes, Stopped> {
    let crowded = path == Path::Auto && pairs::are_crowded(tree, meter)?;
    if path == Path::Auto && !crowded {
        let steps_max = rings.points.len() as u64 * TREE_STEPS_PER_VERTEX_MAX + TREE_STEPS_MIN;
        let clean_ledger = ledger.clone();
        let outcome = meter.within(steps_max, |meter| {
            by_tree(rings, standing, tree, marks, meter, ledger)
        })?;
        if let Some(passes) = outcome {
            return Ok(passes);
        }
        (*marks, *ledger) = (Marks::new(rings, standing), clean_ledger);
    }
    if path != Path::Tree {
        let clean_ledger = ledger.clone();
        if let Some(passes) = by_sweep(rings, standing, tree, marks, meter, ledger, path)? {
            return Ok(passes);
        }
        (*marks, *ledger) = (Marks::new(rings, standing), clean_ledger);
    }
    by_tree(rings, standing, tree, marks, meter, ledger)
}

/// How edges that meet are found. Nothing that is told depends on it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Path {
    /// By what is cheaper.
    #[default]
    Auto,
    /// By boxes, whatever it costs.
    Tree,
    /// By the sweep, whatever it costs.
    Sweep,
}

/// Steps of the tree before the sweep is tried: smooth rings take half of it, and it is a fraction of what a sweep costs.
const TREE_STEPS_PER_VERTEX_MAX: u64 = 6;
const TREE_STEPS_MIN: u64 = 512;

/// The sweep is given up when it drops more than one edge in so many: then there are too many faults for it to pay.
const EDGES_PER_DROPPED_MIN: usize = 64;

fn by_tree(
    rings: &Rings,
    standing: &[usize],
    tree: &Tree,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<Passes, Stopped> {
    let mut passes = Passes::default();
    let mut scene = Scene {
        rings,
        standing,
        marks,
        ledger,
    };
    pairs::within_rings(rings, tree, meter, |a, b| {
        scene.judge_pair(a, b, &mut passes)
    })?;
    scene.tell_twins(meter)?;
    pairs::across_rings(rings, tree, meter, |a, b| {
        scene.judge_pair(a, b, &mut passes)
    })?;
    Ok(passes)
}

/// `None` when it does not pay.
fn by_sweep(
    rings: &Rings,
    standing: &[usize],
    tree: &Tree,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<Option<Passes>, Stopped> {
    let dropped_max = if path == Path::Sweep {
        usize::MAX
    } else {
        16 + rings.points.len() / EDGES_PER_DROPPED_MIN
    };
    let swept = |ring: usize| standing[ring] == ring;
    let first_only = ledger.first_only();
    let mut touches = Touches {
        passes: Passes::default(),
        marks,
        owners: Vec::new(),
    };
    let dropped = sweep::sweep(rings, &swept, dropped_max, first_only, meter, &mut touches)?;
    let Some(dropped) = dropped else {
        return Ok(None);
    };
    let mut passes = touches.passes;
    let mut scene = Scene {
        rings,
        standing,
        marks,
        ledger,
    };
    pairs::of_dropped(rings, tree, &dropped, true, meter, |a, b| {
        scene.judge_pair(a, b, &mut passes)
    })?;
    scene.tell_twins(meter)?;
    pairs::of_dropped(rings, tree, &dropped, false, meter, |a, b| {
        scene.judge_pair(a, b, &mut passes)
    })?;
    // A sweep that ended early has seen a fault, which was told, and that ended the judgement.
    Ok((dropped.is_empty() || !first_only).then_some(passes))
}

/// What the sweep tells of touches.
struct Touches<'a> {
    passes: Passes,
    marks: &'a mut Marks,
    owners: Vec<u32>,
}

impl Watch for Touches<'_> {
    fn touch(&mut self, point: Point, here: &[Incidence]) {
        self.owners.clear();
        for incidence in here {
            self.passes.note_incidence(point, incidence);
            self.owners.push(incidence.ring);
        }
        self.owners.sort_unstable();
        for pair in self.owners.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.marks.touches_itself[pair[0] as usize] = true;
        }
    }

    fn settle(&mut self, _: &[u64], _: Option<u32>, _: &[u32]) {}
}

struct Scene<'a> {
    rings: &'a Rings<'a>,
    standing: &'a [usize],
    marks: &'a mut Marks,
    ledger: &'a mut Ledger,
}

impl Scene<'_> {
    /// Ends the judgement when the first fault is enough and this is one.
    fn judge_pair(&mut self, a: Member, b: Member, passes: &mut Passes) -> Result<(), Stopped> {
        // In the order of the input, so that a computed point does not depend on how the pair was found.
        let (a, b) = if a.edge < b.edge { (a, b) } else { (b, a) };
        let edges = [self.rings.edge(a.edge), self.rings.edge(b.edge)];
        match contact(edges[0], edges[1]) {
            Contact::Apart => {}
            Contact::Cross => {
                self.marks.cross(self.rings, a.ring, b.ring);
                let point = crossing_point(edges[0], edges[1]);
                let location = self.tell(a, b, point, None);
                self.ledger.go_on()?;
                self.note_overlap(a, b, location, false);
            }
            // Edges that end at the point are left to those that start there, or run along them.
            Contact::Touch(point) => {
                if point != edges[0][1] && point != edges[1][1] {
                    self.marks.touches_itself[a.ring] |= a.ring == b.ring;
                    passes.note(self.rings, point, [a, b]);
                }
            }
            Contact::Overlap(low, high) => {
                self.marks.cross(self.rings, a.ring, b.ring);
                self.tell_along(a, b, low, high);
                self.ledger.go_on()?;
                passes.note(self.rings, low, [a, b]);
                passes.note(self.rings, high, [a, b]);
            }
        }
        Ok(())
    }

    /// Rings that are there already run along the first one, edge for edge; whatever else they meet, it meets.
    fn tell_twins(&mut self, meter: &mut Meter) -> Result<(), Stopped> {
        for ring in (0..self.standing.len()).filter(|&ring| self.standing[ring] != ring) {
            let original = self.standing[ring];
            let [twin, first] = [ring, original].map(|ring| &self.rings.table[ring]);
            meter.pay(twin.edge_count())?;
            let next = |point: usize| self.rings.points[point + 1];
            let forward = next(twin.least) == next(first.least);
            let (mut at_twin, mut at_first) = (twin.least, first.least);
            for _ in 0..twin.edge_count() {
                let edge = if forward {
                    at_first
                } else {
                    first.previous(at_first)
                };
                let [from, to] = self.rings.edge(at_twin);
                let (low, high) = if before(from, to) {
                    (from, to)
                } else {
                    (to, from)
                };
                self.tell_along(
                    Member {
                        ring,
                        edge: at_twin,
                    },
                    Member {
                        ring: original,
                        edge,
                    },
                    low,
                    high,
                );
                at_twin = twin.next(at_twin);
                at_first = if forward {
                    first.next(at_first)
                } else {
                    first.previous(at_first)
                };
            }
        }
        Ok(())
    }

    fn tell_along(&mut self, a: Member, b: Member, low: Point, high: Point) {
        let location = self.tell(a, b, low, Some(high));
        if self.same_ground(a, b) {
            self.note_overlap(a, b, location, true);
        }
    }

    fn tell(&mut self, a: Member, b: Member, point: Point, end: Option<Point>) -> Point {
        let (a, b) = (self.place(a), self.place(b));
        let location = self.rings.location(point);
        self.ledger.add(Fault {
            kind: FaultKind::SelfIntersection,
            location,
            location_end: end.map(|end| self.rings.location(end)),
            location_exact: end.is_some(),
            at: a.min(b),
            other: Some(a.max(b)),
        });
        location
    }

    fn note_overlap(&mut self, a: Member, b: Member, location: Point, exact: bool) {
        let (a, b) = (self.place(a), self.place(b));
        if a.part != b.part {
            self.marks.overlap(location, exact, a, b);
        }
    }

    /// Whether the parts of two edges that run along each other lie on the same side of them, as far as one can tell.
    fn same_ground(&self, a: Member, b: Member) -> bool {
        let (Some(a_ground), Some(b_ground)) = (self.ground(a), self.ground(b)) else {
            return false;
        };
        let same_way = same_way(self.rings.edge(a.edge), self.rings.edge(b.edge));
        a_ground
            == if same_way {
                b_ground
            } else {
                b_ground.reverse()
            }
    }

    /// On which side of an edge its part lies; known for a simple ring.
    fn ground(&self, member: Member) -> Option<Ordering> {
        let (ring, standing) = (&self.rings.table[member.ring], self.standing[member.ring]);
        let simple = !self.marks.crosses_itself[standing] && !self.marks.touches_itself[standing];
        let winding = self.rings.winding(ring);
        simple.then_some(if ring.is_shell() {
            winding
        } else {
            winding.reverse()
        })
    }

    fn place(&self, member: Member) -> Place {
        self.rings
            .edge_place(&self.rings.table[member.ring], member.edge)
    }
}
