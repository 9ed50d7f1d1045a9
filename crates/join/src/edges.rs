//! Edges of a line or of rings, indexed: which of them another edge or a point touches.

use geo::{Coord, Intersects, Line};
use rstar::{AABB, RTree, RTreeObject};

/// Edges in a tree.
#[derive(Clone, Debug)]
pub(crate) struct Edges {
    tree: RTree<Line<f64>>,
}

impl Edges {
    pub(crate) fn new(lines: impl Iterator<Item = Line<f64>>) -> Self {
        Self {
            tree: RTree::bulk_load(lines.collect()),
        }
    }

    pub(crate) fn touch_point(&self, point: Coord<f64>) -> bool {
        let bounds = AABB::from_point(geo::Point(point));
        let mut near = self.tree.locate_in_envelope_intersecting(&bounds);
        near.any(|edge| edge.intersects(&point))
    }

    pub(crate) fn touch_line(&self, line: &Line<f64>) -> bool {
        let bounds = line.envelope();
        let mut near = self.tree.locate_in_envelope_intersecting(&bounds);
        near.any(|edge| edge.intersects(line))
    }
}
