//! Longitude within 180 degrees, latitude within 90; and what the numbers suggest when
//! they are not. H3 takes latitude 95 without complaint, so it is asked only after this.

use super::located::Located;
use crate::code::Code;
use crate::decimal::push_number;
use crate::violation::{Report, Violation};

/// A longitude of 17 digits, and the words.
const MESSAGE_BYTES_USUAL: usize = 64;

pub(super) fn check(located: &Located<'_>, report: &mut Report) {
    let [west, south, east, north] = extent(located);
    if west < -180.0 || east > 180.0 || south < -90.0 || north > 90.0 {
        beyond(located, report);
    }
    if east - west > 180.0 {
        antimeridian(located, report);
    }
}

/// West, south, east, north of all positions.
fn extent(located: &Located<'_>) -> [f64; 4] {
    let start = [
        f64::INFINITY,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NEG_INFINITY,
    ];
    let grow = |[west, south, east, north]: [f64; 4], [x, y]: [f64; 2]| {
        [
            if x < west { x } else { west },
            if y < south { y } else { south },
            if x > east { x } else { east },
            if y > north { y } else { north },
        ]
    };
    located.primitive.positions().fold(start, grow)
}

/// Tells each position that is no longitude and latitude.
fn beyond(located: &Located<'_>, report: &mut Report) {
    let (mut outside, mut swappable, mut projected) = (0_usize, 0_usize, 0_usize);
    for (vertex, [x, y]) in located.primitive.positions().enumerate() {
        let longitude_off = !(-180.0..=180.0).contains(&x);
        let latitude_off = !(-90.0..=90.0).contains(&y);
        if longitude_off {
            let code = Code::CrsLongitudeRange;
            report.push_with(code, || violation(located, vertex, code, [x, y]));
        }
        if latitude_off {
            let code = Code::CrsLatitudeRange;
            report.push_with(code, || violation(located, vertex, code, [x, y]));
        }
        outside += usize::from(longitude_off || latitude_off);
        swappable += usize::from(latitude_off && !longitude_off && (-90.0..=90.0).contains(&x));
        projected += usize::from(x.abs() > 1_000.0 && y.abs() > 1_000.0);
    }
    if projected > 0 && projected == located.primitive.vertices() {
        let message = "every position is thousands of degrees away: metres are not degrees";
        report.push(
            Violation::new(Code::CrsLooksProjected, message)
                .at(located.pointer.as_str(), located.start),
        );
    } else if swappable > 0 && swappable == outside {
        let message = "latitude and longitude would fit if they were swapped";
        report.push(
            Violation::new(Code::CrsAxisSwapped, message)
                .at(located.pointer.as_str(), located.start),
        );
    }
}

fn violation(located: &Located<'_>, vertex: usize, code: Code, position: [f64; 2]) -> Violation {
    let (place, pointer, offset) = located.place_of(vertex);
    let (name, number, range) = if code == Code::CrsLongitudeRange {
        ("longitude ", position[0], " is outside -180 to 180")
    } else {
        ("latitude ", position[1], " is outside -90 to 90")
    };
    let mut message = String::with_capacity(MESSAGE_BYTES_USUAL);
    message.push_str(name);
    push_number(&mut message, number);
    message.push_str(range);
    Violation::new(code, message)
        .at(pointer, offset)
        .located(position, place)
}

/// An edge more than half-way round the earth was meant to go the other way.
fn antimeridian(located: &Located<'_>, report: &mut Report) {
    for ring in located.primitive.rings() {
        let mut previous: Option<f64> = None;
        for vertex in ring {
            let at = vertex * located.primitive.stride;
            let Some(x) = located.primitive.coordinates.get(at).copied() else {
                return;
            };
            let crosses = previous.is_some_and(|from| {
                (x - from).abs() > 180.0 && from.abs() <= 180.0 && x.abs() <= 180.0
            });
            if crosses {
                let (place, pointer, offset) = located.place_of(vertex);
                let y = located
                    .primitive
                    .coordinates
                    .get(at + 1)
                    .copied()
                    .unwrap_or_default();
                let message = "an edge spans more than 180 degrees of longitude";
                return report.push(
                    Violation::new(Code::GeometryAntimeridian, message)
                        .at(pointer, offset)
                        .located([x, y], place),
                );
            }
            previous = Some(x);
        }
    }
}
