//! Each repair by its name, on shapes small enough to check by eye.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed; what is compared is exact"
)]

mod support;

use hexlane_repair::{Change, Limits, Refusal, Repaired, Rule, Step, repair};
use ogc_validity::{OwnedShape, ShapeKind};
use support::{area, line, polygon, polygons, valid};

fn done(geometry: &OwnedShape, name: &str) -> Result<Repaired, Refusal> {
    repair(
        &geometry.as_shape(),
        &[Step::by_name(name).unwrap()],
        &Limits::default(),
    )
}

fn change(geometry: &OwnedShape, name: &str) -> Change {
    done(geometry, name).unwrap().changes[0]
}

#[test]
fn every_name_names_its_step() {
    for (name, step) in Step::NAMES {
        assert_eq!(Step::by_name(name), Some(step));
        assert_eq!(Step::by_name(step.name()), Some(step));
    }
    assert_eq!(Step::by_name("make valid"), None);
}

#[test]
fn an_open_ring_is_closed_in_all_ordinates() {
    let open = polygon(3, &[&[0., 0., 1., 4., 0., 1., 4., 4., 1., 0., 0., 2.]]);
    let closed = done(&open, "close-ring").unwrap().geometry;
    assert_eq!(closed.coordinates[12..], [0., 0., 1.]);
    assert_eq!(closed.ring_ends, [5]);
    assert!(done(&closed, "close-ring").unwrap().changes.is_empty());
}

#[test]
fn repeats_go_and_positions_that_differ_in_height_stay() {
    let repeats = line(3, &[0., 0., 1., 0., 0., 1., 0., 0., 2., 5., 5., 1.]);
    let without = done(&repeats, "drop-repeats").unwrap().geometry;
    assert_eq!(without.coordinates, [0., 0., 1., 0., 0., 2., 5., 5., 1.]);
}

#[test]
fn shells_run_counter_clockwise_and_holes_clockwise() {
    let shell = [0., 0., 0., 9., 9., 9., 9., 0., 0., 0.];
    let hole = [1., 1., 2., 1., 2., 2., 1., 1.];
    let rewound = done(&polygon(2, &[&shell, &hole]), "rewind")
        .unwrap()
        .geometry;
    assert_eq!(
        rewound.coordinates[..10],
        [0., 0., 9., 0., 9., 9., 0., 9., 0., 0.]
    );
    assert_eq!(rewound.coordinates[10..], [1., 1., 2., 2., 2., 1., 1., 1.]);
    assert!(done(&rewound, "rewind").unwrap().changes.is_empty());
}

#[test]
fn axes_change_places_and_the_height_stays() {
    let swapped = done(&line(3, &[1., 2., 3., 4., 5., 6.]), "swap-axes").unwrap();
    assert_eq!(swapped.geometry.coordinates, [2., 1., 3., 5., 4., 6.]);
    assert_eq!(swapped.changes[0].vertices_moved, 2);
}

#[test]
fn a_new_vertex_takes_its_height_from_its_neighbours() {
    let bowtie = polygon(
        3,
        &[&[0., 0., 0., 2., 2., 2., 2., 0., 2., 0., 2., 0., 0., 0., 0.]],
    );
    let repaired = done(&bowtie, "make-valid").unwrap();
    let heights: Vec<f64> = repaired
        .geometry
        .coordinates
        .chunks(3)
        .filter(|each| each[..2] == [1., 1.])
        .map(|each| each[2])
        .collect();
    assert_eq!(heights, [0., 2.], "each lobe has its own");
    assert_eq!(repaired.changes[0].vertices_added, 1);
}

#[test]
fn the_two_rules_differ_on_parts_that_overlap() {
    let square = |low: f64| {
        vec![vec![
            [low, low],
            [low + 4., low],
            [low + 4., low + 4.],
            [low, low + 4.],
            [low, low],
        ]]
    };
    let overlapping = polygons(&vec![square(0.), square(2.)]);
    assert_eq!(
        area(&done(&overlapping, "make-valid").unwrap().geometry),
        24.
    );
    assert_eq!(
        area(&done(&overlapping, "make-valid:structure").unwrap().geometry),
        28.
    );
}

#[test]
fn a_collapsed_hole_goes_and_is_counted() {
    let shell = [-33., 14., -30., 14., -30., 17., -33., 17., -33., 14.];
    let change = change(
        &polygon(2, &[&shell, &[-32., 15., -31., 16., -32., 15.]]),
        "make-valid",
    );
    assert_eq!((change.rings, change.collapsed), ([2, 1], 1));
    assert_eq!((change.area, change.vertices_dropped), ([9., 9.], 2));
}

#[test]
fn what_cannot_be_repaired_is_refused_by_its_reason() {
    let code = |geometry: &OwnedShape| done(geometry, "make-valid").unwrap_err().code();
    assert_eq!(
        code(&polygon(2, &[&[0., 0., 1., 1., 0., 0.]])),
        "repair.collapsed"
    );
    assert_eq!(
        code(&polygon(2, &[&[0., 0., f64::NAN, 1., 1., 0., 0., 0.]])),
        "repair.non_finite"
    );
    let huge = [0., 0., 1e300, 1e300, 1e300, 0., 0., 1e300, 0., 0.];
    assert_eq!(code(&polygon(2, &[&huge])), "repair.magnitude");
    assert_eq!(code(&line(2, &[1., 1., 1., 1.])), "repair.collapsed");
    let mut broken = line(2, &[1., 1., 1., 1.]);
    broken.ring_ends = vec![7];
    assert_eq!(code(&broken), "repair.shape");
}

