//! Tables that do not fit, floods of faults, bounds on work: always an answer, never a wrong one.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use ogc_validity::{
    FaultKind, Judgement, Limits, Shape, ShapeError, ShapeKind, is_valid, judge, judge_metered,
};
use proptest::prelude::*;
use support::Owned;

const SQUARE: [f64; 10] = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0];
const SQUARE_SHAPE: Shape<'_> = Shape {
    kind: ShapeKind::Polygon,
    coordinates: &SQUARE,
    stride: 2,
    ring_ends: &[5],
    part_ends: &[1],
};

fn closed(corners: impl Iterator<Item = [f64; 2]>) -> Owned {
    let mut ring: Vec<_> = corners.collect();
    ring.push(ring[0]);
    Owned::polygons(&vec![vec![ring]])
}

/// Lines to and fro through a square, all crossing.
fn scribble(lines: u32) -> Owned {
    let spread = |number: u32| f64::from(number.wrapping_mul(2_654_435_761) >> 12);
    closed((0..lines).map(move |number| [spread(number * 2), spread(number * number + 1)]))
}

#[test]
fn tables_that_do_not_describe_a_shape_are_refused() {
    let strides = [0, 1, 4].map(|stride| {
        (
            Shape {
                stride,
                ..SQUARE_SHAPE
            },
            ShapeError::Stride,
        )
    });
    let odd = [(
        Shape {
            stride: 3,
            ..SQUARE_SHAPE
        },
        ShapeError::Coordinates,
    )];
    let rings: [&[u32]; 4] = [&[4], &[6], &[4, 2, 5], &[]];
    let rings = rings.map(|ring_ends| {
        (
            Shape {
                ring_ends,
                ..SQUARE_SHAPE
            },
            ShapeError::RingEnds,
        )
    });
    let parts: [&[u32]; 3] = [&[], &[2], &[0, 1]];
    let parts = parts.map(|part_ends| {
        (
            Shape {
                part_ends,
                ..SQUARE_SHAPE
            },
            ShapeError::PartEnds,
        )
    });
    let single = [ShapeKind::Point, ShapeKind::LineString].map(|kind| {
        (
            Shape {
                kind,
                ring_ends: &[2, 5],
                ..SQUARE_SHAPE
            },
            ShapeError::TooManyElements,
        )
    });
    let refusals = strides
        .into_iter()
        .chain(odd)
        .chain(rings)
        .chain(parts)
        .chain(single);
    for (shape, error) in refusals {
        assert_eq!(judge(&shape, &Limits::default()), Err(error), "{shape:?}");
    }
    assert_eq!(is_valid(&SQUARE_SHAPE), Ok(Some(true)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn whatever_the_tables_and_numbers_it_answers(
        kind in prop::sample::select(vec![
            ShapeKind::Point, ShapeKind::MultiPoint, ShapeKind::LineString,
            ShapeKind::MultiLineString, ShapeKind::Polygon, ShapeKind::MultiPolygon,
        ]),
        coordinates in prop::collection::vec(prop_oneof![
            3 => (-3..3_i32).prop_map(f64::from),
            1 => any::<f64>(),
            1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::MAX, 5e-324, -0.0, 1e300, 1e-300]),
        ], 0..40),
        stride in 0..5_usize,
        mut ring_ends in prop::collection::vec(0..21_u32, 0..5),
        mut part_ends in prop::collection::vec(0..6_u32, 0..4),
        fitting in any::<bool>(),
    ) {
        if fitting && (2..=3).contains(&stride) {
            ring_ends.sort_unstable();
            ring_ends.push(u32::try_from(coordinates.len() / stride).unwrap());
            ring_ends.sort_unstable();
            part_ends.sort_unstable();
            part_ends.push(u32::try_from(ring_ends.len()).unwrap());
        }
        let shape = Shape { kind, coordinates: &coordinates, stride, ring_ends: &ring_ends, part_ends: &part_ends };
        let _ = judge(&shape, &Limits::default());
    }
}

