//! Boxes over runs of edges, in ring order: a tree for each ring, and a tree over the rings. Nothing is sorted but the
//! rings, along a Morton curve.

use std::ops::Range;

use crate::exact::Point;
use crate::narrow;
use crate::runs::STEP_EDGES;

/// Children under a node: what fits a few cache lines.
const CHILDREN_MAX: u32 = 4;

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
    pub(crate) fn leaf(
        [low, high]: [Point; 2],
        ring: u32,
        edges: Range<u32>,
        quadrants: u8,
    ) -> Self {
        Self {
            low,
            high,
            ring,
            first: edges.start,
            last: edges.end,
            children: [0, 0],
            quadrants,
        }
    }

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

/// Room for the most leaves that rings with so many vertices have, and for the nodes over them: it is not to grow,
/// because a growing list lies twice in memory.
pub(crate) fn room_for(ring_vertices: impl Iterator<Item = usize>) -> Vec<Node> {
    let (mut leaves, mut over_leaves, mut rings) = (0, 0, 0);
    for vertices in ring_vertices {
        let own = vertices.div_ceil(STEP_EDGES);
        leaves += own;
        over_leaves += if own > 1 { own / 3 + LEVELS_MAX } else { 0 };
        rings += 1;
    }
    let over_rings = if rings > 1 {
        rings + rings / 3 + LEVELS_MAX
    } else {
        0
    };
    Vec::with_capacity(leaves + over_leaves + over_rings)
}

/// A level may have one node that is not full, and 32 bits count no more levels of four.
const LEVELS_MAX: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// The children of a node follow each other.
    nodes: Vec<Node>,
    /// How many of the nodes are leaves; these come first.
    leaves: usize,
    /// The node over each ring; none for a ring that was left out.
    roots: Vec<Option<u32>>,
    top: Option<u32>,
}

impl Tree {
    /// A tree over the rings that stand for themselves, by the leaves of all rings in their order.
    pub(crate) fn build(leaves: Vec<Node>, standing: &[usize]) -> Self {
        let count = standing.len();
        let mut tree = Self {
            leaves: leaves.len(),
            nodes: leaves,
            roots: vec![None; count],
            top: None,
        };
        let leaves = tree.len();
        let mut first = 0;
        while first < leaves {
            let ring = tree.node(first).ring;
            let mut last = first + 1;
            while last < leaves && tree.node(last).ring == ring {
                last += 1;
            }
            if standing[ring as usize] == ring as usize {
                tree.roots[ring as usize] = tree.join(first..last);
            }
            first = last;
        }
        let mut order: Vec<u32> = tree.roots.iter().flatten().copied().collect();
        if let [lone] = order[..] {
            tree.top = Some(lone);
            return tree;
        }
        tree.sort_along_curve(&mut order);
        let first = tree.len();
        for root in order {
            tree.push(*tree.node(root));
        }
        tree.top = tree.join(first..tree.len());
        tree
    }

    /// The leaves of all rings, in their order.
    pub(crate) fn leaves(&self) -> &[Node] {
        &self.nodes[..self.leaves]
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

    #[allow(
        clippy::unused_self,
        reason = "a child is a number that only this tree can look up"
    )]
    pub(crate) fn children(&self, node: &Node) -> Range<u32> {
        node.children[0]..node.children[1]
    }

    fn len(&self) -> u32 {
        narrow(self.nodes.len())
    }

    /// Joins nodes, neighbours in their order, under one.
    fn join(&mut self, nodes: Range<u32>) -> Option<u32> {
        let mut level = nodes;
        while level.len() > 1 {
            let (mut group, above) = (level.start, self.len());
            while group < level.end {
                let next = (group + CHILDREN_MAX).min(level.end);
                let parent = self.parent(group..next);
                self.push(parent);
                group = next;
            }
            level = above..self.len();
        }
        level.clone().next()
    }

    fn parent(&self, group: Range<u32>) -> Node {
        let mut parent = *self.node(group.start);
        for child in &self.nodes[group.start as usize + 1..group.end as usize] {
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
        parent.children = [group.start, group.end];
        parent
    }

    fn push(&mut self, node: Node) {
        self.nodes.push(node);
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
