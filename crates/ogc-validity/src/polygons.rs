//! Polygons: each ring alone, then how the rings meet, which lies in which, and whether the interior holds together.

use crate::crossings::Path;
use crate::ledger::Ledger;
use crate::marks::Marks;
use crate::meter::{Meter, Stopped};
use crate::rings::Rings;
use crate::shape::Shape;
use crate::tree::{Node, Tree};
use crate::{connection, crossings, nesting, nodes, twins};

pub(crate) fn judge(
    shape: &Shape<'_>,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<(), Stopped> {
    let (rings, leaves) = Rings::read(shape, meter, ledger)?;
    let standing = twins::find(&rings, meter, ledger)?;
    let mut marks = Marks::new(&rings, &standing);
    let outcome = judge_meetings(&rings, leaves, &standing, &mut marks, meter, ledger, path);
    if ledger.go_on().is_ok() {
        marks.tell_overlaps(ledger);
    }
    outcome
}

fn judge_meetings(
    rings: &Rings,
    leaves: Vec<Node>,
    standing: &[usize],
    marks: &mut Marks,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<(), Stopped> {
    let tree = Tree::build(leaves, standing);
    let passes = crossings::judge(rings, standing, &tree, marks, meter, ledger, path)?;
    let passes = passes.into_sorted();
    nodes::judge(&passes, rings, marks, meter, ledger)?;
    nesting::judge(rings, standing, &tree, marks, meter, ledger, path)?;
    connection::judge(&passes, rings, marks, meter, ledger)
}
