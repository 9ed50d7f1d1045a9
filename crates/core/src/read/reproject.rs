//! The policy `reproject`: a geometry in another system is judged as it was sent, then its
//! coordinates become longitude and latitude, for lane, bounds and map. The payload stays.

use super::located::Located;
use super::ranges;
use crate::code::Code;
use crate::crs::Crs;
use crate::violation::{Report, Violation};
use hexlane_reproject::{Failure, Lookup, Target, Transform, evidence, look_up};

/// Why a declared system cannot be reprojected.
pub(super) fn fault(crs: Crs, text: &str) -> Option<Violation> {
    let epsg = crs.epsg();
    let (code, reason) = match look_up(epsg) {
        Lookup::Supported(_) => return None,
        Lookup::NeedsGrid => (Code::CrsNeedsGrid, "needs a datum grid"),
        Lookup::Unsupported => (Code::CrsUnsupported, "is not in the list of systems"),
    };
    let message = format!("declared as `{text}`: EPSG:{epsg} {reason}");
    let mut violation = Violation::new(code, message);
    violation.epsg = Some(epsg);
    Some(violation)
}

/// Makes the coordinates longitude and latitude. A position without a place is an error;
/// the rest is left as it is then.
pub(super) fn reproject(epsg: u32, located: &mut Located<'_>, report: &mut Report) {
    let Lookup::Supported(system) = look_up(epsg) else {
        return;
    };
    let Ok(transform) = Transform::new(&system, Target::LonLat) else {
        return;
    };
    let stride = located.primitive.stride;
    if evidence::axes_swapped(&system, &located.primitive.coordinates, stride) {
        let message = format!("x and y would lie where EPSG:{epsg} is used if they were swapped");
        report.push(
            Violation::new(Code::CrsAxisSwapped, message)
                .at(located.pointer.as_str(), located.start),
        );
    }
    match transform.apply(&mut located.primitive.coordinates, stride) {
        Ok(()) => ranges::check(located, report),
        Err(failure) => report.push(told(epsg, located, failure)),
    }
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
