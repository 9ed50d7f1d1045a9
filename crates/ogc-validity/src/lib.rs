//! Judges geometries by the validity rules of OGC Simple Features (06-103r4), and tells **every** fault with its place.

#![allow(
    clippy::float_cmp,
    reason = "coordinates are compared exactly; rounding never decides"
)]

mod connection;
mod contact;
mod crossings;
mod exact;
mod fault;
mod ledger;
mod lines;
mod marks;
mod meter;
mod nesting;
mod nodes;
mod pairs;
mod passes;
mod polygons;
mod report;
mod rings;
mod scale;
mod shape;
mod tree;
mod twins;

pub use fault::{Fault, FaultKind, Place};
pub use report::{Judgement, Limits, Report, Totals};
pub use shape::{Shape, ShapeError, ShapeKind};

use ledger::Ledger;
use meter::{Meter, Stopped};

/// Judges one geometry.
///
/// Refuses tables that do not describe a shape; whatever the coordinates are, it answers.
pub fn judge(shape: &Shape<'_>, limits: &Limits) -> Result<Judgement, ShapeError> {
    judge_metered(shape, limits).map(|(judgement, _)| judgement)
}

/// As [`judge`], and tells the vertex steps it took: for a budget over several geometries.
pub fn judge_metered(shape: &Shape<'_>, limits: &Limits) -> Result<(Judgement, u64), ShapeError> {
    shape.check()?;
    let mut meter = Meter::new(limits.work_max);
    let mut ledger = Ledger::new(limits.faults_max);
    let outcome = judge_kind(shape, &mut meter, &mut ledger);
    let work_done = meter.done();
    let judgement = match outcome {
        Ok(()) if ledger.is_empty() => Judgement::Valid,
        Err(Stopped) if ledger.is_empty() => Judgement::Undecided { work_done },
        outcome => Judgement::Invalid(ledger.close(outcome.is_ok())),
    };
    Ok((judgement, work_done))
}

/// Whether a geometry is valid. `None` where [`judge`] would not decide.
pub fn is_valid(shape: &Shape<'_>) -> Result<Option<bool>, ShapeError> {
    let limits = Limits {
        faults_max: 0,
        work_max: None,
    };
    Ok(match judge(shape, &limits)? {
        Judgement::Valid => Some(true),
        Judgement::Invalid(_) => Some(false),
        Judgement::Undecided { .. } => None,
    })
}

fn judge_kind(shape: &Shape<'_>, meter: &mut Meter, ledger: &mut Ledger) -> Result<(), Stopped> {
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => lines::judge_points(shape, meter, ledger),
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            lines::judge_lines(shape, meter, ledger)
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => polygons::judge(shape, meter, ledger),
    }
}

/// Counts of one shape fit 32 bits: [`Shape::check`] refuses more vertices.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
