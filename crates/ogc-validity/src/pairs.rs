//! Which edges may meet: pairs whose boxes do, found by descending the tree against itself.

use std::ops::Range;

use crate::contact::Edge;
use crate::exact::{Point, side};
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::rings::Rings;
use crate::runs::{LEAF_EDGES_MAX, STEP_EDGES};
use crate::tree::{Node, SEVERAL, Tree};

/// An edge and the ring it is of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) ring: usize,
    pub(crate) edge: usize,
}

/// Hands over every pair of edges of one ring with boxes that meet, each once, ring after ring. Leaves out those of a
/// steady run, which meet at most where one follows the other.
pub(crate) fn within_rings(
    rings: &Rings,
    tree: &Tree,
    meter: &mut Meter,
    visit: impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let roots = (0..rings.table.len()).filter_map(|ring| tree.root(ring));
    descend(
        rings,
        tree,
        roots.map(|root| [root, root]).collect(),
        meter,
        visit,
    )
}

/// Hands over every pair of edges of two rings with boxes that meet, each once.
pub(crate) fn across_rings(
    rings: &Rings,
    tree: &Tree,
    meter: &mut Meter,
    visit: impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let mut stack: Vec<[u32; 2]> = Vec::new();
    let mut spans: Vec<u32> = tree.top().into_iter().collect();
    while let Some(node) = spans.pop() {
        meter.pay(1)?;
        if tree.node(node).ring == SEVERAL {
            let children = tree.children(tree.node(node));
            spans.extend(children.clone());
            for a in children.clone() {
                stack.extend((a + 1..children.end).map(|b| [a, b]));
            }
        }
    }
    descend(rings, tree, stack, meter, visit)
}

/// Hands over every pair of one of these edges, given rising, and an edge with a box that meets its own, each once: those
/// of one ring, or those of two.
pub(crate) fn of_dropped(
    rings: &Rings,
    tree: &Tree,
    dropped: &[u32],
    within: bool,
    meter: &mut Meter,
    mut visit: impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let mut stack = Vec::new();
    for &edge in dropped {
        let number = edge as usize;
        let ring = rings.ring_of(number);
        let own = rings.edge(number);
        if within {
            stack.extend(tree.root(ring));
        } else {
            stack.extend(tree.top());
        }
        while let Some(node) = stack.pop() {
            meter.pay(1)?;
            let node = tree.node(node);
            let is_own = node.ring as usize == ring;
            if (!within && is_own) || !boxes_meet(own, [node.low, node.high]) {
                continue;
            }
            if !is_cut(node, own) {
                continue;
            }
            if !node.is_leaf() {
                stack.extend(tree.children(node));
                continue;
            }
            let (a, other) = (Member { ring, edge: number }, node.ring as usize);
            for f in node.first..node.last {
                let again = f == edge || (f < edge && dropped.binary_search(&f).is_ok());
                if !again && boxes_meet(own, rings.edge(f as usize)) {
                    let b = Member {
                        ring: other,
                        edge: f as usize,
                    };
                    visit(a, b)?;
                }
            }
            meter.pay((node.last - node.first) as usize)?;
        }
    }
    Ok(())
}

/// Whether so many boxes overlap that comparing edges by them costs more than a sweep. By a few leaves, spread evenly, and
/// the leaves that each meets.
pub(crate) fn are_crowded(tree: &Tree, meter: &mut Meter) -> Result<bool, Stopped> {
    let leaves = tree.leaves();
    if leaves.len() < CROWD_LEAVES_MIN {
        return Ok(false);
    }
    let (mut edges, mut met) = (0, 0);
    let mut stack = Vec::new();
    for leaf in leaves.iter().step_by(leaves.len() / CROWD_SAMPLES) {
        let full = met + CROWD_MET_MAX;
        edges += leaf.last - leaf.first;
        stack.clear();
        stack.extend(tree.top());
        while let Some(node) = stack.pop() {
            meter.pay(1)?;
            let node = tree.node(node);
            if !node.meets(leaf) {
                continue;
            }
            if !node.is_leaf() {
                stack.extend(tree.children(node));
                continue;
            }
            met += 1;
            if met == full {
                break;
            }
        }
    }
    Ok(met > edges + edges / 2)
}

/// Fewer leaves are compared sooner than sampled.
const CROWD_LEAVES_MIN: usize = 64;
/// Leaves that are looked at, or a few more.
const CROWD_SAMPLES: usize = 16;
/// Leaves that one of them counts as met: a shell's box may be met by all.
const CROWD_MET_MAX: u32 = 48;

/// Whether the line of an edge meets a box.
fn is_cut(node: &Node, edge: Edge) -> bool {
    let corners = [
        node.low,
        node.high,
        [node.low[0], node.high[1]],
        [node.high[0], node.low[1]],
    ];
    let first = side(edge[0], edge[1], corners[0]);
    first.is_eq()
        || corners[1..]
            .iter()
            .any(|corner| side(edge[0], edge[1], *corner) != first)
}

