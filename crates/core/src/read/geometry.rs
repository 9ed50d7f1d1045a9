//! One geometry object; collections are walked with a list, not by recursion.

use super::declared::Level;
use super::document::{GEOMETRY_TYPES, foreign, missing, type_of, unknown_type, wrong_kind};
use super::{Course, bbox, positions, ranges, topology};
use crate::code::Code;
use crate::geometry::{Geometry, Primitive};
use crate::json::{Kind, Value};
use crate::pointer;
use crate::violation::{Report, Violation};
use ogc_validity::ShapeKind;

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
    /// Byte offset of each position.
    pub(super) offsets: Vec<usize>,
}

struct Pending<'a> {
    value: Value<'a>,
    pointer: String,
    level: Level,
    nested: bool,
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
    let mut todo = vec![Pending {
        value,
        pointer: pointer.to_owned(),
        level: level.clone(),
        nested: false,
    }];
    while let Some(next) = todo.pop() {
        if is_collection(next.value) {
            found = members(&next, &mut todo, report).and(found);
        } else {
            let primitive = primitive(&next, course, report);
            found = found.zip(primitive).map(|(mut found, primitive)| {
                found.push(primitive);
                found
            });
        }
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
    if pointer.is_empty() {
        bbox::check(value, pointer, geometry.as_ref(), report);
    }
    Read { geometry, level }
}

fn is_collection(value: Value<'_>) -> bool {
    value
        .member("type")
        .and_then(|kind| kind.as_text())
        .as_deref()
        == Some("GeometryCollection")
}

/// Puts a collection's members on the list; none when it has a fault.
fn members<'a>(here: &Pending<'a>, todo: &mut Vec<Pending<'a>>, report: &mut Report) -> Option<()> {
    if here.nested {
        let message = "a collection stands in a collection";
        report.push(
            Violation::new(Code::GeometryNestedCollection, message)
                .at(here.pointer.as_str(), here.value.start),
        );
    }
    foreign(
        here.value,
        &here.pointer,
        &["geometry", "properties", "features", "coordinates"],
        report,
    );
    let Some(geometries) = here.value.member("geometries") else {
        report.push(missing(here.value, &here.pointer, "geometries"));
        return None;
    };
    let at = pointer::child(&here.pointer, "geometries");
    if geometries.kind() != Kind::Array {
        report.push(wrong_kind(geometries, &at, "geometries", "an array"));
        return None;
    }
    let mut sound = Some(());
    let first = todo.len();
    for (index, value) in geometries.elements().enumerate() {
        let pointer = pointer::element(&at, index);
        if value.kind() == Kind::Object {
            let level = here.level.nearer(value, &pointer, report);
            todo.push(Pending {
                value,
                pointer,
                level,
                nested: true,
            });
        } else {
            report.push(wrong_kind(value, &pointer, "geometry", "an object"));
            sound = None;
        }
    }
    todo[first..].reverse();
    sound
}

fn primitive(
    here: &Pending<'_>,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Option<Primitive> {
    let kind = type_of(here.value, &here.pointer, report)?;
    let Some(shape) = shape_kind(&kind) else {
        report.push(unknown_type(here.value, &here.pointer, &kind));
        return None;
    };
    foreign(
        here.value,
        &here.pointer,
        &["geometry", "properties", "features", "geometries"],
        report,
    );
    let Some(coordinates) = here.value.member("coordinates") else {
        report.push(missing(here.value, &here.pointer, "coordinates"));
        return None;
    };
    let at = pointer::child(&here.pointer, "coordinates");
    let located = positions::read(coordinates, at, shape, course, report)?;
    if course.ask.judge {
        if here.level.is_crs84() {
            ranges::check(&located, report);
        }
        topology::judge(&located, course, report);
    }
    Some(located.primitive)
}

fn shape_kind(name: &str) -> Option<ShapeKind> {
    debug_assert!(
        GEOMETRY_TYPES.contains(&"GeometryCollection"),
        "collections are walked apart"
    );
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
