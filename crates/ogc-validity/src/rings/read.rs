//! Reads the rings of a shape: tells what is wrong with each alone, and stores the fit ones for what follows.
//!
//! A ring that is not closed, has too few points or coordinates that are no numbers, or is flat, is told and left out:
//! nothing further can be said of it.

use std::borrow::Cow;

use super::borrow::least;
use super::{Fitness, Part, Ring, Rings};
use crate::contact::{Contact, Edge, contact};
use crate::exact::{Point, side};
use crate::fault::{Fault, FaultKind, Place};
use crate::ledger::Ledger;
use crate::lines::report_non_finite;
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::runs;
use crate::scale::Scale;
use crate::shape::{Shape, Vertex};
use crate::tree::{self, Node};

/// Positions of the smallest ring, the closing one included.
const RING_POINTS_MIN: usize = 4;

impl<'a> Rings<'a> {
    /// The rings, and the leaves of a tree over them, ring after ring.
    pub(crate) fn read(
        shape: &Shape<'a>,
        meter: &mut Meter,
        ledger: &mut Ledger,
    ) -> Result<(Self, Vec<Node>), Stopped> {
        meter.pay(shape.vertex_count())?;
        let mut leaves = tree::room_for(
            (0..shape.ring_ends.len()).map(|ring| shape.ring_range(ring).len().saturating_sub(1)),
        );
        if let Some(rings) = Self::borrow(shape, &mut leaves) {
            return Ok((rings, leaves));
        }
        leaves.clear();
        let copied = Copied::read(shape, &mut leaves, ledger)?;
        let rings = Self {
            points: Cow::Owned(copied.points),
            vertices: Some(copied.vertices),
            table: copied.table,
            parts: copied.parts,
            scale: copied.scale,
        };
        Ok((rings, leaves))
    }
}

/// The rings as they are stored one by one.
struct Copied {
    points: Vec<Point>,
    vertices: Vec<u32>,
    table: Vec<Ring>,
    parts: Vec<Part>,
    scale: Scale,
}

impl Copied {
    fn read(
        shape: &Shape<'_>,
        leaves: &mut Vec<Node>,
        ledger: &mut Ledger,
    ) -> Result<Self, Stopped> {
        let mut rings = Self {
            points: Vec::with_capacity(shape.vertex_count()),
            vertices: Vec::with_capacity(shape.vertex_count()),
            table: Vec::with_capacity(shape.ring_ends.len()),
            parts: Vec::with_capacity(shape.part_ends.len()),
            scale: Scale::of(shape.coordinates, shape.stride).ok_or(Stopped)?,
        };
        for part in 0..shape.part_ends.len() {
            let mut read = Part {
                shell: Fitness::Empty,
                complete: true,
            };
            for (index, ring) in shape.part(part).enumerate() {
                let name = [narrow(part), narrow(index)];
                let fitness = rings.read_ring(shape, ring, name, leaves, ledger);
                if index == 0 {
                    read.shell = fitness;
                }
                read.complete &= fitness != Fitness::Unfit;
                ledger.go_on()?;
            }
            rings.parts.push(read);
        }
        Ok(rings)
    }

    fn read_ring(
        &mut self,
        shape: &Shape<'_>,
        ring: usize,
        name: [u32; 2],
        leaves: &mut Vec<Node>,
        ledger: &mut Ledger,
    ) -> Fitness {
        let coordinates = shape.ring(ring);
        if coordinates.is_empty() {
            return Fitness::Empty;
        }
        let first = self.points.len();
        if self.is_fit(shape, coordinates, name, ledger) {
            let last = self.points.len() - 1;
            let own = leaves.len();
            runs::cut(&self.points, first..last, narrow(self.table.len()), leaves);
            let least = least(&self.points, &leaves[own..]);
            self.table.push(Ring {
                part: name[0],
                index: name[1],
                first,
                last,
                least,
            });
            Fitness::Fit(self.table.len() - 1)
        } else {
            self.points.truncate(first);
            self.vertices.truncate(first);
            Fitness::Unfit
        }
    }

    /// Stores the points of a ring and tells what is wrong with it.
    fn is_fit(
        &mut self,
        shape: &Shape<'_>,
        coordinates: &[f64],
        name: [u32; 2],
        ledger: &mut Ledger,
    ) -> bool {
        let place = |vertex| Place {
            part: name[0],
            ring: name[1],
            vertex,
        };
        if !report_non_finite(shape, coordinates, place, ledger) {
            return false;
        }
        let closed = report_open(shape, coordinates, place, ledger);
        let first = self.points.len();
        self.store(shape.vertices(coordinates));
        let location = [coordinates[0], coordinates[1]];
        if self.points.len() - first < RING_POINTS_MIN - usize::from(!closed) {
            ledger.add_vertex(FaultKind::TooFewPoints, location, place(0), None);
            return false;
        }
        if closed && self.is_flat(first) {
            ledger.add_vertex(FaultKind::Collapsed, location, place(0), None);
            self.report_reversals(first, place, ledger);
            return false;
        }
        closed
    }

    fn edge(&self, edge: usize) -> Edge {
        [self.points[edge], self.points[edge + 1]]
    }

    fn store(&mut self, vertices: impl Iterator<Item = Vertex>) {
        let mut latest = None;
        for (index, vertex) in vertices.enumerate() {
            if latest != Some(vertex.xy) {
                latest = Some(vertex.xy);
                self.points.push(self.scale.apply(vertex.xy));
                self.vertices.push(narrow(index));
            }
        }
    }

    fn is_flat(&self, first: usize) -> bool {
        let [from, to, rest @ ..] = &self.points[first..] else {
            return true;
        };
        rest.iter().all(|point| side(*from, *to, *point).is_eq())
    }

    /// Tells where a flat ring turns back: each edge that runs along the one before.
    fn report_reversals(&self, first: usize, place: impl Fn(u32) -> Place, ledger: &mut Ledger) {
        let edges = self.points.len() - 1 - first;
        for (a, b) in (0..edges).map(|edge| (edge, (edge + 1) % edges)) {
            if let Contact::Overlap(low, high) = contact(self.edge(first + a), self.edge(first + b))
            {
                let [a, b] = [a, b].map(|edge| place(self.vertices[first + edge + 1] - 1));
                ledger.add(Fault {
                    kind: FaultKind::SelfIntersection,
                    location: self.scale.undo(low),
                    location_end: Some(self.scale.undo(high)),
                    location_exact: true,
                    at: a.min(b),
                    other: Some(a.max(b)),
                });
            }
        }
    }
}

/// Tells a ring that does not end where it began. False when it differs in x or y; a difference in z is told, and the
/// ring is judged on.
fn report_open<'a>(
    shape: &Shape<'a>,
    ring: &'a [f64],
    place: impl Fn(u32) -> Place,
    ledger: &mut Ledger,
) -> bool {
    let (opening, closing) = (&ring[..shape.stride], &ring[ring.len() - shape.stride..]);
    let both_finite = opening
        .iter()
        .chain(closing)
        .all(|ordinate| ordinate.is_finite());
    if both_finite && opening != closing {
        let last = narrow(ring.len() / shape.stride - 1);
        ledger.add_vertex(
            FaultKind::NotClosed,
            [closing[0], closing[1]],
            place(last),
            Some(place(0)),
        );
    }
    opening[..2] == closing[..2]
}
