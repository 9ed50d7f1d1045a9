//! Rings that are there already. Told once each, and left out of what follows: their edges would all overlap.
//!
//! A twin is recognised by its least point, so a ring that passes its least point twice may go unrecognised; then its
//! edges are told as overlaps.

use crate::exact::lexicographic;
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
    let mut order: Vec<usize> = (0..rings.table.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        size(a)
            .cmp(&size(b))
            .then_with(|| lexicographic(least(a), least(b)))
            .then(a.cmp(&b))
    });
    let mut standing: Vec<usize> = (0..rings.table.len()).collect();
    for alike in order.chunk_by(|&a, &b| size(a) == size(b) && least(a) == least(b)) {
        let mut originals: Vec<usize> = Vec::new();
        for &ring in alike {
            match find_equal(rings, &originals, ring, meter)? {
                Some(original) => {
                    standing[ring] = original;
                    tell(rings, ring, original, ledger);
                }
                None => originals.push(ring),
            }
        }
    }
    Ok(standing)
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
