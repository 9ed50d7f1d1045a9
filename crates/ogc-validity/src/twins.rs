//! Rings that are there already. Told once each, and left out of what follows: their edges would all overlap.
//!
//! A twin is recognised by its least point, so a ring that passes its least point twice may go unrecognised; then its
//! edges are told as overlaps.

use crate::exact::{Point, lexicographic};
use crate::fault::FaultKind;
use crate::ledger::Ledger;
use crate::meter::{Meter, Stopped};
use crate::rings::Rings;

/// For each ring the one that stands for it: itself, or the first one equal to it.
pub(crate) fn find(
    rings: &Rings,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<Vec<usize>, Stopped> {
    let least = |ring: usize| rings.points[rings.table[ring].least];
    let size = |ring: usize| rings.table[ring].edge_count();
    let alike = |a: usize, b: usize| {
        let by_least = size(a)
            .cmp(&size(b))
            .then_with(|| lexicographic(least(a), least(b)));
        // Many rings may begin in one point, as petals do; few of those go on alike.
        by_least.then_with(|| {
            let [a, b] = [a, b].map(|ring| beside_least(rings, ring));
            lexicographic(a[0], b[0]).then_with(|| lexicographic(a[1], b[1]))
        })
    };
    let mut order: Vec<usize> = (0..rings.table.len()).collect();
    order.sort_unstable_by(|&a, &b| alike(a, b).then(a.cmp(&b)));
    let mut standing: Vec<usize> = (0..rings.table.len()).collect();
    for alike in order.chunk_by(|&a, &b| alike(a, b).is_eq()) {
        let mut originals: Vec<usize> = Vec::new();
        for &ring in alike {
            match find_equal(rings, &originals, ring, meter)? {
                Some(original) => {
                    standing[ring] = original;
                    tell(rings, ring, original, ledger);
                    ledger.go_on()?;
                }
                None => originals.push(ring),
            }
        }
    }
    Ok(standing)
}

/// The points before and after the least one, whichever way the ring runs.
fn beside_least(rings: &Rings, ring: usize) -> [Point; 2] {
    let ring = &rings.table[ring];
    let (before, after) = (
        rings.points[ring.previous(ring.least)],
        rings.points[ring.next(ring.least)],
    );
    if lexicographic(before, after).is_gt() {
        [after, before]
    } else {
        [before, after]
    }
}

fn find_equal(
    rings: &Rings,
    originals: &[usize],
    ring: usize,
    meter: &mut Meter,
) -> Result<Option<usize>, Stopped> {
    for &original in originals {
        let compared = [true, false].map(|forward| equal_steps(rings, original, ring, forward));
        meter.pay(compared[0] + compared[1])?;
        if compared.contains(&rings.table[ring].edge_count()) {
            return Ok(Some(original));
        }
    }
    Ok(None)
}

/// How many points are equal when both rings are followed from their least point.
fn equal_steps(rings: &Rings, a: usize, b: usize, forward: bool) -> usize {
    let (a, b) = (&rings.table[a], &rings.table[b]);
    let (mut at_a, mut at_b) = (a.least, b.least);
    for step in 0..a.edge_count() {
        if rings.points[at_a] != rings.points[at_b] {
            return step;
        }
        at_a = a.next(at_a);
        at_b = if forward {
            b.next(at_b)
        } else {
            b.previous(at_b)
        };
    }
    a.edge_count()
}

fn tell(rings: &Rings, twin: usize, original: usize, ledger: &mut Ledger) {
    let [at, other] = [twin, original].map(|ring| {
        let ring = &rings.table[ring];
        rings.point_place(ring, ring.least)
    });
    let location = rings.location(rings.points[rings.table[twin].least]);
    ledger.add_vertex(FaultKind::DuplicateRings, location, at, Some(other));
}
