//! Whether touching rings leave the interior of each polygon in one piece.
//!
//! Take rings and the points where they touch as the two kinds of nodes of a graph, with a link from a ring to each
//! point it touches at. The interior falls apart exactly where this graph has a cycle; each link that closes one is told.

use crate::fault::FaultKind;
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::passes::Pass;
use crate::rings::Rings;

pub(crate) fn judge(
    passes: &[Pass],
    rings: &Rings,
    marks: &Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    meter.pay(passes.len())?;
    let mut groups = Groups::new(rings.table.len());
    let part = |pass: &Pass| rings.table[pass.ring as usize].part;
    // Passes through one point follow each other, there those of one part, and of these those of one ring.
    for of_part in passes.chunk_by(|a, b| a.point == b.point && part(a) == part(b)) {
        if marks.torn[part(&of_part[0]) as usize] {
            continue;
        }
        // The first ring stands for the point; a cycle is a ring already linked to it.
        let first = &of_part[0];
        for of_ring in of_part.chunk_by(|a, b| a.ring == b.ring).skip(1) {
            let touch = &of_ring[0];
            if !groups.unite(first.ring as usize, touch.ring as usize) {
                ledger.add_vertex(
                    FaultKind::DisconnectedInterior,
                    rings.location(touch.point),
                    first.place(rings),
                    Some(touch.place(rings)),
                );
                ledger.go_on()?;
            }
        }
    }
    Ok(())
}

/// Disjoint sets.
struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    fn new(members: usize) -> Self {
        Self {
            parents: (0..members).collect(),
        }
    }

    fn find(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    /// False when the two were together already.
    fn unite(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a] = b;
        a != b
    }
}
