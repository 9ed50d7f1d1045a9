//! One geometry object; collections are walked with a list, not by recursion.

use super::declared::Level;
use super::document::{foreign, missing, type_of, unknown_type, wrong_kind};
use super::{Course, bbox, positions, ranges, topology};
use crate::code::Code;
use crate::geometry::{Geometry, Primitive};
use crate::json::{Elements, Kind, Value};
use crate::pointer;
use crate::violation::{Report, Violation};
use ogc_validity::ShapeKind;
use std::iter::Enumerate;

/// A geometry as read and the CRS in force inside it.
pub(super) struct Read {
    /// None when it has a fault that leaves it unreadable.
    pub(super) geometry: Option<Geometry>,
    pub(super) level: Level,
}

/// A primitive, and how its places map back to the document.
pub(super) struct Located {
    pub(super) primitive: Primitive,
    /// Pointer to its `coordinates`.
    pub(super) pointer: String,
    /// Where they start, in bytes.
    pub(super) start: usize,
    /// Byte offset of each position.
    pub(super) offsets: Vec<usize>,
}

struct Pending<'a> {
    value: Value<'a>,
    pointer: String,
    level: Level,
    nested: bool,
}

/// A collection whose members are being walked. Members wait as bytes, not in a list: a
/// body may hold millions of them.
struct Open<'a> {
    members: Enumerate<Elements<'a>>,
    pointer: String,
    level: Level,
}

pub(super) fn read(
    value: Value<'_>,
    pointer: &str,
    outer: &Level,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Read {
    let level = outer.nearer(value, pointer, report);
    let collection = is_collection(value);
    let mut found = Some(Vec::new());
    let mut open = Vec::new();
    let mut next = Some(Pending {
        value,
        pointer: pointer.to_owned(),
        level: level.clone(),
        nested: false,
    });
    while let Some(here) = next {
        if is_collection(here.value) {
            found = enter(here, &mut open, report).and(found);
        } else {
            if here.level.to_reproject() != level.to_reproject() {
                let message = "a member of the collection declares another system than it";
                report.push(
                    Violation::new(Code::CrsConflict, message)
                        .at(here.pointer.as_str(), here.value.start),
                );
            }
            let primitive = primitive(&here, course, report);
            found = found.zip(primitive).map(|(mut found, primitive)| {
                found.push(primitive);
                found
            });
        }
        next = step(&mut open, &mut found, report);
    }
    let geometry = found.map(|primitives| Geometry {
        collection,
        primitives,
    });
    let geometry = geometry.filter(|geometry| {
        let empty = geometry.vertices() == 0;
        if empty && collection {
            let message = "the collection is empty";
            report.push(Violation::new(Code::GeometryEmpty, message).at(pointer, value.start));
        }
        !empty
    });
    // A bbox is in the declared system, the geometry no longer.
    let beside = geometry.as_ref().filter(|_| level.to_reproject().is_none());
    bbox::check(value, pointer, beside, report);
    Read { geometry, level }
}

fn is_collection(value: Value<'_>) -> bool {
    value
        .member("type")
        .and_then(|kind| kind.as_text())
        .as_deref()
        == Some("GeometryCollection")
}

/// Opens a collection; none when it has a fault.
fn enter<'a>(here: Pending<'a>, open: &mut Vec<Open<'a>>, report: &mut Report) -> Option<()> {
    if here.nested {
        report.push_with(Code::GeometryNestedCollection, || {
            let message = "a collection stands in a collection";
            Violation::new(Code::GeometryNestedCollection, message)
                .at(here.pointer.as_str(), here.value.start)
        });
        bbox::check(here.value, &here.pointer, None, report);
    }
    foreign(
        here.value,
        &here.pointer,
        &["geometry", "properties", "features"],
        report,
    );
    let Some(geometries) = here.value.member("geometries") else {
        report.push(missing(here.value, &here.pointer, "geometries"));
        return None;
    };
    let pointer = pointer::child(&here.pointer, "geometries");
    if geometries.kind() != Kind::Array {
        report.push(wrong_kind(geometries, &pointer, "geometries", "an array"));
        return None;
    }
    open.push(Open {
        members: geometries.elements().enumerate(),
        pointer,
        level: here.level,
    });
    Some(())
}

/// The next member in document order; `found` is lost at one that is no object.
fn step<'a>(
    open: &mut Vec<Open<'a>>,
    found: &mut Option<Vec<Primitive>>,
    report: &mut Report,
) -> Option<Pending<'a>> {
    loop {
        let here = open.last_mut()?;
        let Some((index, value)) = here.members.next() else {
            open.pop();
            continue;
        };
        if value.kind() == Kind::Object {
            let pointer = pointer::element(&here.pointer, index);
            let level = here.level.nearer(value, &pointer, report);
            return Some(Pending {
                value,
                pointer,
                level,
                nested: true,
            });
        }
        report.push_with(Code::SchemaMemberType, || {
            let pointer = pointer::element(&here.pointer, index);
            wrong_kind(value, &pointer, "geometry", "an object")
        });
        *found = None;
    }
}

fn primitive(
    here: &Pending<'_>,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Option<Primitive> {
    let kind = type_of(here.value, &here.pointer, report)?;
    if here.nested {
        bbox::check(here.value, &here.pointer, None, report);
    }
    let Some(shape) = shape_kind(&kind) else {
        report.push(unknown_type(here.value, &here.pointer, &kind));
        return None;
    };
    foreign(
        here.value,
        &here.pointer,
        &["geometry", "properties", "features"],
        report,
    );
    let Some(coordinates) = here.value.member("coordinates") else {
        report.push(missing(here.value, &here.pointer, "coordinates"));
        return None;
    };
    let at = pointer::child(&here.pointer, "coordinates");
    #[cfg_attr(
        not(feature = "reproject"),
        allow(unused_mut, reason = "only reprojecting changes coordinates")
    )]
    let mut located = positions::read(coordinates, at, shape, course, report)?;
    if course.ask.judge {
        if here.level.is_crs84() {
            ranges::check(&located, report);
        }
        topology::judge(&located, course, report);
        #[cfg(feature = "reproject")]
        if let Some(code) = here.level.to_reproject() {
            super::reproject::reproject(code, &mut located, report);
        }
    }
    Some(located.primitive)
}

fn shape_kind(name: &str) -> Option<ShapeKind> {
    match name {
        "Point" => Some(ShapeKind::Point),
        "MultiPoint" => Some(ShapeKind::MultiPoint),
        "LineString" => Some(ShapeKind::LineString),
        "MultiLineString" => Some(ShapeKind::MultiLineString),
        "Polygon" => Some(ShapeKind::Polygon),
        "MultiPolygon" => Some(ShapeKind::MultiPolygon),
        _ => None,
    }
}
