//! Stopping at the first fault: the verdict is the same, the fault is one of all, the work is less.
//!
//! Every shape of the other tests is judged so too (`support`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod support;

use ogc_validity::{
    FaultKind, Judgement, Limits, Path, Shape, ShapeError, ShapeKind, judge, judge_first,
    judge_first_by, judge_metered,
};
use proptest::prelude::*;
use support::{Owned, assert_is_first_of};

fn closed(corners: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut ring: Vec<_> = corners.collect();
    ring.push(ring[0]);
    ring
}

fn square(low: f64, size: f64) -> Vec<[f64; 2]> {
    let high = low + size;
    closed([[low, low], [high, low], [high, high], [low, high]].into_iter())
}

/// Edges to and fro, most of which cross.
fn scribble(edges: u32) -> Owned {
    let spread = |number: u32| f64::from(number.wrapping_mul(2_654_435_761) >> 12);
    let ring = (0..edges).map(|number| [spread(number * 2), spread(number * number + 1)]);
    Owned::polygons(&vec![vec![closed(ring)]])
}

fn kind(owned: &Owned) -> FaultKind {
    match judge_first(&owned.shape(), None).unwrap() {
        Judgement::Invalid(report) => report.faults[0].kind,
        other @ (Judgement::Valid | Judgement::Undecided { .. }) => panic!("{other:?}"),
    }
}

#[test]
fn what_is_looked_at_first_is_told_first() {
    let bowtie = closed([[0.0, 0.0], [8.0, 8.0], [8.0, 0.0], [0.0, 8.0]].into_iter());
    let open = vec![[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]];
    let cases = [
        (
            vec![bowtie.clone(), square(20.0, 1.0), open],
            FaultKind::NotClosed,
        ),
        (
            vec![bowtie.clone(), square(20.0, 1.0), square(20.0, 1.0)],
            FaultKind::DuplicateRings,
        ),
        (vec![bowtie, square(20.0, 1.0)], FaultKind::SelfIntersection),
        (
            vec![square(0.0, 8.0), square(20.0, 1.0)],
            FaultKind::HoleOutsideShell,
        ),
        (
            vec![square(0.0, 8.0), square(1.0, 4.0), square(2.0, 1.0)],
            FaultKind::NestedHoles,
        ),
    ];
    for (part, expected) in cases {
        let owned = Owned::polygons(&vec![part]);
        assert_eq!(kind(&owned), expected);
        owned.report();
    }
}

#[test]
fn the_first_of_many_faults_costs_a_fraction_of_all() {
    let owned = scribble(3_000);
    let limits = Limits::default();
    let (_, all) = judge_metered(&owned.shape(), &limits).unwrap();
    for path in [Path::Auto, Path::Tree, Path::Sweep] {
        let (judgement, first) = judge_first_by(&owned.shape(), None, path).unwrap();
        assert!(matches!(judgement, Judgement::Invalid(_)));
        assert!(
            first < 40 * 3_000 && first * 20 < all,
            "{path:?}: {first} of {all}"
        );
    }
}

#[test]
fn a_bound_on_work_leaves_it_undecided_or_told_never_wrong() {
    let owned = scribble(500);
    for work_max in [0, 1, 100, 499, 501, 600, 1_000, 5_000] {
        match judge_first(&owned.shape(), Some(work_max)).unwrap() {
            Judgement::Valid => panic!("a scribble is not valid"),
            Judgement::Invalid(report) => assert_eq!(report.faults.len(), 1),
            Judgement::Undecided { work_done } => assert!(work_done > work_max),
        }
    }
    let shape = Shape {
        stride: 4,
        ..owned.shape()
    };
    assert_eq!(judge_first(&shape, None), Err(ShapeError::Stride));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    #[test]
    fn the_verdict_is_the_same_and_the_fault_is_one_of_all(
        kind in prop::sample::select(vec![
            ShapeKind::MultiPoint, ShapeKind::LineString, ShapeKind::MultiLineString,
            ShapeKind::Polygon, ShapeKind::MultiPolygon, ShapeKind::MultiPolygon,
        ]),
        stride in 2..4_usize,
        parts in prop::collection::vec(prop::collection::vec(
            (prop::collection::vec((0..9_i32, 0..9_i32), 1..7), 0..20_u8), 1..4), 1..4),
        odd in prop::sample::select(vec![1.0, 1.0, 1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300]),
        odd_at in 0..40_usize,
    ) {
        let mut owned = Owned::new(kind, stride);
        for part in &parts {
            for (ring, open) in part {
                let end = (*open > 0).then_some(ring[0]);
                for &(x, y) in ring.iter().chain(end.as_ref()) {
                    owned.coordinates.extend([f64::from(x), f64::from(y), 0.0].iter().take(stride));
                }
                owned.end_ring();
            }
            owned.end_part();
        }
        if kind == ShapeKind::Polygon {
            owned.part_ends = vec![u32::try_from(owned.ring_ends.len()).unwrap()];
        }
        if kind == ShapeKind::LineString {
            owned.ring_ends.drain(..owned.ring_ends.len() - 1);
        }
        if let Some(ordinate) = owned.coordinates.get_mut(odd_at) {
            *ordinate *= odd;
        }
        let limits = Limits { faults_max: usize::MAX, work_max: None };
        let all = judge(&owned.shape(), &limits).unwrap();
        for path in [Path::Auto, Path::Tree, Path::Sweep] {
            assert_is_first_of(&owned.shape(), path, &all);
        }
    }
}
