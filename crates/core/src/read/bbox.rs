//! The `bbox` member (RFC 7946 section 5): four or six numbers that enclose.

use super::known::{Known, Name};
use crate::code::Code;
use crate::geometry::Geometry;
use crate::json::Kind;
use crate::pointer;
use crate::violation::{Report, Violation};

/// Numbers of the longest box, one of three dimensions.
const NUMBERS_MAX: usize = 6;

pub(super) fn check(
    known: &Known<'_>,
    here: &str,
    geometry: Option<&Geometry>,
    report: &mut Report,
) {
    let Some(value) = known.get(Name::Bbox) else {
        return;
    };
    let at = pointer::child(here, "bbox");
    let count = value.elements().take(NUMBERS_MAX + 1).count();
    let numbers: Vec<f64> = value
        .elements()
        .take(NUMBERS_MAX)
        .filter_map(|element| element.as_f64())
        .filter(|number| number.is_finite())
        .collect();
    if value.kind() != Kind::Array || numbers.len() != count || !matches!(count, 4 | 6) {
        let message = "`bbox` is not an array of four or six numbers";
        return report.push(Violation::new(Code::SchemaBbox, message).at(at, value.start));
    }
    let half = count / 2;
    let stated = [numbers[0], numbers[1], numbers[half], numbers[half + 1]];
    let misses = geometry
        .and_then(Geometry::bbox)
        .is_some_and(|real| !encloses(stated, real));
    if misses {
        let message = "`bbox` does not enclose the geometry";
        report.push(Violation::new(Code::SchemaBboxMisses, message).at(at, value.start));
    }
}

/// West may be greater than east: the box then crosses the antimeridian.
fn encloses(stated: [f64; 4], real: [f64; 4]) -> bool {
    let latitude = stated[1] <= real[1] && real[3] <= stated[3];
    let longitude = if stated[0] <= stated[2] {
        stated[0] <= real[0] && real[2] <= stated[2]
    } else {
        let within = |x: f64| x >= stated[0] || x <= stated[2];
        within(real[0]) && within(real[2])
    };
    latitude && longitude
}
