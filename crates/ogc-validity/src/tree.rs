//! Boxes over runs of edges, in ring order: a tree for each ring, and a tree over the rings. Nothing is sorted but the
//! rings, along a Morton curve.

use crate::exact::Point;
use crate::narrow;
use crate::rings::{Ring, Rings};

/// Edges under a leaf and children under a node: what fits a cache line or two.
pub(crate) const LEAF_EDGES_MAX: usize = 8;
const CHILDREN_MAX: usize = 4;

/// The ring of a node that spans several.
pub(crate) const SEVERAL: u32 = u32::MAX;

/// A box and what is below it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) low: Point,
    pub(crate) high: Point,
    /// The ring whose edges `first..last` these are, or [`SEVERAL`].
    pub(crate) ring: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    children: [u32; 2],
    /// The closed quadrants in which all its edges run. When there is one, the run rises or falls steadily in x and in
    /// y, and does not meet itself.
    pub(crate) quadrants: u8,
}

impl Node {
    pub(crate) fn is_leaf(&self) -> bool {
        self.children[0] == self.children[1]
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.low[0] <= other.high[0]
            && other.low[0] <= self.high[0]
            && self.low[1] <= other.high[1]
            && other.low[1] <= self.high[1]
    }

    pub(crate) fn contains(&self, point: Point) -> bool {
        self.low[0] <= point[0]
            && point[0] <= self.high[0]
            && self.low[1] <= point[1]
            && point[1] <= self.high[1]
    }

    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.contains(other.low) && self.contains(other.high)
    }

    /// What lies in both boxes, of which it is known that they meet: low and high.
    pub(crate) fn common(&self, other: &Self) -> [Point; 2] {
        let low = [0, 1].map(|axis| {
            if self.low[axis] < other.low[axis] {
                other.low[axis]
            } else {
                self.low[axis]
            }
        });
        let high = [0, 1].map(|axis| {
            if self.high[axis] < other.high[axis] {
                self.high[axis]
            } else {
                other.high[axis]
            }
        });
        [low, high]
    }

    fn widen(&mut self, low: Point, high: Point) {
        for axis in [0, 1] {
            if low[axis] < self.low[axis] {
                self.low[axis] = low[axis];
            }
            if high[axis] > self.high[axis] {
                self.high[axis] = high[axis];
            }
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    links: Vec<u32>,
    /// The node over each ring; none for a ring that was left out.
    roots: Vec<Option<u32>>,
    top: Option<u32>,
}

impl Tree {
    /// A tree over the rings that stand for themselves.
    pub(crate) fn build(rings: &Rings, standing: &[usize]) -> Self {
        let mut tree = Self {
            roots: vec![None; rings.table.len()],
            ..Self::default()
        };
        for (number, ring) in rings.table.iter().enumerate() {
            if standing[number] == number {
                let leaves = tree.add_leaves(rings, narrow(number), ring);
                tree.roots[number] = tree.join(leaves);
            }
        }
        let mut order: Vec<u32> = tree.roots.iter().flatten().copied().collect();
        tree.sort_along_curve(&mut order);
        tree.top = tree.join(order);
        tree
    }

    pub(crate) fn top(&self) -> Option<u32> {
        self.top
    }

    pub(crate) fn root(&self, ring: usize) -> Option<u32> {
        self.roots[ring]
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    pub(crate) fn children(&self, node: &Node) -> &[u32] {
        &self.links[node.children[0] as usize..node.children[1] as usize]
    }

    fn add_leaves(&mut self, rings: &Rings, number: u32, ring: &Ring) -> Vec<u32> {
        let mut leaves = Vec::with_capacity(ring.edge_count().div_ceil(LEAF_EDGES_MAX));
        for first in (ring.first..ring.last).step_by(LEAF_EDGES_MAX) {
            let last = (first + LEAF_EDGES_MAX).min(ring.last);
            let start = rings.points[first];
            let mut leaf = Node {
                low: start,
                high: start,
                ring: number,
                first: narrow(first),
                last: narrow(last),
                children: [0, 0],
                quadrants: u8::MAX,
            };
            for pair in rings.points[first..=last].windows(2) {
                leaf.widen(pair[1], pair[1]);
                leaf.quadrants &= quadrants(pair[0], pair[1]);
            }
            leaves.push(self.push(leaf));
        }
        leaves
    }

    /// Joins nodes, neighbours in the given order, under one.
    fn join(&mut self, mut level: Vec<u32>) -> Option<u32> {
        while level.len() > 1 {
            let mut parents = Vec::with_capacity(level.len().div_ceil(CHILDREN_MAX));
            for group in level.chunks(CHILDREN_MAX) {
                let parent = self.parent(group);
                parents.push(self.push(parent));
            }
            level = parents;
        }
        level.first().copied()
    }

    fn parent(&mut self, group: &[u32]) -> Node {
        let first_link = narrow(self.links.len());
        self.links.extend_from_slice(group);
        let mut parent = *self.node(group[0]);
        for &child in group {
            let child = *self.node(child);
            parent.widen(child.low, child.high);
            parent.quadrants &= child.quadrants;
            parent.last = child.last;
            if child.ring != parent.ring {
                parent.ring = SEVERAL;
            }
        }
        if parent.ring == SEVERAL {
            parent.quadrants = 0;
        }
        parent.children = [first_link, narrow(self.links.len())];
        parent
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        narrow(self.nodes.len() - 1)
    }

    fn sort_along_curve(&self, nodes: &mut [u32]) {
        let Some((&first, rest)) = nodes.split_first() else {
            return;
        };
        let mut whole = *self.node(first);
        for &node in rest {
            let node = self.node(node);
            whole.widen(node.low, node.high);
        }
        nodes.sort_by_cached_key(|&node| {
            let node = self.node(node);
            let cell = |axis: usize| {
                let extent = whole.high[axis] - whole.low[axis];
                let offset = (node.low[axis] - whole.low[axis]) / 2.0
                    + (node.high[axis] - whole.low[axis]) / 2.0;
                spread(to_cell(offset / extent))
            };
            cell(0) | cell(1) << 1
        });
    }
}

/// A share of the extent as one of 65,536 cells; 0 for what is no number.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast to an integer saturates"
)]
fn to_cell(share: f64) -> u16 {
    (share * f64::from(u16::MAX)) as u16
}

/// Puts a zero bit before every bit.
fn spread(cell: u16) -> u32 {
    let mut bits = u32::from(cell);
    bits = (bits | bits << 8) & 0x00ff_00ff;
    bits = (bits | bits << 4) & 0x0f0f_0f0f;
    bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

/// The closed quadrants a direction lies in, a bit each.
fn quadrants(from: Point, to: Point) -> u8 {
    const EAST: u8 = 0b0011;
    const NORTH: u8 = 0b0101;
    let half = |from: f64, to: f64, up: u8| {
        if from < to {
            up
        } else if from > to {
            !up & 0b1111
        } else {
            0b1111
        }
    };
    half(from[0], to[0], EAST) & half(from[1], to[1], NORTH)
}
