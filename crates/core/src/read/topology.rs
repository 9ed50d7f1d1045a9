//! What `ogc-validity` finds, told as violations of the document: each place of the
//! geometry becomes a pointer and a byte offset. And the winding of rings, a warning.

use super::geometry::Located;
use crate::code::Code;
use crate::decimal::push_number;
use crate::limits::Limits;
use crate::pointer;
use crate::violation::{Counterpart, Place, Report, Violation};
use ogc_validity::{Fault, FaultKind, Judgement, ShapeKind};

/// The longest sentence and two numbers.
const MESSAGE_BYTES_USUAL: usize = 80;

/// Judges a primitive, and takes its steps from what is left of the request's.
pub(super) fn judge(located: &Located, limits: &Limits, work_left: &mut u64, report: &mut Report) {
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

fn invalid(located: &Located, found: &ogc_validity::Report, report: &mut Report) {
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

fn told(located: &Located, fault: &Fault) -> Violation {
    let code = code(fault.kind);
    let (pointer, offset) = place_in_document(located, fault.at);
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
        let (pointer, offset) = place_in_document(located, place);
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

/// The place, pointer and byte offset of a position by its number in the primitive.
pub(super) fn place_of(located: &Located, vertex: usize) -> (Place, String, usize) {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let primitive = &located.primitive;
    let place = if primitive.kind == ShapeKind::MultiPoint {
        Place {
            part: number(vertex),
            ring: 0,
            vertex: 0,
        }
    } else {
        let ring = primitive
            .ring_ends
            .partition_point(|end| *end as usize <= vertex);
        let ring_start = ring
            .checked_sub(1)
            .map_or(0, |before| primitive.ring_ends[before] as usize);
        let part = primitive
            .part_ends
            .partition_point(|end| *end as usize <= ring);
        let part_start = part
            .checked_sub(1)
            .map_or(0, |before| primitive.part_ends[before] as usize);
        Place {
            part: number(part),
            ring: number(ring - part_start),
            vertex: number(vertex - ring_start),
        }
    };
    let (pointer, offset) = place_in_document(located, place);
    (place, pointer, offset)
}

fn place_in_document(located: &Located, place: Place) -> (String, usize) {
    let [part, ring, vertex] = [place.part, place.ring, place.vertex].map(|each| each as usize);
    let primitive = &located.primitive;
    let part_start = part
        .checked_sub(1)
        .and_then(|before| primitive.part_ends.get(before));
    let ring_number = part_start.map_or(0, |start| *start as usize) + ring;
    let ring_start = ring_number
        .checked_sub(1)
        .and_then(|before| primitive.ring_ends.get(before));
    let mut number = ring_start.map_or(0, |start| *start as usize) + vertex;
    let path: &[usize] = match primitive.kind {
        ShapeKind::Point => &[],
        ShapeKind::MultiPoint => {
            number = part;
            &[part]
        }
        ShapeKind::LineString => &[vertex],
        ShapeKind::MultiLineString | ShapeKind::Polygon => &[ring, vertex],
        ShapeKind::MultiPolygon => &[part, ring, vertex],
    };
    let pointer = pointer::elements(&located.pointer, path);
    let last = located.offsets.last().copied().unwrap_or_default();
    (
        pointer,
        located.offsets.get(number).copied().unwrap_or(last),
    )
}

/// RFC 7946 asks for counter-clockwise shells and clockwise holes, and says that readers
/// should not refuse the rest: one warning for the first ring that is the other way.
fn winding(located: &Located, report: &mut Report) {
    let rings: Vec<_> = located.primitive.rings().collect();
    for part in located.primitive.parts() {
        for number in part.clone() {
            let Some(ring) = rings.get(number) else {
                continue;
            };
            let area = doubled_area(located, ring.clone());
            let shell = number == part.start;
            if (shell && area < 0.0) || (!shell && area > 0.0) {
                let (place, pointer, offset) = place_of(located, ring.start);
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

fn doubled_area(located: &Located, ring: std::ops::Range<usize>) -> f64 {
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
