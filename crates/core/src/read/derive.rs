//! From a primitive as it was sent to the one that counts: judged, repaired where that was
//! asked, reprojected where the policy says so.
//!
//! Faults are those of what was sent. Where repairs leave none, what they changed is told
//! instead; where they leave one, or cannot be done, the faults stand, with a warning that says
//! why. What is valid as it was sent is never refused for a repair that cannot be done: a
//! preference is no demand (RFC 7240 section 2).

use super::declared::Level;
use super::geometry::Derived;
use super::located::Located;
use super::{Course, mercator, ranges, topology};
use crate::code::Code;
use crate::crs::Canonical;
use crate::geometry::{Geometry, Primitive};
use crate::json::{Tables, Value};
use crate::limits::Limits;
use crate::repair::{Change, Step};
use crate::violation::{Report, Violation};
use hexlane_repair::{Refusal, repair_within};

/// Where a primitive stands in the text.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    /// The value of `type`.
    pub(super) kind: Option<Value<'a>>,
    pub(super) coordinates: Value<'a>,
}

/// Judges a primitive and makes of it the one that counts.
pub(super) fn derive(
    located: &mut Located<'_>,
    text: Text<'_>,
    level: &Level,
    course: &mut Course<'_>,
    derived: &mut Derived,
    report: &mut Report,
) {
    if course.ask.repair.is_empty() {
        verdict(located, level.is_crs84(), course, report);
    } else {
        let (steps, _) = stages(level, course.ask.repair);
        let mut found = report.alike();
        verdict(located, level.is_crs84(), course, &mut found);
        let (sent, changes) = stage(located, steps, level.is_crs84(), course, &mut found);
        derived.in_declared(&changes);
        if let Some(sent) = sent {
            let edits = course.ask.edits;
            edits.tell(text, &sent, &located.primitive, &mut derived.edits);
        }
        report.append(found);
    }
    let in_degrees = reproject(located, level, course, derived, report);
    if in_degrees && course.ask.crs.canonical == Canonical::WebMercator {
        let mut found = report.alike();
        mercator::check(located, &mut found);
        if located.derived {
            found.gather(&located.pointer, located.start);
        }
        report.append(found);
    }
}

/// The steps that are done in the declared system, and those that wait for degrees.
fn stages<'a>(level: &Level, steps: &'a [Step]) -> (&'a [Step], &'a [Step]) {
    let in_degrees = level.to_reproject().is_none();
    let split = steps
        .iter()
        .position(|step| *step == Step::SplitAntimeridian)
        .filter(|_| !in_degrees);
    steps.split_at(split.unwrap_or(steps.len()))
}

/// Makes degrees of what is in another system. Whether it is in degrees now.
#[cfg(feature = "reproject")]
fn reproject(
    located: &mut Located<'_>,
    level: &Level,
    course: &mut Course<'_>,
    derived: &mut Derived,
    report: &mut Report,
) -> bool {
    let Some(epsg) = level.to_reproject() else {
        return level.is_crs84();
    };
    derived.derivation.reprojected = Some(epsg);
    let mut found = report.alike();
    super::reproject::reproject(epsg, located, course, &mut found);
    let (_, steps) = stages(level, course.ask.repair);
    // What lies beyond ±180 degrees may be mended; what has no place may not.
    let has_places = found.totals().of(Code::CrsNoPlace) == 0;
    if has_places && report.errors() == 0 && !steps.is_empty() {
        let (_, changes) = stage(located, steps, true, course, &mut found);
        derived.in_degrees(&changes);
    }
    if located.derived {
        found.gather(&located.pointer, located.start);
    }
    report.append(found);
    has_places
}

#[cfg(not(feature = "reproject"))]
fn reproject(
    _located: &mut Located<'_>,
    level: &Level,
    _course: &mut Course<'_>,
    _derived: &mut Derived,
    _report: &mut Report,
) -> bool {
    level.is_crs84()
}

