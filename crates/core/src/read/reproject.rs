//! The policy `reproject`: a geometry in another system is judged as it was sent, then its
//! coordinates become longitude and latitude, for lane, bounds and map. The payload stays.

use super::located::Located;
use super::{Course, ranges};
use crate::code::Code;
use crate::crs::{Crs, CrsRule};
use crate::violation::{Report, Violation};
use hexlane_reproject::{Failure, Lookup, System, Target, Transform, evidence, look_up};

/// What is wrong with a declared system, or should be known of it.
pub(super) fn finding(crs: Crs, text: &str, rule: CrsRule) -> Option<Violation> {
    let epsg = crs.epsg();
    let system = match look_up(epsg) {
        Lookup::Supported(system) => system,
        Lookup::NeedsGrid => {
            return Some(found(Code::CrsNeedsGrid, epsg, text, "needs a datum grid"));
        }
        Lookup::Unsupported => {
            let reason = "is not in the list of systems";
            return Some(found(Code::CrsUnsupported, epsg, text, reason));
        }
    };
    if let Some(reason) = too_inexact(&system, rule.accuracy_mm_max) {
        return Some(found(Code::CrsAccuracy, epsg, text, &reason));
    }
    system.northing_first.then(|| {
        let reason = "names the northing first; x, y is read as easting, northing all the same";
        found(Code::CrsNorthingFirst, epsg, text, reason)
    })
}

fn found(code: Code, epsg: u32, text: &str, reason: &str) -> Violation {
    let message = format!("declared as `{text}`: EPSG:{epsg} {reason}");
    let mut violation = Violation::new(code, message);
    violation.epsg = Some(epsg);
    violation
}

/// How inexact it is, if that is over the limit.
fn too_inexact(system: &System, accuracy_mm_max: Option<u32>) -> Option<String> {
    let accuracy_mm_max = accuracy_mm_max?;
    let over = system.accuracy_m * 1_000.0 > f64::from(accuracy_mm_max);
    over.then(|| {
        let accuracy_m = system.accuracy_m;
        format!("is reprojected to within {accuracy_m} m, and {accuracy_mm_max} mm are asked")
    })
}

/// The way from the system that was used last: the features of a collection have one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways(Option<Way>);

#[derive(Clone, Debug)]
struct Way {
    epsg: u32,
    system: System,
    transform: Transform,
}

impl Ways {
    fn of(&mut self, epsg: u32) -> Option<&Way> {
        if self.0.as_ref().is_none_or(|way| way.epsg != epsg) {
            self.0 = way(epsg);
        }
        self.0.as_ref()
    }
}

fn way(epsg: u32) -> Option<Way> {
    let Lookup::Supported(system) = look_up(epsg) else {
        return None;
    };
    let transform = Transform::new(&system, Target::LonLat).ok()?;
    Some(Way {
        epsg,
        system,
        transform,
    })
}

/// Makes the coordinates longitude and latitude. A position without a place is an error;
/// the rest is left as it is then.
pub(super) fn reproject(
    epsg: u32,
    located: &mut Located<'_>,
    course: &mut Course<'_>,
    report: &mut Report,
) {
    let Some(way) = course.ways.of(epsg) else {
        return;
    };
    let primitive = &mut located.primitive;
    let swapped = evidence::axes_swapped(
        &way.system,
        &way.transform,
        &primitive.coordinates,
        primitive.stride,
    );
    let applied = way
        .transform
        .apply(&mut primitive.coordinates, primitive.stride);
    if swapped {
        let message = format!("x and y would lie where EPSG:{epsg} is used if they were swapped");
        report.push(
            Violation::new(Code::CrsAxisSwapped, message)
                .at(located.pointer.as_str(), located.start),
        );
    }
    if let Err(failure) = applied {
        return report.push(told(epsg, located, failure));
    }
    ranges::check(located, report);
}

fn told(epsg: u32, located: &Located<'_>, failure: Failure) -> Violation {
    let (place, pointer, offset) = located.place_of(failure.position);
    let position = located.primitive.positions().nth(failure.position);
    let message = format!("no place by EPSG:{epsg}: {}", failure.kind);
    let mut violation = Violation::new(Code::CrsNoPlace, message)
        .at(pointer, offset)
        .located(position.unwrap_or_default(), place);
    violation.epsg = Some(epsg);
    violation
}
