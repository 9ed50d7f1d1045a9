//! A plane sweep over the vertices alone: which edges can be kept so that no two of them cross or overlap, and where the
//! kept ones touch.
//!
//! Edges are taken from left to right (by x, then y) into a list ordered from bottom to top. Two edges that cross are
//! neighbours in it before they do; then the longer one is dropped, and the order holds for the rest. No crossing is
//! computed, no event is added: every question is on which side of an edge a vertex lies. The few dropped edges are
//! compared with all others by the tree. Steps: n log n, and the dropped ones times what lies near them.

use crate::contact::{Contact, contact};
use crate::exact::{Point, before, lexicographic, side};
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::rings::Rings;

/// Edges in one block of the ordered list: small enough to move, large enough to keep the blocks few.
const BLOCK_EDGES_MAX: usize = 128;

/// A ring at a point: at its vertex of this number, or inside the edge of this number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Incidence {
    pub(crate) ring: u32,
    pub(crate) position: u32,
    pub(crate) inside: bool,
}

/// What is made of a sweep on its way.
pub(crate) trait Watch {
    /// A point where kept edges touch, with all rings there.
    fn touch(&mut self, point: Point, here: &[Incidence]);

    /// The order right of the vertices at a point: the edge below all that leave it, and those, from bottom to top.
    fn settle(&mut self, vertices: &[u64], below: Option<u32>, right: &[u32]);
}

/// Sweeps the rings that are in `swept`. Returns the dropped edges, rising, or `None` when more than `dropped_max` would
/// be. Ends at the first drop where the first is enough.
pub(crate) fn sweep(
    rings: &Rings,
    swept: &impl Fn(usize) -> bool,
    dropped_max: usize,
    first_only: bool,
    meter: &mut Meter,
    watch: &mut impl Watch,
) -> Result<Option<Vec<u32>>, Stopped> {
    let order = events(rings, swept);
    // Two passes to make them, and the sorting.
    meter.pay(3 * order.len())?;
    let mut line = Line {
        rings,
        starts: Starts::of(rings),
        status: Status::default(),
        dropped: Vec::new(),
        right: Vec::new(),
        here: Vec::new(),
        watch,
    };
    let same = |a: &u64, b: &u64| rings.points[vertex(*a)] == rings.points[vertex(*b)];
    for event in order.chunk_by(same) {
        meter.pay(event.len())?;
        line.pass(event);
        if line.dropped.len() > dropped_max {
            return Ok(None);
        }
        if first_only && !line.dropped.is_empty() {
            break;
        }
    }
    line.dropped.sort_unstable();
    Ok(Some(line.dropped))
}

/// The vertex of an event.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the number is in the lower half"
)]
pub(crate) const fn vertex(event: u64) -> usize {
    event as u32 as usize
}

/// Every vertex, in order. An event is one number, so that sorting compares numbers and takes 8 bytes a vertex: the place
/// of x in the extent of all, then the vertex. Where two places are one, the coordinates decide.
fn events(rings: &Rings, swept: &impl Fn(usize) -> bool) -> Vec<u64> {
    let swept_rings = || {
        let table = rings.table.iter().enumerate();
        table.filter(|(number, _)| swept(*number))
    };
    let (mut west, mut east, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0);
    for (_, ring) in swept_rings() {
        count += ring.edge_count();
        for point in &rings.points[ring.first..ring.last] {
            west = if point[0] < west { point[0] } else { west };
            east = if point[0] > east { point[0] } else { east };
        }
    }
    let scale = f64::from(u32::MAX) / (east - west);
    let mut order = Vec::with_capacity(count);
    for (_, ring) in swept_rings() {
        let points = &rings.points[ring.first..ring.last];
        order.extend((ring.first..).zip(points).map(|(number, point)| {
            u64::from(place((point[0] - west) * scale)) << 32 | number as u64
        }));
    }
    order.sort_unstable();
    for alike in order.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        alike.sort_unstable_by(|a, b| {
            lexicographic(rings.points[vertex(*a)], rings.points[vertex(*b)]).then(a.cmp(b))
        });
    }
    order
}

/// Rises with the number.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast to an integer saturates"
)]
fn place(share: f64) -> u32 {
    share as u32
}

/// At which points a ring starts: a bit each, because few do.
struct Starts {
    bits: Vec<u64>,
}

