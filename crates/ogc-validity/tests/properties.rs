//! What must not change a verdict does not, and a second judge agrees.

mod support;

use proptest::prelude::*;
use support::{Owned, Parts, brute, is_in_its_place};

type Ring = Vec<[f64; 2]>;

/// Corners on a small grid, or a box, or a diamond; closed.
fn ring(size: i32) -> impl Strategy<Value = Ring> {
    let corner = (0..=size, 0..=size);
    let corners = prop::collection::vec(corner.clone(), 3..7);
    let boxed = (corner.clone(), 1..=size, 1..=size).prop_map(|((x, y), wide, high)| {
        vec![(x, y), (x + wide, y), (x + wide, y + high), (x, y + high)]
    });
    let diamond = (corner, 1..=(size / 2).max(1)).prop_map(|((x, y), r)| {
        vec![
            (x + r, y),
            (x + 2 * r, y + r),
            (x + r, y + 2 * r),
            (x, y + r),
        ]
    });
    prop_oneof![2 => corners, 3 => boxed, 3 => diamond].prop_map(|corners| {
        let mut ring: Ring = corners
            .into_iter()
            .map(|(x, y)| [f64::from(x), f64::from(y)])
            .collect();
        ring.push(ring[0]);
        ring
    })
}

/// Whole squares with small holes are common, so that most shapes are nearly valid.
fn part() -> impl Strategy<Value = Vec<Ring>> {
    let square = |size: f64| {
        vec![
            [0.0, 0.0],
            [size, 0.0],
            [size, size],
            [0.0, size],
            [0.0, 0.0],
        ]
    };
    let shell = prop_oneof![2 => Just(square(8.0)), 1 => Just(square(6.0)), 2 => ring(8)];
    (
        shell,
        prop::collection::vec(ring(4), 0..4),
        -2..3_i32,
        -2..3_i32,
    )
        .prop_map(|(shell, holes, x, y)| {
            let mut rings = vec![shell];
            for (number, hole) in holes.into_iter().enumerate() {
                let shift = [
                    f64::from(x) + 2.0 * f64::from(u8::try_from(number).unwrap_or(0)),
                    f64::from(y),
                ];
                rings.push(
                    hole.into_iter()
                        .map(|[x, y]| [x + shift[0], y + shift[1]])
                        .collect(),
                );
            }
            rings
        })
}

fn parts() -> impl Strategy<Value = Parts> {
    let moved = (part(), 0..3_i32, 0..3_i32).prop_map(|(part, right, up)| {
        let shift = [4.0 * f64::from(right), 4.0 * f64::from(up)];
        part.into_iter()
            .map(|ring| {
                ring.into_iter()
                    .map(|[x, y]| [x + shift[0], y + shift[1]])
                    .collect()
            })
            .collect()
    });
    prop_oneof![3 => part().prop_map(|part| vec![part]), 2 => prop::collection::vec(moved, 1..4)]
}

fn map(parts: &Parts, change: impl Fn(&Ring) -> Ring) -> Parts {
    parts
        .iter()
        .map(|part| part.iter().map(&change).collect())
        .collect()
}

fn map_positions(parts: &Parts, change: impl Fn([f64; 2]) -> [f64; 2]) -> Parts {
    map(parts, |ring| {
        ring.iter().map(|position| change(*position)).collect()
    })
}

fn turned(ring: &Ring, by: usize) -> Ring {
    let mut open = ring[..ring.len() - 1].to_vec();
    let by = by % open.len();
    open.rotate_left(by);
    open.push(open[0]);
    open
}

fn totals(parts: &Parts) -> Vec<(&'static str, u64)> {
    match Owned::polygons(parts).judge() {
        ogc_validity::Judgement::Invalid(report) => report
            .totals
            .iter()
            .map(|(kind, count)| (kind.code(), count))
            .collect(),
        ogc_validity::Judgement::Valid => vec![],
        ogc_validity::Judgement::Undecided { .. } => vec![("undecided", 1)],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn a_second_judge_agrees(parts in parts()) {
        prop_assert_eq!(Owned::polygons(&parts).is_valid(), brute::is_valid(&parts));
    }

    #[test]
    fn every_fault_lies_where_its_places_say(parts in parts()) {
        let owned = Owned::polygons(&parts);
        if !owned.is_valid() {
            for fault in owned.report().faults {
                prop_assert!(is_in_its_place(&owned, &fault), "{:?}", fault);
            }
        }
    }

    #[test]
    fn where_a_ring_starts_and_which_way_it_runs_change_no_count(parts in parts(), by in 0..9_usize) {
        let expected = totals(&parts);
        prop_assert_eq!(totals(&map(&parts, |ring| turned(ring, by))), &expected[..]);
        prop_assert_eq!(totals(&map(&parts, |ring| ring.iter().rev().copied().collect())), expected);
    }

    #[test]
    fn the_order_of_parts_and_holes_changes_no_verdict(parts in parts()) {
        let expected = Owned::polygons(&parts).is_valid();
        let mut other: Parts = parts.into_iter().rev().collect();
        for part in &mut other {
            part[1..].reverse();
        }
        prop_assert_eq!(Owned::polygons(&other).is_valid(), expected);
    }

    #[test]
    fn an_exact_move_and_a_power_of_two_change_no_count(parts in parts(), move_by in -1_000_000_000..1_000_000_000_i64, power in -1000..1000_i32) {
        let expected = totals(&parts);
        #[allow(clippy::cast_precision_loss, reason = "below 2^53")]
        let shift = move_by as f64;
        prop_assert_eq!(totals(&map_positions(&parts, |[x, y]| [x + shift, y - shift])), &expected[..]);
        let factors = [2.0_f64.powi(power / 2), 2.0_f64.powi(power - power / 2)];
        prop_assert_eq!(totals(&map_positions(&parts, |p| p.map(|o| o * factors[0] * factors[1]))), &expected[..]);
    }

    #[test]
    fn a_repeated_position_changes_no_count(parts in parts(), at in 0..9_usize) {
        let repeated = map(&parts, |ring| {
            let mut ring = ring.clone();
            ring.insert(at % ring.len(), ring[at % ring.len()]);
            ring
        });
        prop_assert_eq!(totals(&repeated), totals(&parts));
    }
}
