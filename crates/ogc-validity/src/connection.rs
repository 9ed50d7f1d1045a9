//! Whether touching rings leave the interior of each polygon in one piece.
//!
//! Take rings and the points where they touch as the two kinds of nodes of a graph, with a link from a ring to each
//! point it touches at. The interior falls apart exactly where this graph has a cycle; each link that closes one is told.

use crate::fault::FaultKind;
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::nodes::Touch;
use crate::rings::Rings;

pub(crate) fn judge(
    touches: &[Touch],
    rings: &Rings,
    marks: &Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    meter.pay(touches.len())?;
    let mut groups = Groups::new(rings.table.len());
    for at_point in touches.chunk_by(|a, b| a.node == b.node) {
        let first = &at_point[0];
        if marks.torn[first.place.part as usize] {
            continue;
        }
        // The first ring stands for the point; a cycle is a ring already linked to it.
        for touch in &at_point[1..] {
            if !groups.unite(first.ring, touch.ring) {
                ledger.add_vertex(
                    FaultKind::DisconnectedInterior,
                    touch.location,
                    first.place,
                    Some(touch.place),
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
