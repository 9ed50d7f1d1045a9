//! One small shape for each fault, with its places.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use ogc_validity::{Fault, FaultKind, Judgement, Place};
use support::{Owned, wkt};

fn shape(text: &str) -> Owned {
    wkt::read(text).unwrap().remove(0)
}

fn place(text: &str) -> Place {
    let mut numbers = text
        .split('/')
        .map(|number| number.parse().unwrap_or(u32::MAX));
    let mut next = || numbers.next().unwrap_or(u32::MAX);
    Place {
        part: next(),
        ring: next(),
        vertex: next(),
    }
}

/// `kind x y @ part/ring/vertex`, then `~ part/ring/vertex` of the other, `> x y` of the other end; `≈` for a computed
/// location.
fn line(fault: &Fault) -> String {
    let place = |place: Place| format!("{}/{}/{}", place.part, place.ring, place.vertex);
    let exact = if fault.location_exact { "" } else { "≈" };
    let [x, y] = fault.location;
    let end = fault
        .location_end
        .map(|[x, y]| format!(" > {x} {y}"))
        .unwrap_or_default();
    let other = fault
        .other
        .map(|other| format!(" ~ {}", place(other)))
        .unwrap_or_default();
    format!(
        "{} {exact}{x} {y}{end} @ {}{other}",
        fault.kind.code(),
        place(fault.at)
    )
}

#[track_caller]
fn assert_faults(text: &str, expected: &[&str]) {
    let lines: Vec<String> = match shape(text).judge() {
        Judgement::Valid => vec![],
        Judgement::Invalid(report) => {
            assert_eq!(report.totals.sum(), report.faults.len() as u64);
            assert!(report.complete);
            report.faults.iter().map(line).collect()
        }
        other @ Judgement::Undecided { .. } => vec![format!("{other:?}")],
    };
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn a_number_that_is_none_is_told_at_each_vertex_and_other_rings_are_still_judged() {
    assert_faults("POINT (nan 1)", &["non_finite NaN 1 @ 0/0/0"]);
    assert_faults("MULTIPOINT ((0 0), (1 inf))", &["non_finite 1 inf @ 1/0/0"]);
    assert_faults(
        "MULTILINESTRING ((0 0, 1 1), (0 0, inf 1))",
        &["non_finite inf 1 @ 0/1/1"],
    );
    assert_faults(
        "POLYGON ((0 0, 9 0, nan 9, 0 9, 0 0), (1 1, 3 3, 3 1, 1 3, 1 1))",
        &[
            "non_finite NaN 9 @ 0/0/2",
            "self_intersection ≈2 2 @ 0/1/0 ~ 0/1/2",
        ],
    );
}

#[test]
fn a_height_that_is_none_is_told_and_the_ring_is_still_judged() {
    assert_faults(
        "POLYGON Z ((0 0 0, 2 2 nan, 2 0 0, 0 2 0, 0 0 0))",
        &[
            "self_intersection ≈1 1 @ 0/0/0 ~ 0/0/2",
            "non_finite 2 2 @ 0/0/1",
        ],
    );
}

#[test]
fn an_open_ring_is_told_at_its_last_vertex() {
    assert_faults(
        "POLYGON ((0 0, 4 0, 4 4, 0 4))",
        &["not_closed 0 4 @ 0/0/3 ~ 0/0/0"],
    );
    assert_faults(
        "POLYGON Z ((0 0 0, 4 0 0, 4 4 0, 0 0 1))",
        &["not_closed 0 0 @ 0/0/3 ~ 0/0/0"],
    );
}

#[test]
fn a_ring_or_line_of_too_few_points_is_told_at_its_first_vertex() {
    assert_faults("LINESTRING (1 2)", &["too_few_points 1 2 @ 0/0/0"]);
    assert_faults("LINESTRING (1 2, 1 2)", &["too_few_points 1 2 @ 0/0/0"]);
    assert_faults(
        "MULTILINESTRING ((0 0, 1 1), EMPTY, (1 2, 1 2))",
        &["too_few_points 1 2 @ 0/2/0"],
    );
    assert_faults("POLYGON ((0 0, 1 0, 0 0))", &["too_few_points 0 0 @ 0/0/0"]);
    assert_faults(
        "POLYGON ((0 0, 1 0, 1 0, 0 0))",
        &["too_few_points 0 0 @ 0/0/0"],
    );
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1))",
        &[
            "too_few_points 1 1 @ 0/1/0",
            "not_closed 2 1 @ 0/1/1 ~ 0/1/0",
        ],
    );
}

