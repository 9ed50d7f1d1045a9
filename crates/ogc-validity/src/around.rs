//! Which rings lie around a ring that crosses none of them, one ring at a time.
//!
//! One point tells for the whole ring: its first point, moved towards its second by less than any number, so that
//! touching needs no care.

use crate::exact::{Point, side};
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::rings::Rings;
use crate::tree::{SEVERAL, Tree};

pub(crate) struct Surroundings<'a> {
    rings: &'a Rings<'a>,
    tree: &'a Tree,
    marks: &'a Marks,
    stack: Vec<u32>,
}

impl<'a> Surroundings<'a> {
    pub(crate) fn new(rings: &'a Rings<'a>, tree: &'a Tree, marks: &'a Marks) -> Self {
        Self {
            rings,
            tree,
            marks,
            stack: Vec::new(),
        }
    }

    /// The rings around a ring, of those asked for.
    pub(crate) fn around(
        &mut self,
        number: usize,
        meter: &mut Meter,
        asked: impl Fn(usize) -> bool,
    ) -> Result<Vec<usize>, Stopped> {
        let point = self.rings.points[self.rings.table[number].first];
        let mut around = Vec::new();
        let mut stack: Vec<u32> = self.tree.top().into_iter().collect();
        while let Some(node) = stack.pop() {
            meter.pay(1)?;
            let node = self.tree.node(node);
            if !node.contains(point) {
                continue;
            }
            let other = node.ring as usize;
            if node.ring == SEVERAL {
                stack.extend(self.tree.children(node));
            } else if other != number
                && asked(other)
                && !self.marks.crosses_itself[other]
                && self.is_inside(number, other, meter)?
            {
                around.push(other);
            }
        }
        Ok(around)
    }

    /// The rings around a ring, of those of a list that are asked for, in its order.
    pub(crate) fn among(
        &mut self,
        others: &[usize],
        number: usize,
        meter: &mut Meter,
        asked: impl Fn(usize) -> bool,
    ) -> Result<Vec<usize>, Stopped> {
        let mut around = Vec::new();
        meter.pay(others.len())?;
        for &other in others {
            if asked(other) && self.is_inside(number, other, meter)? {
                around.push(other);
            }
        }
        Ok(around)
    }

    /// Whether a ring lies inside another that it does not cross.
    pub(crate) fn is_inside(
        &mut self,
        ring: usize,
        other: usize,
        meter: &mut Meter,
    ) -> Result<bool, Stopped> {
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
            meter.pay(1)?;
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
