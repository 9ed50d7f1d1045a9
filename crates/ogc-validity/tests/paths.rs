//! What is told does not depend on how the edges that meet are found.

mod support;

use ogc_validity::{Limits, Path, judge_by};
use proptest::prelude::*;
use support::Owned;

const ALL: Limits = Limits {
    faults_max: usize::MAX,
    work_max: None,
};

fn closed(mut ring: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    ring.extend(ring.first().copied());
    ring
}

fn assert_same(owned: &Owned) {
    let shape = owned.shape();
    let [tree, sweep, auto] = [Path::Tree, Path::Sweep, Path::Auto]
        .map(|path| judge_by(&shape, &ALL, path).map(|(judgement, _)| judgement));
    assert_eq!(tree, sweep, "the sweep differs: {shape:?}");
    assert_eq!(tree, auto, "the choice differs: {shape:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn tree_and_sweep_tell_the_same_of_small_grids(parts in prop::collection::vec(
        prop::collection::vec(prop::collection::vec((0..7_i32, 0..7_i32), 3..9), 1..4), 1..4,
    )) {
        let point = |(x, y): (i32, i32)| [f64::from(x), f64::from(y)];
        let ring = |ring: Vec<_>| closed(ring.into_iter().map(point).collect());
        let parts: Vec<Vec<_>> = parts
            .into_iter()
            .map(|part| part.into_iter().map(ring).collect())
            .collect();
        assert_same(&Owned::polygons(&parts));
    }

    #[test]
    fn tree_and_sweep_tell_the_same_of_rings_in_rings(
        frames in prop::collection::vec((0..40_u32, 0..3_u32, 0..4_i32, any::<bool>()), 1..30),
        by_part in 1..4_usize,
    ) {
        let ring = |&(reach, corner, shift, turned): &(u32, u32, i32, bool)| {
            let (reach, shift) = (f64::from(reach + 1), f64::from(shift) / 4.0);
            let cut = f64::from(corner) / 2.0;
            let mut ring = vec![
                [-reach + cut, -reach], [reach, -reach], [reach, reach - cut], [reach - cut, reach],
                [-reach, reach], [-reach, -reach + cut],
            ];
            for position in &mut ring {
                position[0] += shift;
            }
            if turned {
                ring.reverse();
            }
            closed(ring)
        };
        let parts: Vec<Vec<_>> = frames
            .chunks(by_part)
            .map(|part| part.iter().map(ring).collect())
            .collect();
        assert_same(&Owned::polygons(&parts));
    }

    #[test]
    fn tree_and_sweep_tell_the_same_of_spiky_stars(
        reaches in prop::collection::vec(1..200_u32, 3..400),
        swaps in prop::collection::vec(0..1000_usize, 0..3),
    ) {
        let count = f64::from(u32::try_from(reaches.len()).unwrap_or(u32::MAX));
        let mut ring: Vec<[f64; 2]> = reaches
            .iter()
            .zip(0_u32..)
            .map(|(&reach, number)| {
                let angle = f64::from(number) / count * std::f64::consts::TAU;
                [angle.cos() * f64::from(reach), angle.sin() * f64::from(reach)]
            })
            .collect();
        for swap in swaps {
            let last = ring.len() - 1;
            ring.swap(swap % last, swap % last + 1);
        }
        assert_same(&Owned::polygons(&vec![vec![closed(ring)]]));
    }
}