#[test]
fn a_flat_ring_is_collapsed_and_told_where_it_turns_back() {
    assert_faults(
        "POLYGON ((0 0, 2 0, 1 0, 0 0))",
        &[
            "collapsed 0 0 @ 0/0/0",
            "self_intersection 1 0 > 2 0 @ 0/0/0 ~ 0/0/1",
            "self_intersection 0 0 > 1 0 @ 0/0/0 ~ 0/0/2",
        ],
    );
}

#[test]
fn a_ring_that_is_there_already_is_told_once_and_each_of_its_edges() {
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 1 2, 2 2, 1 1), (2 2, 1 2, 1 1, 2 2))",
        &[
            "self_intersection 1 1 > 1 2 @ 0/1/0 ~ 0/2/1",
            "self_intersection 1 2 > 2 2 @ 0/1/1 ~ 0/2/0",
            "self_intersection 1 1 > 2 2 @ 0/1/2 ~ 0/2/2",
            "duplicate_rings 1 1 @ 0/2/2 ~ 0/1/0",
        ],
    );
    assert_faults(
        "MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0)), ((0 1, 0 0, 1 0, 0 1)))",
        &[
            "self_intersection 0 0 > 1 0 @ 0/0/0 ~ 1/0/1",
            "self_intersection 0 1 > 1 0 @ 0/0/1 ~ 1/0/2",
            "self_intersection 0 0 > 0 1 @ 0/0/2 ~ 1/0/0",
            "overlapping_parts 0 0 @ 1/0/0 ~ 0/0/2",
            "duplicate_rings 0 0 @ 1/0/1 ~ 0/0/0",
        ],
    );
}

#[test]
fn a_bowtie_is_told_at_its_crossing() {
    assert_faults(
        "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))",
        &["self_intersection ≈1 1 @ 0/0/0 ~ 0/0/2"],
    );
}

#[test]
fn every_crossing_is_told_and_repeated_positions_count() {
    assert_faults(
        "POLYGON ((0 0, 0 0, 4 0, 4 2, 4 2, 1 -2, 0 2, 0 0))",
        &[
            "self_intersection ≈2.5 0 @ 0/0/1 ~ 0/0/4",
            "self_intersection ≈0.5 0 @ 0/0/1 ~ 0/0/5",
        ],
    );
}

#[test]
fn a_spike_is_told_with_both_ends() {
    assert_faults(
        "POLYGON ((0 0, 4 0, 4 4, 2 4, 2 7, 2 4, 0 4, 0 0))",
        &["self_intersection 2 4 > 2 7 @ 0/0/3 ~ 0/0/4"],
    );
}

#[test]
fn a_ring_that_comes_back_to_its_own_point_is_told_there() {
    assert_faults(
        "POLYGON ((0 0, 4 0, 4 4, 2 0, 0 4, 0 0))",
        &["ring_self_intersection 2 0 @ 0/0/0 ~ 0/0/3"],
    );
    assert_faults(
        "POLYGON ((0 0, 2 2, 4 0, 4 4, 2 2, 0 4, 0 0))",
        &["ring_self_intersection 2 2 @ 0/0/1 ~ 0/0/4"],
    );
}

#[test]
fn rings_that_cross_at_a_vertex_are_told_rings_that_touch_are_not() {
    let shell = "(0 0, 4 0, 4 4, 2 4, 0 4, 0 0)";
    assert_faults(&format!("POLYGON ({shell}, (2 4, 1 2, 3 2, 2 4))"), &[]);
    assert_faults(
        &format!("POLYGON ({shell}, (1 2, 3 2, 2 4, 2 6, 1 2))"),
        &[
            "self_intersection 2 4 @ 0/0/3 ~ 0/1/2",
            "self_intersection ≈1.5 4 @ 0/0/3 ~ 0/1/3",
        ],
    );
}

#[test]
fn parts_that_overlap_are_told_once_for_the_later_part() {
    assert_faults(
        "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 1, 3 1, 3 3, 1 3, 1 1)))",
        &[
            "self_intersection ≈2 1 @ 0/0/1 ~ 1/0/0",
            "self_intersection ≈1 2 @ 0/0/2 ~ 1/0/3",
            "overlapping_parts ≈2 1 @ 1/0/0 ~ 0/0/1",
        ],
    );
}

