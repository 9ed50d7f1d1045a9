//! Reads the rings of a shape: tells what is wrong with each alone, and stores the fit ones for what follows.
//!
//! Stored points have no repeats, but know the vertex they came from. A ring that is not closed, has too few points or
//! coordinates that are no numbers, or is flat, is told and left out: nothing further can be said of it.

use std::cmp::Ordering;

use crate::contact::{Contact, contact};
use crate::exact::{Point, before, side};
use crate::fault::{Fault, FaultKind, Place};
use crate::ledger::Ledger;
use crate::lines::report_non_finite;
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::scale::Scale;
use crate::shape::{Shape, Vertex};

/// Positions of the smallest ring, the closing one included.
const RING_POINTS_MIN: usize = 4;

/// A fit ring: its edges are `first..last`, edge `e` running from point `e` to point `e + 1`; point `last` repeats
/// point `first`.
#[derive(Debug, Clone)]
pub(crate) struct Ring {
    pub(crate) part: u32,
    /// Its number in its part, as in the input.
    pub(crate) index: u32,
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The point least by x, then y.
    pub(crate) least: usize,
}

impl Ring {
    pub(crate) fn is_shell(&self) -> bool {
        self.index == 0
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.last - self.first
    }

    /// The point after, round the ring.
    pub(crate) fn next(&self, point: usize) -> usize {
        if point + 1 == self.last {
            self.first
        } else {
            point + 1
        }
    }

    /// The point before, round the ring.
    pub(crate) fn previous(&self, point: usize) -> usize {
        if point == self.first {
            self.last - 1
        } else {
            point - 1
        }
    }
}

/// What became of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fitness {
    /// It has no position; that is no fault.
    Empty,
    /// It was told and left out.
    Unfit,
    /// It is stored under this number.
    Fit(usize),
}

#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) shell: Fitness,
    /// Whether none of its rings is unfit.
    pub(crate) complete: bool,
}

#[derive(Debug)]
pub(crate) struct Rings {
    pub(crate) points: Vec<Point>,
    /// The first of the repeated vertices that a point stands for.
    vertices: Vec<u32>,
    pub(crate) table: Vec<Ring>,
    pub(crate) parts: Vec<Part>,
    scale: Scale,
}

impl Rings {
    pub(crate) fn read(
        shape: &Shape<'_>,
        meter: &mut Meter,
        ledger: &mut Ledger,
    ) -> Result<Self, Stopped> {
        meter.pay(shape.vertex_count())?;
        let mut rings = Self {
            points: Vec::with_capacity(shape.vertex_count()),
            vertices: Vec::with_capacity(shape.vertex_count()),
            table: Vec::with_capacity(shape.ring_ends.len()),
            parts: Vec::with_capacity(shape.part_ends.len()),
            scale: Scale::of(shape.coordinates).ok_or(Stopped)?,
        };
        for part in 0..shape.part_ends.len() {
            let mut read = Part {
                shell: Fitness::Empty,
                complete: true,
            };
            for (index, ring) in shape.part(part).enumerate() {
                let fitness = rings.read_ring(shape, ring, [narrow(part), narrow(index)], ledger);
                if index == 0 {
                    read.shell = fitness;
                }
                read.complete &= fitness != Fitness::Unfit;
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
        ledger: &mut Ledger,
    ) -> Fitness {
        let coordinates = shape.ring(ring);
        let place = |vertex| Place {
            part: name[0],
            ring: name[1],
            vertex,
        };
        let Some(opening) = shape.vertices(coordinates).next() else {
            return Fitness::Empty;
        };
        if !report_non_finite(shape, coordinates, place, ledger) {
            return Fitness::Unfit;
        }
        let closed = report_open(shape, coordinates, place, ledger);
        let first = self.points.len();
        self.store(shape.vertices(coordinates));
        let needed = if closed {
            RING_POINTS_MIN
        } else {
            RING_POINTS_MIN - 1
        };
        let fit = if self.points.len() - first < needed {
            ledger.add_vertex(FaultKind::TooFewPoints, opening.xy, place(0), None);
            false
        } else if closed && self.is_flat(first) {
            ledger.add_vertex(FaultKind::Collapsed, opening.xy, place(0), None);
            self.report_reversals(first, place, ledger);
            false
        } else {
            closed
        };
        if !fit {
            self.points.truncate(first);
            self.vertices.truncate(first);
            return Fitness::Unfit;
        }
        let last = self.points.len() - 1;
        let least = (first..last).fold(first, |a, b| {
            if before(self.points[b], self.points[a]) {
                b
            } else {
                a
            }
        });
        self.table.push(Ring {
            part: name[0],
            index: name[1],
            first,
            last,
            least,
        });
        Fitness::Fit(self.table.len() - 1)
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
                    location: self.location(low),
                    location_end: Some(self.location(high)),
                    location_exact: true,
                    at: a.min(b),
                    other: Some(a.max(b)),
                });
            }
        }
    }

    /// The two ends of an edge.
    pub(crate) fn edge(&self, edge: usize) -> [Point; 2] {
        [self.points[edge], self.points[edge + 1]]
    }

    /// `Greater` when the ring runs with its inside on the left. Sure when the ring does not cross itself.
    pub(crate) fn winding(&self, ring: &Ring) -> Ordering {
        let least = ring.least;
        side(
            self.points[ring.previous(least)],
            self.points[least],
            self.points[least + 1],
        )
    }

    pub(crate) fn edge_place(&self, ring: &Ring, edge: usize) -> Place {
        Place {
            part: ring.part,
            ring: ring.index,
            vertex: self.vertices[edge + 1] - 1,
        }
    }

    pub(crate) fn point_place(&self, ring: &Ring, point: usize) -> Place {
        Place {
            part: ring.part,
            ring: ring.index,
            vertex: self.vertices[point],
        }
    }

    /// A stored or computed point in the units of the input.
    pub(crate) fn location(&self, point: Point) -> Point {
        self.scale.undo(point)
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
