//! What the tests share: an owned shape, a WKT reader, a second judge.

#![allow(dead_code, reason = "each test uses its share of it")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

pub(crate) mod brute;
pub(crate) mod wkt;

use ogc_validity::{
    Fault, FaultKind, Judgement, Limits, Path, Place, Report, Shape, ShapeKind, judge,
    judge_first_by,
};

/// A shape that owns its arrays.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Owned {
    pub(crate) kind: ShapeKind,
    pub(crate) stride: usize,
    pub(crate) coordinates: Vec<f64>,
    pub(crate) ring_ends: Vec<u32>,
    pub(crate) part_ends: Vec<u32>,
}

/// Rings of a part, positions of a ring.
pub(crate) type Parts = Vec<Vec<Vec<[f64; 2]>>>;

impl Owned {
    pub(crate) fn new(kind: ShapeKind, stride: usize) -> Self {
        Self {
            kind,
            stride,
            coordinates: vec![],
            ring_ends: vec![],
            part_ends: vec![],
        }
    }

    pub(crate) fn polygons(parts: &Parts) -> Self {
        let mut owned = Self::new(ShapeKind::MultiPolygon, 2);
        for part in parts {
            for ring in part {
                owned.coordinates.extend(ring.iter().flatten());
                owned.end_ring();
            }
            owned.end_part();
        }
        owned
    }

    pub(crate) fn end_ring(&mut self) {
        self.ring_ends
            .push(u32::try_from(self.coordinates.len() / self.stride).unwrap());
    }

    pub(crate) fn end_part(&mut self) {
        self.part_ends
            .push(u32::try_from(self.ring_ends.len()).unwrap());
    }

    pub(crate) fn shape(&self) -> Shape<'_> {
        Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: self.stride,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        }
    }

    /// Every fault. Whatever is judged here is also judged up to its first fault.
    pub(crate) fn judge(&self) -> Judgement {
        let limits = Limits {
            faults_max: usize::MAX,
            work_max: None,
        };
        let judgement = judge(&self.shape(), &limits).unwrap();
        for path in [Path::Auto, Path::Tree, Path::Sweep] {
            assert_is_first_of(&self.shape(), path, &judgement);
        }
        judgement
    }

    pub(crate) fn is_valid(&self) -> bool {
        self.judge() == Judgement::Valid
    }

    pub(crate) fn report(&self) -> Report {
        match self.judge() {
            Judgement::Invalid(report) => report,
            other @ (Judgement::Valid | Judgement::Undecided { .. }) => panic!("{other:?}"),
        }
    }

    /// The positions of one ring.
    pub(crate) fn ring(&self, part: u32, ring: u32) -> Vec<[f64; 2]> {
        let before_part = |part: usize| {
            if part == 0 {
                0
            } else {
                self.part_ends[part - 1] as usize
            }
        };
        let ring = ring as usize
            + if self.part_ends.is_empty() {
                0
            } else {
                before_part(part as usize)
            };
        let start = if ring == 0 {
            0
        } else {
            self.ring_ends[ring - 1] as usize
        };
        (start..self.ring_ends[ring] as usize)
            .map(|vertex| {
                [
                    self.coordinates[vertex * self.stride],
                    self.coordinates[vertex * self.stride + 1],
                ]
            })
            .collect()
    }
}

/// Stopping at the first fault changes no verdict, and the fault is one of all.
#[track_caller]
pub(crate) fn assert_is_first_of(shape: &Shape<'_>, path: Path, all: &Judgement) {
    let (first, _) = judge_first_by(shape, None, path).unwrap();
    match (&first, all) {
        (Judgement::Invalid(first), Judgement::Invalid(all)) => {
            assert!(!first.complete);
            assert_eq!((first.faults.len(), first.totals.sum()), (1, 1));
            // A place that is no number is not equal to itself.
            let told = |fault: &Fault| format!("{fault:?}");
            let first = told(&first.faults[0]);
            assert!(
                all.faults.iter().any(|fault| told(fault) == first),
                "{first} of {shape:?}"
            );
        }
        (Judgement::Valid, Judgement::Valid)
        | (Judgement::Undecided { .. }, Judgement::Undecided { .. }) => {}
        (Judgement::Valid | Judgement::Invalid(_) | Judgement::Undecided { .. }, _) => {
            panic!("{path:?} {first:?} of {shape:?}")
        }
    }
}

/// Whether the location of a fault is where its kind says: on both edges to blame, or at a vertex of the ring.
pub(crate) fn is_in_its_place(owned: &Owned, fault: &Fault) -> bool {
    let size = owned
        .coordinates
        .iter()
        .fold(0.0, |most: f64, ordinate| most.max(ordinate.abs()));
    let ring = |place: Place| owned.ring(place.part, place.ring);
    let on_edge = |place: Place, point: [f64; 2]| {
        let (ring, vertex) = (ring(place), place.vertex as usize);
        let next = ring[(vertex + 1) % ring.len()];
        distance(point, ring[vertex], next) <= 1e-12 * size
    };
    let ends = std::iter::once(fault.location).chain(fault.location_end);
    match fault.kind {
        FaultKind::NonFinite => true,
        FaultKind::SelfIntersection
        | FaultKind::RingSelfIntersection
        | FaultKind::OverlappingParts
        | FaultKind::DisconnectedInterior => ends
            .into_iter()
            .all(|end| on_edge(fault.at, end) && on_edge(fault.other.unwrap(), end)),
        FaultKind::NotClosed
        | FaultKind::TooFewPoints
        | FaultKind::Collapsed
        | FaultKind::DuplicateRings
        | FaultKind::HoleOutsideShell
        | FaultKind::NestedHoles
        | FaultKind::NestedShells => {
            fault.location_exact && ring(fault.at).contains(&fault.location)
        }
    }
}

fn distance(point: [f64; 2], from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    let offset = [point[0] - from[0], point[1] - from[1]];
    if length == 0.0 {
        return offset[0].hypot(offset[1]);
    }
    let unit = [along[0] / length, along[1] / length];
    let share = (offset[0] * unit[0] + offset[1] * unit[1]).clamp(0.0, length);
    (offset[0] - share * unit[0]).hypot(offset[1] - share * unit[1])
}
