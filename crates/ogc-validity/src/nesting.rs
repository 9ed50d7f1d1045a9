//! Which ring lies in which: holes in their shell and in no other hole, no polygon on another.
//!
//! A ring is asked for its side of another only where the two do not cross: then one point tells for the whole ring.
//! That point is moved from its first point towards its second by less than any number, so touching needs no care.

use crate::exact::{Point, side};
use crate::fault::{FaultKind, Place};
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::rings::{Fitness, Ring, Rings};
use crate::tree::{SEVERAL, Tree};

pub(crate) fn judge(
    rings: &Rings,
    standing: &[usize],
    tree: &Tree,
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    let sure = marks.sure_parts(rings, standing);
    let mut nest = Nest {
        rings,
        standing,
        tree,
        marks,
        meter,
        ledger,
        stack: Vec::new(),
    };
    for (number, ring) in rings.table.iter().enumerate() {
        if standing[number] != number || nest.marks.crosses_another[number] {
            continue;
        }
        if ring.is_shell() {
            nest.judge_shell(number, ring, &sure)?;
        } else {
            nest.judge_in_shell(number, ring)?;
            nest.judge_in_holes(number, ring)?;
        }
    }
    Ok(())
}

struct Nest<'a> {
    rings: &'a Rings<'a>,
    standing: &'a [usize],
    tree: &'a Tree,
    marks: &'a mut Marks,
    meter: &'a mut Meter,
    ledger: &'a mut Ledger,
    stack: Vec<u32>,
}

impl Nest<'_> {
    fn judge_in_shell(&mut self, number: usize, hole: &Ring) -> Result<(), Stopped> {
        let (outside, shell) = match self.rings.parts[hole.part as usize].shell {
            Fitness::Unfit => (false, None),
            Fitness::Empty => (true, None),
            Fitness::Fit(shell) => {
                let standing = self.standing[shell];
                let sure = !self.marks.crosses_itself[standing];
                (
                    sure && !self.is_inside(number, standing)?,
                    Some(&self.rings.table[shell]),
                )
            }
        };
        if outside {
            self.marks.torn[hole.part as usize] = true;
            self.tell(FaultKind::HoleOutsideShell, hole, shell);
        }
        Ok(())
    }

    fn judge_in_holes(&mut self, number: usize, hole: &Ring) -> Result<(), Stopped> {
        let around = self.around(number, |other| other.part == hole.part && !other.is_shell())?;
        if let Some(&outer) = around.iter().min() {
            self.marks.torn[hole.part as usize] = true;
            self.tell(FaultKind::NestedHoles, hole, Some(&self.rings.table[outer]));
        }
        Ok(())
    }

    fn judge_shell(&mut self, number: usize, shell: &Ring, sure: &[bool]) -> Result<(), Stopped> {
        let mut around = self.around(number, |other| {
            other.part != shell.part && sure[other.part as usize]
        })?;
        around.sort_unstable();
        let part = |ring: &usize| self.rings.table[*ring].part;
        // Of one part, the shell alone: in the shell and in none of its holes.
        let host = around
            .chunk_by(|a, b| part(a) == part(b))
            .find(|rings| rings.len() == 1 && self.rings.table[rings[0]].is_shell())
            .map(|rings| rings[0]);
        if let Some(host) = host {
            self.tell(
                FaultKind::NestedShells,
                shell,
                Some(&self.rings.table[host]),
            );
        }
        Ok(())
    }

    fn tell(&mut self, kind: FaultKind, ring: &Ring, other: Option<&Ring>) {
        let place = |ring: &Ring| Place {
            part: ring.part,
            ring: ring.index,
            vertex: 0,
        };
        let location = self.rings.location(self.rings.points[ring.first]);
        self.ledger
            .add_vertex(kind, location, place(ring), other.map(place));
    }

    /// The rings around a ring, of those asked for.
    fn around(
        &mut self,
        number: usize,
        asked: impl Fn(&Ring) -> bool,
    ) -> Result<Vec<usize>, Stopped> {
        let point = self.rings.points[self.rings.table[number].first];
        let mut around = Vec::new();
        let mut stack: Vec<u32> = self.tree.top().into_iter().collect();
        while let Some(node) = stack.pop() {
            self.meter.pay(1)?;
            let node = self.tree.node(node);
            if !node.contains(point) {
                continue;
            }
            let other = node.ring as usize;
            if node.ring == SEVERAL {
                stack.extend(self.tree.children(node));
            } else if other != number
                && asked(&self.rings.table[other])
                && !self.marks.crosses_itself[other]
                && self.is_inside(number, other)?
            {
                around.push(other);
            }
        }
        Ok(around)
    }

    /// Whether a ring lies inside another that it does not cross.
    fn is_inside(&mut self, ring: usize, other: usize) -> Result<bool, Stopped> {
        let (Some(own), Some(root)) = (self.tree.root(ring), self.tree.root(other)) else {
            return Ok(false);
        };
        if !self.tree.node(root).covers(self.tree.node(own)) {
            return Ok(false);
        }
        let first = self.rings.table[ring].first;
        let probe = Probe {
            point: self.rings.points[first],
            towards: self.rings.points[first + 1],
        };
        let mut inside = false;
        self.stack.push(root);
        while let Some(node) = self.stack.pop() {
            self.meter.pay(1)?;
            let node = self.tree.node(node);
            if node.low[1] > probe.point[1]
                || node.high[1] < probe.point[1]
                || node.high[0] < probe.point[0]
            {
                continue;
            }
            let run = &self.rings.points[node.first as usize..=node.last as usize];
            if node.low[0] > probe.point[0] {
                inside ^= probe.is_below(run[0]) != probe.is_below(run[run.len() - 1]);
            } else if node.quadrants != 0 {
                inside ^= probe.sees_steady(run);
            } else if node.is_leaf() {
                inside ^= run
                    .windows(2)
                    .filter(|edge| probe.sees(edge[0], edge[1]))
                    .count()
                    % 2
                    == 1;
            } else {
                self.stack.extend(self.tree.children(node));
            }
        }
        Ok(inside)
    }
}

/// A point a hair from `point` towards another, looking due east.
#[derive(Debug, Clone, Copy)]
struct Probe {
    point: Point,
    towards: Point,
}

impl Probe {
    fn is_below(&self, point: Point) -> bool {
        point[1] > self.point[1] || (point[1] == self.point[1] && self.towards[1] < self.point[1])
    }

    /// Whether a run that rises or falls throughout crosses the line of sight.
    fn sees_steady(&self, run: &[Point]) -> bool {
        let start = self.is_below(run[0]);
        let crossed = run.partition_point(|point| self.is_below(*point) == start);
        crossed < run.len() && self.sees(run[crossed - 1], run[crossed])
    }

    /// Whether an edge crosses the line of sight.
    fn sees(&self, from: Point, to: Point) -> bool {
        let (falls, rises) = (self.is_below(from), self.is_below(to));
        if falls == rises {
            return false;
        }
        let [low, high] = if rises { [from, to] } else { [to, from] };
        side(low, high, self.point)
            .then_with(|| side(low, high, self.towards))
            .is_gt()
    }
}