#[test]
fn faults_beyond_the_kept_ones_are_counted_and_the_kept_are_the_first() {
    let owned = scribble(300);
    let all = owned.report();
    let limits = Limits {
        faults_max: 7,
        work_max: None,
    };
    let Ok(Judgement::Invalid(few)) = judge(&owned.shape(), &limits) else {
        panic!("a scribble is invalid")
    };
    assert_eq!(few.faults, all.faults[..7]);
    assert_eq!(few.totals, all.totals);
    assert!(few.totals.get(FaultKind::SelfIntersection) > 5_000);
    assert!(few.complete);
    let none = Limits {
        faults_max: 0,
        work_max: None,
    };
    assert!(
        matches!(judge(&owned.shape(), &none), Ok(Judgement::Invalid(report)) if report.faults.is_empty())
    );
}

#[test]
fn identical_vertices_by_the_ten_thousand_are_one_fault() {
    let report = closed(std::iter::repeat_n([1.0, 1.0], 40_000)).report();
    assert_eq!(
        (report.totals.sum(), report.faults[0].kind),
        (1, FaultKind::TooFewPoints)
    );
}

#[test]
fn identical_parts_by_the_thousand_are_told_against_the_first_only() {
    let square: Vec<[f64; 2]> = SQUARE.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    let report = Owned::polygons(&vec![vec![square]; 5_000]).report();
    assert_eq!(report.totals.get(FaultKind::DuplicateRings), 4_999);
    assert_eq!(report.totals.get(FaultKind::SelfIntersection), 4 * 4_999);
}

#[test]
fn edges_that_all_overlap_are_counted() {
    let spokes = (0..500).flat_map(|spoke| [[0.0, 0.0], [f64::from(10 + spoke % 7), 0.0]]);
    let report = closed(spokes.chain([[5.0, 5.0]])).report();
    assert_eq!(
        report.totals.get(FaultKind::SelfIntersection),
        999 * 998 / 2
    );
}

#[test]
fn a_ring_through_one_point_many_times_is_told_each_time_it_comes_back() {
    let petal = |number: u32| {
        let (a, b) = (f64::from(number) * 0.01, f64::from(number) * 0.01 + 0.005);
        [[0.0, 0.0], [a.cos(), a.sin()], [b.cos(), b.sin()]]
    };
    let report = closed((0..600).flat_map(petal)).report();
    assert_eq!(
        report.totals.iter().collect::<Vec<_>>(),
        [(FaultKind::RingSelfIntersection, 599)]
    );
}

/// A triangle with its tip at the middle, one of so many round it.
fn petal(number: u32, count: u32) -> [[f64; 2]; 3] {
    let turn = |number: f64| number / f64::from(count) * std::f64::consts::TAU;
    let [a, b] = [0.1, 0.6].map(|offset| turn(f64::from(number) + offset));
    [[0.0, 0.0], [a.cos(), a.sin()], [b.cos(), b.sin()]]
}

/// The judgement, and the steps a vertex.
fn steps(owned: &Owned) -> (Judgement, u64) {
    let (judgement, steps) = judge_metered(&owned.shape(), &Limits::default()).unwrap();
    (judgement, steps / owned.coordinates.len() as u64 * 2)
}