#[test]
fn too_many_vertices_or_crossings_are_refused_before_the_overlay() {
    // Every tooth of a comb crosses every tooth of another.
    let mut ring = vec![];
    for at in 0..100 {
        let at = f64::from(at);
        ring.push([at, if at % 2. == 0. { -1. } else { 101. }]);
    }
    for at in 0..100 {
        let at = f64::from(at);
        ring.push([if at % 2. == 0. { -1. } else { 101. }, at + 0.5]);
    }
    ring.push(ring[0]);
    let combs = polygons(&vec![vec![ring]]);
    let limits = |vertices_max, crossings_max| Limits {
        vertices_max,
        crossings_max,
        ..Limits::default()
    };
    let with = |limits| {
        repair(
            &combs.as_shape(),
            &[Step::MakeValid(Rule::EvenOdd)],
            &limits,
        )
    };
    assert_eq!(with(limits(100, 1_000_000)), Err(Refusal::TooManyVertices));
    assert_eq!(with(limits(1000, 5000)), Err(Refusal::TooComplex));
    assert!(valid(&with(limits(1000, 20_000)).unwrap().geometry));
}

#[test]
fn a_polygon_over_the_antimeridian_is_cut_in_two() {
    let ring = [177., 10., -175., 10., -175., 20., 177., 20., 177., 10.];
    let hole = [-179., 12., -179., 14., -178., 14., -179., 12.];
    let cut = done(&polygon(2, &[&ring, &hole]), "split-antimeridian").unwrap();
    assert_eq!(cut.geometry.kind, ShapeKind::MultiPolygon);
    assert_eq!(cut.changes[0].parts, [1, 2]);
    assert_eq!(area(&cut.geometry), 80. - 1.);
    assert!(valid(&cut.geometry));
    assert_eq!(cut.changes[0].vertices_added, 4);
    assert!(
        done(&cut.geometry, "split-antimeridian")
            .unwrap()
            .changes
            .is_empty()
    );
}

#[test]
fn longitudes_beyond_180_come_back() {
    let ring = [170., 0., 190., 0., 190., 5., 170., 5., 170., 0.];
    let cut = done(&polygon(2, &[&ring]), "split-antimeridian").unwrap();
    assert!(
        cut.geometry
            .coordinates
            .chunks(2)
            .all(|each| each[0].abs() <= 180.)
    );
    assert_eq!((area(&cut.geometry), cut.changes[0].parts), (100., [1, 2]));
}

#[test]
fn a_line_is_cut_where_it_crosses_with_its_height() {
    let cut = done(
        &line(3, &[170., 0., 0., -170., 10., 100., 170., 20., 0.]),
        "split-antimeridian",
    )
    .unwrap();
    assert_eq!(cut.geometry.kind, ShapeKind::MultiLineString);
    assert_eq!(cut.geometry.ring_ends, [2, 5, 7]);
    let expected = [
        170., 0., 0., 180., 5., 50., -180., 5., 50., -170., 10., 100., -180., 15., 50., 180., 15.,
        50., 170., 20., 0.,
    ];
    assert_eq!(cut.geometry.coordinates, expected);
}

#[test]
fn a_line_that_only_touches_the_antimeridian_stays() {
    for untouched in [
        [170., 0., 180., 5., 170., 9.],
        [-170., 0., -180., 5., -180., 9.],
    ] {
        assert!(
            done(&line(2, &untouched), "split-antimeridian")
                .unwrap()
                .changes
                .is_empty()
        );
    }
}

#[test]
fn the_whole_world_stays_and_a_ring_round_a_pole_is_refused() {
    let world = [-180., -90., 180., -90., 180., 90., -180., 90., -180., -90.];
    assert!(
        done(&polygon(2, &[&world]), "split-antimeridian")
            .unwrap()
            .changes
            .is_empty()
    );
    let pole = [0., 80., 120., 80., -120., 80., 0., 80.];
    assert_eq!(
        done(&polygon(2, &[&pole]), "split-antimeridian"),
        Err(Refusal::Pole)
    );
}

#[test]
fn what_is_no_longitude_is_not_cut() {
    let metres = [1e300, 0., 1.5e300, 10., 1e300, 10., 1e300, 0.];
    assert_eq!(
        done(&polygon(2, &[&metres]), "split-antimeridian"),
        Err(Refusal::Magnitude)
    );
}

#[test]
fn a_ring_that_crosses_itself_is_not_cut() {
    let bowtie = [170., 0., -170., 10., -170., 0., 170., 10., 170., 0.];
    let refusal = done(&polygon(2, &[&bowtie]), "split-antimeridian").unwrap_err();
    assert_eq!(refusal.code(), "repair.invalid_before");
}

#[test]
fn a_ring_that_crosses_a_thousand_times_is_cut_into_its_teeth() {
    let mut ring: Vec<f64> = vec![170., -1.];
    for tooth in 0..500 {
        let y = f64::from(tooth);
        ring.extend([170., y, -170., y + 0.5]);
    }
    ring.extend([170., 500., 160., 500., 160., -1., 170., -1.]);
    let input = polygon(2, &[&ring]);
    let cut = done(&input, "split-antimeridian").unwrap();
    assert_eq!(cut.changes[0].parts, [1, 501]);
    assert!(valid(&cut.geometry));
    let teeth = 500. * 10. + 501. * 10.;
    assert!(
        (area(&cut.geometry) - teeth).abs() < 10.,
        "{}",
        area(&cut.geometry)
    );
}
