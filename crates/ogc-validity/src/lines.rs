//! Points and lines: every ordinate finite, and a line that goes somewhere. They may cross themselves.

use crate::fault::{FaultKind, Place};
use crate::ledger::Ledger;
use crate::meter::{Meter, Stopped};
use crate::narrow;
use crate::shape::{Shape, ShapeKind};

pub(crate) fn judge_points(
    shape: &Shape<'_>,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    meter.pay(shape.vertex_count())?;
    for (index, vertex) in shape.vertices(shape.coordinates).enumerate() {
        if !vertex.finite {
            let part = if shape.kind == ShapeKind::Point {
                0
            } else {
                narrow(index)
            };
            ledger.add_vertex(
                FaultKind::NonFinite,
                vertex.xy,
                Place {
                    part,
                    ring: 0,
                    vertex: 0,
                },
                None,
            );
            ledger.go_on()?;
        }
    }
    Ok(())
}

pub(crate) fn judge_lines(
    shape: &Shape<'_>,
    meter: &mut Meter,
    ledger: &mut Ledger,
) -> Result<(), Stopped> {
    for line in 0..shape.ring_ends.len() {
        let coordinates = shape.ring(line);
        meter.pay(coordinates.len() / shape.stride)?;
        let place = |vertex| Place {
            part: 0,
            ring: narrow(line),
            vertex,
        };
        let measurable = report_non_finite(shape, coordinates, place, ledger);
        ledger.go_on()?;
        let Some(first) = shape.vertices(coordinates).next() else {
            continue;
        };
        if measurable
            && shape
                .vertices(coordinates)
                .all(|vertex| vertex.xy == first.xy)
        {
            ledger.add_vertex(FaultKind::TooFewPoints, first.xy, place(0), None);
            ledger.go_on()?;
        }
    }
    Ok(())
}

/// Tells every vertex with an ordinate that is not finite. False when it is one of x and y, so that nothing further
/// can be said of this ring or line.
pub(crate) fn report_non_finite<'a>(
    shape: &Shape<'a>,
    coordinates: &'a [f64],
    place: impl Fn(u32) -> Place,
    ledger: &mut Ledger,
) -> bool {
    let mut measurable = true;
    for (index, vertex) in shape.vertices(coordinates).enumerate() {
        if !vertex.finite {
            ledger.add_vertex(FaultKind::NonFinite, vertex.xy, place(narrow(index)), None);
            measurable &= vertex.xy.iter().all(|ordinate| ordinate.is_finite());
        }
    }
    measurable
}
