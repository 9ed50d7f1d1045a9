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
use support::{Parts, area, even_odd_area, polygons, valid};

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
            let largest = input.coordinates.iter().fold(0.0, |a: f64, b| a.max(*b));
            let near = largest * 2.0_f64.powi(-52);
            let own: Vec<&[f64]> = input.coordinates.chunks(2).collect();
            for each in repaired.geometry.coordinates.chunks(2) {
                let by_hair = own.iter().any(|o| (o[0] - each[0]).abs() < near && (o[1] - each[1]).abs() < near);
                prop_assert!(!by_hair || own.contains(&each), "{each:?}");
            }
        }
    }
}