fn descend(
    rings: &Rings,
    tree: &Tree,
    mut stack: Vec<[u32; 2]>,
    meter: &mut Meter,
    mut visit: impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    while let Some([a, b]) = stack.pop() {
        meter.pay(1)?;
        let (node_a, node_b) = (tree.node(a), tree.node(b));
        if a == b {
            if node_a.quadrants != 0 {
                continue;
            }
            if node_a.is_leaf() {
                meter.pay(pairs_within(rings, node_a, &mut visit)?)?;
            } else {
                push_pairs(tree.children(node_a), &mut stack);
            }
        } else if node_a.meets(node_b) && !is_one_steady_run(node_a, node_b) {
            if node_a.is_leaf() && node_b.is_leaf() {
                meter.pay(pairs_across(rings, node_a, node_b, &mut visit)?)?;
            } else if node_b.is_leaf() || (!node_a.is_leaf() && extent(node_a) > extent(node_b)) {
                stack.extend(tree.children(node_a).map(|child| [child, b]));
            } else {
                stack.extend(tree.children(node_b).map(|child| [a, child]));
            }
        }
    }
    Ok(())
}

fn push_pairs(children: Range<u32>, stack: &mut Vec<[u32; 2]>) {
    for a in children.clone() {
        stack.extend((a..children.end).map(|b| [a, b]));
    }
}

fn is_one_steady_run(a: &Node, b: &Node) -> bool {
    a.ring == b.ring
        && a.ring != SEVERAL
        && (a.last == b.first || b.last == a.first)
        && a.quadrants & b.quadrants != 0
}

fn extent(node: &Node) -> f64 {
    (node.high[0] - node.low[0]) + (node.high[1] - node.low[1])
}

fn pairs_within(
    rings: &Rings,
    leaf: &Node,
    visit: &mut impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<usize, Stopped> {
    let (ring, first, last) = (leaf.ring as usize, leaf.first as usize, leaf.last as usize);
    let mut steps = last - first;
    for e in first..last {
        let edge = rings.edge(e);
        for f in e + 1..last {
            if boxes_meet(edge, rings.edge(f)) {
                steps += 1;
                visit(Member { ring, edge: e }, Member { ring, edge: f })?;
            }
        }
    }
    Ok(steps)
}

fn pairs_across(
    rings: &Rings,
    a: &Node,
    b: &Node,
    visit: &mut impl FnMut(Member, Member) -> Result<(), Stopped>,
) -> Result<usize, Stopped> {
    let common = a.common(b);
    let member = |node: &Node, edge: u32| Member {
        ring: node.ring as usize,
        edge: edge as usize,
    };
    let mut shortlist = [0; LEAF_EDGES_MAX];
    let mut listed = 0;
    for f in near(rings, b, common).filter(|&f| boxes_meet(rings.edge(f as usize), common)) {
        shortlist[listed] = f;
        listed += 1;
    }
    let mut steps = 1;
    if listed == 0 {
        return Ok(steps);
    }
    for e in near(rings, a, common) {
        let edge = rings.edge(e as usize);
        if boxes_meet(edge, common) {
            steps += listed;
            for &f in shortlist[..listed]
                .iter()
                .filter(|&&f| boxes_meet(edge, rings.edge(f as usize)))
            {
                steps += 2;
                visit(member(a, e), member(b, f))?;
            }
        }
    }
    Ok(steps)
}

/// The edges of a leaf that may meet a box. Those of a long one follow each other, and are found by bisection.
fn near(rings: &Rings, leaf: &Node, [low, high]: [Point; 2]) -> Range<u32> {
    let mut edges = leaf.first..leaf.last;
    if edges.len() <= STEP_EDGES {
        return edges;
    }
    for axis in [0, 1] {
        // Ascending from west to east, or from south to north.
        let ascends = leaf.quadrants & [0b0011, 0b0101][axis] != 0;
        let points = &rings.points[edges.start as usize..=edges.end as usize];
        let (starts, ends) = (&points[..points.len() - 1], &points[1..]);
        let [skipped, kept] = if ascends {
            [
                ends.partition_point(|end| end[axis] < low[axis]),
                starts.partition_point(|start| start[axis] <= high[axis]),
            ]
        } else {
            [
                ends.partition_point(|end| end[axis] > high[axis]),
                starts.partition_point(|start| start[axis] >= low[axis]),
            ]
        };
        let first = edges.start;
        edges = first + narrow(skipped)..first + narrow(kept.max(skipped));
        if edges.is_empty() {
            break;
        }
    }
    edges
}

#[inline]
fn boxes_meet(a: Edge, b: Edge) -> bool {
    spans_meet(a, b, 0) && spans_meet(a, b, 1)
}

#[inline]
fn spans_meet(a: Edge, b: Edge, axis: usize) -> bool {
    let order = |p: f64, q: f64| if p < q { (p, q) } else { (q, p) };
    let (a_low, a_high) = order(a[0][axis], a[1][axis]);
    let (b_low, b_high) = order(b[0][axis], b[1][axis]);
    a_low <= b_high && b_low <= a_high
}