#[test]
fn twenty_thousand_edges_through_one_point_take_no_more_steps_each_than_a_few() {
    const PETALS: u32 = 10_000;
    let ring = closed((0..PETALS).flat_map(|number| petal(number, PETALS)));
    let triangle = |number| {
        let mut ring = petal(number, PETALS).to_vec();
        ring.push(ring[0]);
        ring
    };
    let parts = Owned::polygons(&(0..PETALS).map(|number| vec![triangle(number)]).collect());
    let shell = vec![
        [-2.0, -2.0],
        [2.0, -2.0],
        [2.0, 2.0],
        [-2.0, 2.0],
        [-2.0, -2.0],
    ];
    let holes = std::iter::once(shell).chain((0..PETALS).map(triangle));
    let holes = Owned::polygons(&vec![holes.collect()]);
    // The tips inside one edge, rather than at a vertex of each other.
    let edge = vec![[-9.0, 0.0], [9.0, 0.0], [0.0, -9.0], [-9.0, 0.0]];
    let upper = (0..PETALS).map(|number| vec![triangle_above(number, PETALS)]);
    let on_an_edge = Owned::polygons(&std::iter::once(vec![edge]).chain(upper).collect());
    for (name, owned, faults) in [
        ("ring", ring, u64::from(PETALS) - 1),
        ("parts", parts, 0),
        ("holes", holes, 0),
        ("on an edge", on_an_edge, 0),
    ] {
        let (judgement, steps) = steps(&owned);
        let told = match judgement {
            Judgement::Valid => 0,
            Judgement::Invalid(report) => report.totals.get(FaultKind::RingSelfIntersection),
            other @ Judgement::Undecided { .. } => panic!("{name}: {other:?}"),
        };
        assert_eq!(told, faults, "{name}");
        assert!(steps < 100, "{name}: {steps} steps a vertex");
    }
}

fn triangle_above(number: u32, count: u32) -> Vec<[f64; 2]> {
    let turn = |offset: f64| (f64::from(number) + offset) / f64::from(count) * std::f64::consts::PI;
    let [a, b] = [0.1, 0.6].map(turn);
    vec![
        [0.0, 0.0],
        [a.cos(), a.sin()],
        [b.cos(), b.sin()],
        [0.0, 0.0],
    ]
}

#[test]
fn edges_that_all_cross_in_one_point_are_each_told_or_the_bound_ends_it() {
    // Each edge runs through the middle, and the next one begins where the ring goes on: spokes of a wheel.
    let spokes = |count: u32| {
        let angle = move |number: u32| f64::from(number) / f64::from(count) * std::f64::consts::PI;
        closed((0..count).flat_map(move |number| {
            let [x, y] = [angle(number).cos(), angle(number).sin()];
            let [from, to] = [[x, y], [-x, -y]];
            if number % 2 == 0 {
                [from, to]
            } else {
                [to, from]
            }
        }))
    };
    let report = spokes(300).report();
    assert!(
        report.totals.get(FaultKind::SelfIntersection) >= 299 * 298 / 2,
        "{report:?}"
    );
    let limits = Limits {
        faults_max: 10,
        work_max: Some(2_000_000),
    };
    match judge(&spokes(20_000).shape(), &limits).unwrap() {
        Judgement::Invalid(report) => assert!(!report.complete && report.totals.sum() > 0),
        Judgement::Undecided { work_done } => assert!(work_done > 2_000_000),
        Judgement::Valid => panic!("spokes cross"),
    }
}

/// Frames, each in the hole of the next.
fn nest(count: u32) -> Vec<Vec<Vec<[f64; 2]>>> {
    let square = |reach: f64| {
        vec![
            [-reach, -reach],
            [reach, -reach],
            [reach, reach],
            [-reach, reach],
            [-reach, -reach],
        ]
    };
    (1..=count)
        .map(|number| vec![square(f64::from(number)), square(f64::from(number) - 0.5)])
        .collect()
}

