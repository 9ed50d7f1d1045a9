//! Longitude within 180 degrees, latitude within 90; and what the numbers suggest when
//! they are not. H3 takes latitude 95 without complaint, so it is asked only after this.

use super::geometry::Located;
use super::topology::place_of;
use crate::code::Code;
use crate::violation::{Report, Violation};

pub(super) fn check(located: &Located, report: &mut Report) {
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
    if projected > 0 && projected == located.offsets.len() {
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
    antimeridian(located, report);
}

fn violation(located: &Located, vertex: usize, code: Code, position: [f64; 2]) -> Violation {
    let (place, pointer, offset) = place_of(located, vertex);
    let message = if code == Code::CrsLongitudeRange {
        format!("longitude {} is outside -180 to 180", position[0])
    } else {
        format!("latitude {} is outside -90 to 90", position[1])
    };
    Violation::new(code, message)
        .at(pointer, offset)
        .located(position, place)
}

/// An edge more than half-way round the earth was meant to go the other way.
fn antimeridian(located: &Located, report: &mut Report) {
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
                let (place, pointer, offset) = place_of(located, vertex);
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
