//! Places that a map in EPSG:3857 has not: beyond the latitude at which its square ends, where
//! metres mean nothing. The sender is told, instead of finding the event among the poison.

use super::located::Located;
use crate::code::Code;
use crate::crs::MERCATOR_LATITUDE_MAX;
use crate::violation::{Report, Violation};

/// Of longitudes and latitudes: tells each position that has no place.
pub(super) fn check(located: &Located<'_>, report: &mut Report) {
    let code = Code::CrsBeyondMercator;
    for (vertex, [x, y]) in located.primitive.positions().enumerate() {
        // What is no latitude at all is told as that.
        if y.abs() > MERCATOR_LATITUDE_MAX && y.abs() <= 90.0 {
            report.push_with(code, || {
                let (place, pointer, offset) = located.place_of(vertex);
                let message = format!(
                    "latitude {y} has no place on a map in EPSG:3857, which ends at {MERCATOR_LATITUDE_MAX}"
                );
                Violation::new(code, message)
                    .at(pointer, offset)
                    .located([x, y], place)
            });
        }
    }
}
