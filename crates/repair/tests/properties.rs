//! What holds for every polygon, drawn on small grids where everything touches, overlaps and repeats.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed; grids are exact"
)]

mod support;

use hexlane_repair::{Limits, Refusal, Rule, Step, repair};
use proptest::prelude::*;
use support::{Parts, area, polygons, valid};

fn ring() -> impl Strategy<Value = Vec<[f64; 2]>> {
    let position = (0..9_u8, 0..9_u8).prop_map(|(x, y)| [f64::from(x), f64::from(y)]);
    prop::collection::vec(position, 3..9).prop_map(|mut ring| {
        ring.push(ring[0]);
        ring
    })
}

fn parts() -> impl Strategy<Value = Parts> {
    prop::collection::vec(prop::collection::vec(ring(), 1..3), 1..4)
}

/// The area that an odd number of rings goes round, by slabs between all heights at which something happens: inside one
/// edges do not cross, so each interval between two of them is a trapezoid.
fn even_odd_area(parts: &Parts) -> f64 {
    let edges: Vec<[[f64; 2]; 2]> = parts
        .iter()
        .flatten()
        .flat_map(|ring| ring.windows(2).map(|pair| [pair[0], pair[1]]))
        .filter(|[a, b]| a[1] != b[1])
        .collect();
    let mut heights: Vec<f64> = edges.iter().flatten().map(|each| each[1]).collect();
    for (at, first) in edges.iter().enumerate() {
        heights.extend(
            edges[..at]
                .iter()
                .filter_map(|second| crossing(first, second)),
        );
    }
    heights.sort_by(f64::total_cmp);
    heights
        .windows(2)
        .map(|slab| slab_area(&edges, slab[0], slab[1]))
        .sum()
}

fn crossing([a, b]: &[[f64; 2]; 2], [c, d]: &[[f64; 2]; 2]) -> Option<f64> {
    let [r, s] = [[b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]];
    let cross = r[0] * s[1] - r[1] * s[0];
    let share = ((c[0] - a[0]) * s[1] - (c[1] - a[1]) * s[0]) / cross;
    (cross != 0.0 && (0.0..=1.0).contains(&share)).then(|| a[1] + r[1] * share)
}

fn slab_area(edges: &[[[f64; 2]; 2]], low: f64, high: f64) -> f64 {
    let middle = f64::midpoint(low, high);
    let at = |[a, b]: &[[f64; 2]; 2]| a[0] + (b[0] - a[0]) * (middle - a[1]) / (b[1] - a[1]);
    let spans = |edge: &&[[f64; 2]; 2]| (edge[0][1] < middle) != (edge[1][1] < middle);
    let mut places: Vec<f64> = edges.iter().filter(spans).map(at).collect();
    places.sort_by(f64::total_cmp);
    let inside: f64 = places.chunks(2).map(|pair| pair[1] - pair[0]).sum();
    inside * (high - low)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn what_is_repaired_is_valid_by_either_rule(parts in parts()) {
        for rule in [Rule::EvenOdd, Rule::Structure] {
            match repair(&polygons(&parts).as_shape(), &[Step::MakeValid(rule)], &Limits::default()) {
                Ok(repaired) => prop_assert!(valid(&repaired.geometry)),
                Err(refusal) => prop_assert_eq!(refusal, Refusal::Collapsed),
            }
        }
    }

    #[test]
    fn the_area_is_that_of_a_second_measure(parts in parts()) {
        // A part far from the others may stay whole by the even-odd rule of its own rings: the measure is the same.
        let expected = even_odd_area(&parts);
        match repair(&polygons(&parts).as_shape(), &[Step::MakeValid(Rule::EvenOdd)], &Limits::default()) {
            Ok(repaired) => prop_assert!((area(&repaired.geometry) - expected).abs() < 1e-9, "{} {expected}", area(&repaired.geometry)),
            Err(_) => prop_assert!(expected < 1e-9, "refused, but {expected}"),
        }
    }

    #[test]
    fn to_repair_twice_changes_nothing(parts in parts()) {
        let steps = [Step::DropRepeats, Step::CloseRing, Step::MakeValid(Rule::EvenOdd), Step::Rewind];
        if let Ok(once) = repair(&polygons(&parts).as_shape(), &steps, &Limits::default()) {
            let twice = repair(&once.geometry.as_shape(), &steps, &Limits::default()).unwrap();
            prop_assert_eq!(&twice.changes, &[]);
            prop_assert_eq!(twice.geometry, once.geometry);
        }
    }

    #[test]
    fn a_part_apart_keeps_its_bits_and_its_place(parts in parts(), at in 0..4_usize) {
        let far = vec![vec![[100.1, 0.3], [101.7, -0.0], [101.3, 1.9], [100.1, 0.3]]];
        let mut with = parts.clone();
        with.insert(at.min(parts.len()), far.clone());
        let repaired = repair(&polygons(&with).as_shape(), &[Step::MakeValid(Rule::EvenOdd)], &Limits::default()).unwrap();
        let wanted: Vec<u64> = far[0].iter().flatten().map(|each| each.to_bits()).collect();
        let bits: Vec<u64> = repaired.geometry.coordinates.iter().map(|each| each.to_bits()).collect();
        prop_assert!(bits.windows(wanted.len()).any(|window| window == wanted), "{bits:?}");
    }

    #[test]
    fn a_vertex_that_stays_keeps_its_bits(parts in parts(), by in 1..1000_u32) {
        let moved: Parts = parts.iter().map(|part| part.iter().map(|ring| ring.iter().map(|[x, y]| [x / 7.0 + f64::from(by) / 3.0, y / 11.0]).collect()).collect()).collect();
        let input = polygons(&moved);
        if let Ok(repaired) = repair(&input.as_shape(), &[Step::MakeValid(Rule::EvenOdd)], &Limits::default()) {
            prop_assert!(valid(&repaired.geometry));
            let own: Vec<&[f64]> = input.coordinates.chunks(2).collect();
            for each in repaired.geometry.coordinates.chunks(2) {
                let near = own.iter().any(|o| (o[0] - each[0]).abs() < 1e-13 && (o[1] - each[1]).abs() < 1e-13);
                prop_assert!(!near || own.contains(&each), "{each:?}");
            }
        }
    }
}
