//! What `ogc-validity` finds, told as violations of the document: each place of the
//! geometry becomes a pointer and a byte offset. And the winding of rings, a warning.

use super::located::Located;
use crate::code::Code;
use crate::decimal::push_number;
use crate::limits::Limits;
use crate::violation::{Counterpart, Report, Violation};
use ogc_validity::{Fault, FaultKind, Judgement};

/// The longest sentence and two numbers.
const MESSAGE_BYTES_USUAL: usize = 80;

/// Judges a primitive, and takes its steps from what is left of the request's.
pub(super) fn judge(
    located: &Located<'_>,
    limits: &Limits,
    work_left: &mut u64,
    report: &mut Report,
) {
    let unbounded = limits.work_max == u64::MAX;
    let limits = ogc_validity::Limits {
        faults_max: report.room(),
        work_max: if unbounded { None } else { Some(*work_left) },
    };
    let whole = |code, message: String| {
        Violation::new(code, message).at(located.pointer.as_str(), located.start)
    };
    match ogc_validity::judge_metered(&located.primitive.as_shape(), &limits) {
        Ok((judgement, steps)) => {
            *work_left = work_left.saturating_sub(steps);
            match judgement {
                Judgement::Valid => winding(located, report),
                Judgement::Invalid(found) => invalid(located, &found, report),
                Judgement::Undecided { .. } => report.push(whole(
                    Code::GeometryTooComplex,
                    "judging this takes more work than one request may cost".to_owned(),
                )),
            }
        }
        Err(error) => {
            let message = format!("the coordinates do not describe a shape: {error}");
            report.push(whole(Code::GeometryNesting, message));
        }
    }
}

fn invalid(located: &Located<'_>, found: &ogc_validity::Report, report: &mut Report) {
    for fault in &found.faults {
        report.push(told(located, fault));
    }
    for (kind, total) in found.totals.iter() {
        let kept = found
            .faults
            .iter()
            .filter(|fault| fault.kind == kind)
            .count();
        report.count(code(kind), total.saturating_sub(kept as u64));
    }
}

fn told(located: &Located<'_>, fault: &Fault) -> Violation {
    let code = code(fault.kind);
    let (pointer, offset) = located.place_in_document(fault.at);
    let [x, y] = fault.location;
    let mut message = String::with_capacity(MESSAGE_BYTES_USUAL);
    message.push_str(sentence(fault.kind));
    message.push_str(" at ");
    push_number(&mut message, x);
    message.push(' ');
    push_number(&mut message, y);
    let mut violation = Violation::new(code, message).at(pointer, offset);
    violation.place = Some(fault.at);
    violation.location = Some(fault.location);
    violation.location_end = fault.location_end;
    violation.other = fault.other.map(|place| {
        let (pointer, offset) = located.place_in_document(place);
        Counterpart {
            pointer,
            byte_offset: offset as u64,
            place,
        }
    });
    violation
}

const fn code(kind: FaultKind) -> Code {
    match kind {
        FaultKind::SelfIntersection => Code::SelfIntersection,
        FaultKind::RingSelfIntersection => Code::RingSelfIntersection,
        FaultKind::TooFewPoints => Code::TooFewPoints,
        FaultKind::NotClosed => Code::NotClosed,
        FaultKind::NonFinite => Code::NonFinite,
        FaultKind::HoleOutsideShell => Code::HoleOutsideShell,
        FaultKind::NestedHoles => Code::NestedHoles,
        FaultKind::NestedShells => Code::NestedShells,
        FaultKind::OverlappingParts => Code::OverlappingParts,
        FaultKind::DisconnectedInterior => Code::DisconnectedInterior,
        FaultKind::DuplicateRings => Code::DuplicateRings,
        FaultKind::Collapsed => Code::Collapsed,
    }
}

const fn sentence(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::SelfIntersection => "rings cross",
        FaultKind::RingSelfIntersection => "a ring touches itself",
        FaultKind::TooFewPoints => "too few points",
        FaultKind::NotClosed => "the ring is not closed",
        FaultKind::NonFinite => "a number is not finite",
        FaultKind::HoleOutsideShell => "the hole lies outside its shell",
        FaultKind::NestedHoles => "the hole lies in another hole",
        FaultKind::NestedShells => "the polygon lies in another polygon",
        FaultKind::OverlappingParts => "polygons overlap",
        FaultKind::DisconnectedInterior => "the interior is cut in two",
        FaultKind::DuplicateRings => "the ring stands twice",
        FaultKind::Collapsed => "the ring encloses no area",
    }
}

/// RFC 7946 asks for counter-clockwise shells and clockwise holes, and says that readers
/// should not refuse the rest: one warning for the first ring that is the other way.
fn winding(located: &Located<'_>, report: &mut Report) {
    let rings: Vec<_> = located.primitive.rings().collect();
    for part in located.primitive.parts() {
        for number in part.clone() {
            let Some(ring) = rings.get(number) else {
                continue;
            };
            let area = doubled_area(located, ring.clone());
            let shell = number == part.start;
            if (shell && area < 0.0) || (!shell && area > 0.0) {
                let (place, pointer, offset) = located.place_of(ring.start);
                let message = if shell {
                    "the shell is wound clockwise"
                } else {
                    "the hole is wound counter-clockwise"
                };
                let mut violation =
                    Violation::new(Code::GeometryWinding, message).at(pointer, offset);
                violation.place = Some(place);
                return report.push(violation);
            }
        }
    }
}

fn doubled_area(located: &Located<'_>, ring: std::ops::Range<usize>) -> f64 {
    let stride = located.primitive.stride;
    let Some(numbers) = located
        .primitive
        .coordinates
        .get(ring.start * stride..ring.end * stride)
    else {
        return 0.0;
    };
    let (Some(&x0), Some(&y0)) = (numbers.first(), numbers.get(1)) else {
        return 0.0;
    };
    let mut positions = numbers
        .chunks_exact(stride)
        .map(|each| [each[0] - x0, each[1] - y0]);
    let Some(mut from) = positions.next() else {
        return 0.0;
    };
    let mut doubled = 0.0;
    for to in positions {
        doubled += from[0] * to[1] - to[0] * from[1];
        from = to;
    }
    doubled
}