/// What is wrong with a primitive as it stands.
fn verdict(located: &Located<'_>, degrees: bool, course: &mut Course<'_>, report: &mut Report) {
    if degrees {
        ranges::check(located, report);
    }
    topology::judge(located, course.ask.limits, &mut course.work_left, report);
}

/// Does the steps. Where they changed something for the better, the primitive is the new one,
/// what was found is of it, and the old one is handed back with the changes.
fn stage<'a>(
    located: &mut Located<'a>,
    steps: &[Step],
    degrees: bool,
    course: &mut Course<'_>,
    found: &mut Report,
) -> (Option<Located<'a>>, Vec<Change>) {
    let repaired = match repair(&located.primitive, steps, course) {
        Ok(repaired) => repaired,
        Err(refusal) => {
            let message = format!("not repaired: {refusal}");
            found.push(here(located, code(&refusal), message));
            return (None, Vec::new());
        }
    };
    if repaired.changes.is_empty() {
        return (None, Vec::new());
    }
    let now = Located {
        primitive: repaired.geometry,
        pointer: located.pointer.clone(),
        start: located.start,
        tables: located.tables,
        sources: Vec::new(),
        strays: Vec::new(),
        derived: true,
    };
    let mut left = found.alike();
    verdict(&now, degrees, course, &mut left);
    if let Some(error) = left.first_error() {
        let message = format!(
            "not repaired: what comes of it is faulty, {}",
            error.message
        );
        found.push(here(located, Code::RepairInvalidAfter, message));
        return (None, Vec::new());
    }
    left.gather(&located.pointer, located.start);
    *found = left;
    (Some(std::mem::replace(located, now)), repaired.changes)
}

fn here(located: &Located<'_>, code: Code, message: String) -> Violation {
    Violation::new(code, message).at(located.pointer.as_str(), located.start)
}

fn repair(
    primitive: &Primitive,
    steps: &[Step],
    course: &mut Course<'_>,
) -> Result<hexlane_repair::Repaired, Refusal> {
    let mut limits = hexlane_repair::Limits {
        vertices_max: usize::try_from(course.repair_left.vertices).unwrap_or(usize::MAX),
        crossings_max: course.repair_left.crossings,
        work_max: course.work_left,
    };
    let repaired = repair_within(&primitive.as_shape(), steps, &mut limits);
    course.repair_left.vertices = limits.vertices_max as u64;
    course.repair_left.crossings = limits.crossings_max;
    course.work_left = limits.work_max;
    repaired
}

const fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::Shape(_) => Code::GeometryNesting,
        Refusal::Unavailable => Code::RepairUnavailable,
        Refusal::TooManyVertices => Code::RepairTooManyVertices,
        Refusal::TooComplex => Code::RepairTooComplex,
        Refusal::NonFinite => Code::RepairNonFinite,
        Refusal::Magnitude => Code::RepairMagnitude,
        Refusal::Collapsed => Code::RepairCollapsed,
        Refusal::Pole => Code::RepairPole,
        Refusal::InvalidBefore(_) => Code::RepairInvalidBefore,
        Refusal::InvalidAfter(_) => Code::RepairInvalidAfter,
    }
}

/// Judges a derived geometry again; the first error, or none when it is good.
pub(crate) fn judge_derived(wkb: &[u8], limits: &Limits) -> Option<Violation> {
    let Some(geometry) = Geometry::of_wkb(wkb) else {
        let message = "the derived geometry does not read";
        return Some(Violation::new(Code::GeometryNesting, message));
    };
    let mut report = Report::new(1);
    let mut work_left = limits.work_max;
    let tables = Tables::default();
    for primitive in geometry.primitives {
        let located = Located {
            primitive,
            pointer: String::new(),
            start: 0,
            tables: &tables,
            sources: Vec::new(),
            strays: Vec::new(),
            derived: true,
        };
        ranges::check(&located, &mut report);
        topology::judge(&located, limits, &mut work_left, &mut report);
    }
    report.gather("", 0);
    report.first_error().cloned()
}