#[test]
fn rings_nested_by_the_thousand_take_no_more_steps_each_than_a_few() {
    let (valid, small) = steps(&Owned::polygons(&nest(1_000)));
    let (_, large) = steps(&Owned::polygons(&nest(4_000)));
    assert_eq!(valid, Judgement::Valid);
    assert!(large < 2 * small, "{small} steps a vertex, then {large}");
    let mut parts = nest(2_000);
    // Without its hole, the part in the middle covers all that are in it, and each lies on it.
    parts[1_000].truncate(1);
    let (judgement, steps) = steps(&Owned::polygons(&parts));
    let Judgement::Invalid(report) = judgement else {
        panic!("{judgement:?}")
    };
    assert_eq!(report.totals.get(FaultKind::NestedShells), 1_000);
    let other = report.faults[999.min(report.faults.len() - 1)]
        .other
        .unwrap();
    assert_eq!((other.part, other.ring), (1_000, 0));
    assert!(steps < 2 * large, "{steps} steps a vertex");
}

#[test]
fn a_bound_on_work_ends_undecided_or_incomplete_but_never_wrong() {
    let wave = |number: u32| (f64::from(number) * 0.002, f64::from(number * 7919 % 1009));
    let comb = (0..3000).map(wave).map(|(angle, tooth)| {
        [
            angle.cos() * (2000.0 + tooth),
            angle.sin() * (2000.0 + tooth),
        ]
    });
    let (valid, invalid) = (closed(comb), scribble(2000));
    let (judgement, work) = judge_metered(&valid.shape(), &Limits::default()).unwrap();
    assert_eq!(judgement, Judgement::Valid);
    for work_max in [0, 1, 100, 3_000, 10_000, work - 1] {
        let limits = Limits {
            faults_max: 10,
            work_max: Some(work_max),
        };
        let judgement = judge(&valid.shape(), &limits).unwrap();
        assert!(
            matches!(judgement, Judgement::Undecided { work_done } if work_done > work_max),
            "{judgement:?}"
        );
        match judge(&invalid.shape(), &limits).unwrap() {
            Judgement::Valid => panic!("a scribble is not valid"),
            Judgement::Invalid(report) => assert!(!report.complete && report.totals.sum() > 0),
            Judgement::Undecided { work_done } => assert!(work_done > work_max),
        }
    }
    let enough = Limits {
        faults_max: 10,
        work_max: Some(work),
    };
    assert_eq!(judge(&valid.shape(), &enough), Ok(Judgement::Valid));
}

#[test]
fn magnitudes_that_no_arithmetic_here_holds_together_are_undecided() {
    let owned = closed([[0.0, 0.0], [180.0, 0.0], [1e-300, 1e-300]].into_iter());
    assert_eq!(is_valid(&owned.shape()), Ok(None));
}

#[test]
fn one_bit_decides() {
    let above = f64::from_bits(0.25_f64.to_bits() + 1);
    let hole = |y: f64| vec![[0.75, y], [1.0, 1.0], [0.5, 1.0], [0.75, y]];
    let shell = vec![[0.0, 0.0], [3.0, 1.0], [0.0, 3.0], [0.0, 0.0]];
    let below = f64::from_bits(0.25_f64.to_bits() - 1);
    for (y, valid) in [(above, true), (0.25, true), (below, false)] {
        assert_eq!(
            Owned::polygons(&vec![vec![shell.clone(), hole(y)]]).is_valid(),
            valid,
            "{y:e}"
        );
    }
}

#[test]
fn a_touch_that_double_double_arithmetic_takes_for_a_crossing_is_a_touch() {
    // The hole's last corner is a quarter of the shell's first one, bit for bit. GEOS 3.14.1 says self-intersection.
    let (x, y) = (6.982_186_024_514_122e-5, 3.905_006_827_020_881_6e-5);
    let shell = vec![
        [x, y],
        [3.077_179_197_493_24e-5, 1.088_719_285_154e-4],
        [-y, x],
        [0.0, 0.0],
        [x, y],
    ];
    let hole = vec![
        [2.13e-5, 2.33e-5],
        [7.7e-6, 2.7e-5],
        [3.8e-6, 1.36e-5],
        [x / 4.0, y / 4.0],
        [2.13e-5, 2.33e-5],
    ];
    assert!(Owned::polygons(&vec![vec![shell, hole]]).is_valid());
}