impl Starts {
    fn of(rings: &Rings) -> Self {
        let mut bits = vec![0; rings.points.len() / 64 + 1];
        for ring in &rings.table {
            bits[ring.first / 64] |= 1 << (ring.first % 64);
        }
        Self { bits }
    }

    /// The vertex before, round its ring.
    fn previous(&self, rings: &Rings, vertex: usize) -> usize {
        if self.bits[vertex / 64] >> (vertex % 64) & 1 == 0 {
            vertex - 1
        } else {
            rings.table[rings.ring_of(vertex)].last - 1
        }
    }
}

/// The sweep line.
struct Line<'a, W> {
    rings: &'a Rings<'a>,
    starts: Starts,
    status: Status,
    dropped: Vec<u32>,
    /// The edges that leave the point of this event to the right, from bottom to top.
    right: Vec<u32>,
    here: Vec<Incidence>,
    watch: &'a mut W,
}

impl<W: Watch> Line<'_, W> {
    fn pass(&mut self, event: &[u64]) {
        let rings = self.rings;
        let point = rings.points[vertex(event[0])];
        let mut gap = self.status.find(rings, point);
        self.right.clear();
        let passing = self.take_through(point, &mut gap);
        for vertex in event.iter().copied().map(vertex) {
            let previous = self.starts.previous(rings, vertex);
            if before(point, rings.points[vertex + 1]) {
                self.right.push(narrow(vertex));
            }
            if before(point, rings.points[previous]) {
                self.right.push(narrow(previous));
            }
        }
        if event.len() > 1 || passing.is_some() {
            self.tell(point, event, passing);
        }
        self.order_right(point);
        self.settle(&mut gap);
        self.watch
            .settle(event, self.status.below(gap), &self.right);
        self.status.insert(gap, &self.right);
    }

    /// Takes out the edges through the point. Those that end here are done with; of those that go on, one may stay.
    fn take_through(&mut self, point: Point, gap: &mut Gap) -> Option<u32> {
        let mut passing = None;
        while let Some(edge) = self.status.above(*gap) {
            let [low, high] = rising(self.rings, edge);
            if high != point {
                if !side(low, high, point).is_eq() {
                    break;
                }
                if passing.is_none() {
                    passing = Some(edge);
                    self.right.push(edge);
                } else {
                    self.dropped.push(edge);
                }
            }
            self.status.remove_above(*gap);
        }
        passing
    }

    fn tell(&mut self, point: Point, event: &[u64], passing: Option<u32>) {
        self.here.clear();
        let incidences = event.iter().map(|&event| (vertex(event), false));
        for (position, inside) in incidences.chain(passing.map(|edge| (edge as usize, true))) {
            self.here.push(Incidence {
                ring: narrow(self.rings.ring_of(position)),
                position: narrow(position),
                inside,
            });
        }
        self.watch.touch(point, &self.here);
    }

    /// Orders the edges to the right, and drops those that run along another.
    fn order_right(&mut self, point: Point) {
        if self.right.len() < 2 {
            return;
        }
        let rings = self.rings;
        let far = |edge: u32| rising(rings, edge)[1];
        self.right
            .sort_by(|&a, &b| side(point, far(a), far(b)).reverse());
        let mut kept = 1;
        for next in 1..self.right.len() {
            let (last, edge) = (self.right[kept - 1], self.right[next]);
            if side(point, far(last), far(edge)).is_eq() {
                self.dropped.push(edge);
            } else {
                self.right[kept] = edge;
                kept += 1;
            }
        }
        self.right.truncate(kept);
    }

    /// Drops edges until the new neighbours neither cross nor overlap.
    fn settle(&mut self, gap: &mut Gap) {
        while let (Some(below), Some(&first)) = (self.status.below(*gap), self.right.first()) {
            match self.conflict(below, first) {
                None => break,
                Some(edge) if edge == below => self.status.remove_below(gap),
                Some(_) => drop(self.right.remove(0)),
            }
        }
        while let Some(above) = self.status.above(*gap) {
            let last = self.right.last().copied();
            let Some(lower) = last.or_else(|| self.status.below(*gap)) else {
                break;
            };
            match self.conflict(lower, above) {
                None => break,
                Some(edge) if edge == above => self.status.remove_above(*gap),
                Some(_) if last.is_some() => drop(self.right.pop()),
                Some(_) => self.status.remove_below(gap),
            }
        }
    }

    /// Which of two edges has to go: the longer one, which more likely crosses others as well.
    fn conflict(&mut self, a: u32, b: u32) -> Option<u32> {
        let [edge_a, edge_b] = [a, b].map(|edge| self.rings.edge(edge as usize));
        match contact(edge_a, edge_b) {
            Contact::Apart | Contact::Touch(_) => None,
            Contact::Cross | Contact::Overlap(..) => {
                let extent = |edge: [Point; 2]| {
                    (edge[1][0] - edge[0][0]).abs() + (edge[1][1] - edge[0][1]).abs()
                };
                let longer = if extent(edge_a) > extent(edge_b) {
                    a
                } else {
                    b
                };
                self.dropped.push(longer);
                Some(longer)
            }
        }
    }
}

