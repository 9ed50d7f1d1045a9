//! One geometry object; collections are walked with a list, not by recursion.

use super::declared::Level;
use super::document::{foreign, missing, type_of, unknown_type, wrong_kind};
use super::edit::Edit;
use super::known::{Known, Name};
use super::{Course, bbox, derive, positions};
use crate::code::Code;
use crate::geometry::{Geometry, Primitive};
use crate::json::{Elements, Kind};
use crate::pointer;
use crate::repair::{self, Derivation};
use crate::violation::{Report, Violation};
use ogc_validity::ShapeKind;
use std::iter::Enumerate;

/// A geometry as read and the CRS in force inside it.
pub(super) struct Read {
    /// None when it has a fault that leaves it unreadable.
    pub(super) geometry: Option<Geometry>,
    pub(super) level: Level,
    /// What was done to it.
    pub(super) derivation: Derivation,
    pub(super) edits: Vec<Edit>,
}

/// What was made of the primitives so far.
#[derive(Default)]
pub(super) struct Derived {
    pub(super) derivation: Derivation,
    pub(super) edits: Vec<Edit>,
}

impl Derived {
    /// Takes over what was done to one primitive in the declared system.
    pub(super) fn in_declared(&mut self, changes: &[repair::Change]) {
        repair::add(&mut self.derivation.declared, changes);
    }

    /// The same, in degrees after reprojecting.
    #[cfg(feature = "reproject")]
    pub(super) fn in_degrees(&mut self, changes: &[repair::Change]) {
        repair::add(&mut self.derivation.degrees, changes);
    }
}

struct Pending<'a> {
    known: Known<'a>,
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
    known: &Known<'_>,
    pointer: &str,
    outer: &Level,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Read {
    let level = outer.nearer(known, pointer, report);
    let collection = is_collection(known);
    let mut found = Some(Vec::new());
    let mut derived = Derived::default();
    let mut open = Vec::new();
    let mut next = Some(Pending {
        known: *known,
        pointer: pointer.to_owned(),
        level: level.clone(),
        nested: false,
    });
    while let Some(here) = next {
        if is_collection(&here.known) {
            found = enter(here, &mut open, report).and(found);
        } else {
            if here.level.to_reproject() != level.to_reproject() {
                let message = "a member of the collection declares another system than it";
                report.push(
                    Violation::new(Code::CrsConflict, message)
                        .at(here.pointer.as_str(), here.known.object.start),
                );
            }
            let primitive = primitive(&here, course, &mut derived, report);
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
            let start = known.object.start;
            report.push(Violation::new(Code::GeometryEmpty, message).at(pointer, start));
        }
        !empty
    });
    // A bbox is of what was sent, the geometry perhaps no longer.
    let mut derivation = derived.derivation;
    derivation.sort_by(course.ask.repair);
    let as_sent = level.to_reproject().is_none() && derivation.is_none();
    bbox::check(
        known,
        pointer,
        geometry.as_ref().filter(|_| as_sent),
        report,
    );
    Read {
        geometry,
        level,
        derivation,
        edits: derived.edits,
    }
}

fn is_collection(known: &Known<'_>) -> bool {
    known
        .get(Name::Type)
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
                .at(here.pointer.as_str(), here.known.object.start)
        });
        bbox::check(&here.known, &here.pointer, None, report);
    }
    foreign(
        &here.known,
        &here.pointer,
        &[Name::Geometry, Name::Properties, Name::Features],
        report,
    );
    let Some(geometries) = here.known.get(Name::Geometries) else {
        report.push(missing(here.known.object, &here.pointer, "geometries"));
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
            let known = Known::of(value);
            let level = here.level.nearer(&known, &pointer, report);
            level.tell_member(&here.level, report);
            return Some(Pending {
                known,
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
    derived: &mut Derived,
    report: &mut Report,
) -> Option<Primitive> {
    let kind = type_of(&here.known, &here.pointer, report)?;
    if here.nested {
        bbox::check(&here.known, &here.pointer, None, report);
    }
    let Some(shape) = shape_kind(&kind) else {
        report.push(unknown_type(&here.known, &here.pointer, &kind));
        return None;
    };
    foreign(
        &here.known,
        &here.pointer,
        &[Name::Geometry, Name::Properties, Name::Features],
        report,
    );
    let Some(coordinates) = here.known.get(Name::Coordinates) else {
        report.push(missing(here.known.object, &here.pointer, "coordinates"));
        return None;
    };
    let at = pointer::child(&here.pointer, "coordinates");
    let mut located = positions::read(coordinates, at, shape, course, report)?;
    if course.ask.judge {
        let text = derive::Text {
            kind: here.known.get(Name::Type),
            coordinates,
        };
        derive::derive(&mut located, text, &here.level, course, derived, report);
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