#[test]
fn parts_that_share_an_edge_meet_but_do_not_overlap() {
    assert_faults(
        "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((2 1, 3 1, 3 3, 2 3, 2 1)))",
        &["self_intersection 2 1 > 2 2 @ 0/0/1 ~ 1/0/3"],
    );
    assert_faults(
        "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((0 1, 1 1, 1 2, 0 2, 0 1)))",
        &[
            "self_intersection 0 2 > 1 2 @ 0/0/2 ~ 1/0/2",
            "self_intersection 0 1 > 0 2 @ 0/0/3 ~ 1/0/3",
            "overlapping_parts 0 2 @ 1/0/2 ~ 0/0/2",
        ],
    );
}

#[test]
fn each_bad_hole_is_told_beside_a_crossing_elsewhere() {
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (8 4, 10 4, 10 5, 8 5, 8 4), (20 0, 21 0, 20 1, 20 0))",
        &[
            "self_intersection ≈9 4 @ 0/0/1 ~ 0/1/0",
            "self_intersection ≈9 5 @ 0/0/1 ~ 0/1/2",
            "hole_outside_shell 20 0 @ 0/2/0 ~ 0/0/0",
        ],
    );
}

#[test]
fn a_hole_in_a_hole_is_told_with_the_outer_one() {
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (3 3, 4 3, 3 4, 3 3), (2 2, 7 2, 2 7, 2 2))",
        &["nested_holes 3 3 @ 0/1/0 ~ 0/2/0"],
    );
}

#[test]
fn a_polygon_on_another_is_told_unless_it_lies_in_a_hole_of_it() {
    assert_faults(
        "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0)), ((3 3, 4 3, 3 4, 3 3)))",
        &["nested_shells 3 3 @ 1/0/0 ~ 0/0/0"],
    );
    assert_faults(
        "MULTIPOLYGON (((3 3, 4 3, 3 4, 3 3)), ((0 0, 9 0, 9 9, 0 9, 0 0), (3 3, 2 7, 7 2, 3 3)))",
        &[],
    );
}

#[test]
fn an_interior_in_two_pieces_is_told_where_the_last_link_closes() {
    assert_faults(
        "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (2 0, 3 2, 2 4, 1 2, 2 0))",
        &["disconnected_interior 2 4 @ 0/0/2 ~ 0/1/2"],
    );
    // Three holes that touch pairwise, and no other ring, enclose a piece.
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (2 2, 6 2, 4 1, 2 2), (2 2, 4 6, 1 4, 2 2), (6 2, 6 4, 4 6, 6 2))",
        &["disconnected_interior 6 2 @ 0/1/1 ~ 0/3/0"],
    );
}

#[test]
fn holes_that_all_touch_at_one_point_leave_the_interior_whole() {
    assert_faults(
        "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (4 4, 5 2, 6 3, 4 4), (4 4, 2 5, 2 6, 4 4), (4 4, 3 2, 2 3, 4 4))",
        &[],
    );
}

#[test]
fn what_holds_no_position_is_valid() {
    for text in [
        "POINT EMPTY",
        "MULTIPOINT EMPTY",
        "LINESTRING EMPTY",
        "POLYGON EMPTY",
        "MULTIPOLYGON (EMPTY)",
    ] {
        assert_faults(text, &[]);
    }
    assert_faults("POLYGON ((0 0, 1 0, 0 1, 0 0), EMPTY)", &[]);
    assert_faults(
        "POLYGON (EMPTY, (0 0, 1 0, 0 1, 0 0))",
        &["hole_outside_shell 0 0 @ 0/1/0"],
    );
}

#[test]
fn an_island_in_a_hole_that_cannot_be_read_is_not_called_nested() {
    assert_faults(
        "MULTIPOLYGON (((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 8 1, 8 8, 1 8)), ((3 3, 4 3, 3 4, 3 3)))",
        &["not_closed 1 8 @ 0/1/3 ~ 0/1/0"],
    );
}

#[test]
fn the_place_tells_part_ring_and_vertex() {
    assert_eq!(
        place("1/2/3"),
        Place {
            part: 1,
            ring: 2,
            vertex: 3
        }
    );
    let report =
        shape("MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0)), ((5 5, 7 7, 7 5, 5 7, 5 5)))").report();
    assert_eq!(report.faults[0].at, place("1/0/0"));
    assert_eq!(report.totals.get(FaultKind::SelfIntersection), 1);
}

#[test]
fn every_kind_has_its_code_and_its_clause() {
    let mut codes: Vec<_> = FaultKind::ALL.iter().map(|kind| kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), FaultKind::ALL.len());
    assert!(
        FaultKind::ALL
            .iter()
            .all(|kind| kind.clause().starts_with("OGC 06-103r4 6.1."))
    );
    assert!(
        FaultKind::ALL
            .iter()
            .enumerate()
            .all(|(index, kind)| *kind as usize == index)
    );
}