/// An edge from its lesser end to its greater one.
#[inline]
fn rising(rings: &Rings, edge: u32) -> [Point; 2] {
    let [from, to] = rings.edge(edge as usize);
    if before(to, from) {
        [to, from]
    } else {
        [from, to]
    }
}

/// A place between two edges of the list: before the edge at `at` of a block.
#[derive(Debug, Clone, Copy)]
struct Gap {
    block: usize,
    at: usize,
}

/// The edges that the sweep line cuts, from bottom to top, in blocks. Only a lone block may be empty between events.
#[derive(Debug)]
struct Status {
    blocks: Vec<Vec<u32>>,
    /// Emptied blocks, to be used again.
    spare: Vec<Vec<u32>>,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            blocks: vec![Vec::with_capacity(BLOCK_EDGES_MAX + 1)],
            spare: Vec::new(),
        }
    }
}

impl Status {
    /// The gap over all edges that run below a point.
    fn find(&self, rings: &Rings, point: Point) -> Gap {
        let is_below = |edge: u32| {
            let [low, high] = rising(rings, edge);
            side(low, high, point).is_gt()
        };
        let heads = &self.blocks[1..];
        let block = heads.partition_point(|block| is_below(block[0]));
        let at = self.blocks[block].partition_point(|&edge| is_below(edge));
        Gap { block, at }
    }

    fn below(&self, gap: Gap) -> Option<u32> {
        if gap.at > 0 {
            Some(self.blocks[gap.block][gap.at - 1])
        } else {
            let block = gap.block.checked_sub(1)?;
            self.blocks[block].last().copied()
        }
    }

    fn above(&self, gap: Gap) -> Option<u32> {
        let own = self.blocks[gap.block].get(gap.at);
        own.or_else(|| self.blocks.get(gap.block + 1)?.first())
            .copied()
    }

    fn remove_below(&mut self, gap: &mut Gap) {
        if gap.at > 0 {
            gap.at -= 1;
            self.blocks[gap.block].remove(gap.at);
        } else if gap.block > 0 {
            self.blocks[gap.block - 1].pop();
            if self.blocks[gap.block - 1].is_empty() {
                gap.block -= 1;
                self.retire(gap.block);
            }
        }
    }

    fn remove_above(&mut self, gap: Gap) {
        if gap.at < self.blocks[gap.block].len() {
            self.blocks[gap.block].remove(gap.at);
        } else if gap.block + 1 < self.blocks.len() {
            self.blocks[gap.block + 1].remove(0);
            if self.blocks[gap.block + 1].is_empty() {
                self.retire(gap.block + 1);
            }
        }
    }

    /// Puts edges into the gap, and the blocks in order.
    fn insert(&mut self, gap: Gap, edges: &[u32]) {
        let block = &mut self.blocks[gap.block];
        match edges {
            [] => {}
            &[edge] => block.insert(gap.at, edge),
            edges => drop(block.splice(gap.at..gap.at, edges.iter().copied())),
        }
        if block.is_empty() {
            if self.blocks.len() > 1 {
                self.retire(gap.block);
            }
            return;
        }
        let mut number = gap.block;
        while self.blocks[number].len() > BLOCK_EDGES_MAX {
            let mut upper = self.spare.pop().unwrap_or_default();
            let keep = if self.blocks[number].len() > 2 * BLOCK_EDGES_MAX {
                BLOCK_EDGES_MAX
            } else {
                self.blocks[number].len() / 2
            };
            upper.extend(self.blocks[number].drain(keep..));
            number += 1;
            self.blocks.insert(number, upper);
        }
    }

    fn retire(&mut self, block: usize) {
        let mut emptied = self.blocks.remove(block);
        emptied.clear();
        self.spare.push(emptied);
    }
}
