//! One Feature, or one bare geometry.

use super::declared::Level;
use super::document::{duplicates, foreign, missing, type_of, unknown_type, wrong_kind};
use super::known::{Known, Name};
use super::{Course, Feature, bbox, geometry};
use crate::code::Code;
use crate::json::{Kind, Value};
use crate::pointer;
use crate::repair::Derivation;
use crate::violation::{Report, Violation};

fn report_of(course: &Course<'_>) -> Report {
    Report::new(usize::try_from(course.ask.limits.violations_max).unwrap_or(usize::MAX))
}

/// A bare geometry stands for a feature without id and properties.
pub(super) fn bare<'a>(known: &Known<'a>, outer: &Level, course: &mut Course<'_>) -> Feature<'a> {
    let mut report = report_of(course);
    let read = geometry::read(known, "", outer, course, &mut report);
    read.level.tell(course, &mut report);
    let feature = Feature {
        index: course.first,
        value: known.object,
        whole: false,
        pointer: String::new(),
        geometry: read.geometry,
        reprojected: read.level.to_reproject(),
        derivation: read.derivation,
        edits: read.edits,
        declared: read.level.declared,
        report,
    };
    finish(feature, course)
}

pub(super) fn read<'a>(
    known: &Known<'a>,
    index: u32,
    pointer: String,
    outer: &Level,
    course: &mut Course<'_>,
) -> Feature<'a> {
    let mut report = report_of(course);
    let mut feature = Feature {
        index,
        value: known.object,
        whole: true,
        geometry: None,
        reprojected: None,
        derivation: Derivation::default(),
        edits: Vec::new(),
        declared: outer.declared.clone(),
        report: Report::new(0),
        pointer,
    };
    if is_feature(known, &feature.pointer, &mut report) {
        let level = outer.nearer(known, &feature.pointer, &mut report);
        members(known, &feature.pointer, &mut report);
        feature.declared.clone_from(&level.declared);
        geometry_of(known, &mut feature, &level, course, &mut report);
        bbox::check(
            known,
            &feature.pointer,
            feature
                .geometry
                .as_ref()
                .filter(|_| feature.reprojected.is_none() && feature.derivation.is_none()),
            &mut report,
        );
    }
    feature.report = report;
    finish(feature, course)
}

fn finish<'a>(mut feature: Feature<'a>, course: &mut Course<'_>) -> Feature<'a> {
    let Value { start, end, .. } = feature.value;
    duplicates(course.index, start, end, &mut feature.report);
    course.pass(feature.value);
    feature.report.assign(feature.index);
    feature.report.sort();
    feature
}

fn is_feature(known: &Known<'_>, pointer: &str, report: &mut Report) -> bool {
    let value = known.object;
    if !known.is_object() {
        let message = format!("a feature is {}, not an object", value.kind().as_str());
        report.push(Violation::new(Code::SchemaFeatureExpected, message).at(pointer, value.start));
        return false;
    }
    match type_of(known, pointer, report).as_deref() {
        Some("Feature") => true,
        Some(other) => {
            let mut violation = unknown_type(known, pointer, other);
            violation.code = Code::SchemaFeatureExpected;
            report.push(violation);
            false
        }
        None => false,
    }
}

fn members(known: &Known<'_>, pointer: &str, report: &mut Report) {
    match known.get(Name::Properties) {
        None => report.push(missing(known.object, pointer, "properties")),
        Some(properties) if matches!(properties.kind(), Kind::Object | Kind::Null) => {}
        Some(properties) => {
            let at = pointer::child(pointer, "properties");
            report.push(wrong_kind(
                properties,
                &at,
                "properties",
                "an object or null",
            ));
        }
    }
    if let Some(id) = known.get(Name::Id)
        && !matches!(id.kind(), Kind::String | Kind::Number)
    {
        let message = format!("`id` is {}, not a string or a number", id.kind().as_str());
        let at = pointer::child(pointer, "id");
        report.push(Violation::new(Code::SchemaIdType, message).at(at, id.start));
    }
    foreign(
        known,
        pointer,
        &[Name::Coordinates, Name::Geometries, Name::Features],
        report,
    );
}

fn geometry_of(
    known: &Known<'_>,
    feature: &mut Feature<'_>,
    level: &Level,
    course: &mut Course<'_>,
    report: &mut Report,
) {
    let Some(value) = known.get(Name::Geometry) else {
        level.tell(course, report);
        return report.push(missing(feature.value, &feature.pointer, "geometry"));
    };
    if value.kind() == Kind::Null {
        return level.tell(course, report);
    }
    let at = pointer::child(&feature.pointer, "geometry");
    if value.kind() != Kind::Object {
        level.tell(course, report);
        return report.push(wrong_kind(value, &at, "geometry", "an object or null"));
    }
    let read = geometry::read(&Known::of(value), &at, level, course, report);
    read.level.tell(course, report);
    feature.geometry = read.geometry;
    feature.reprojected = read.level.to_reproject();
    feature.derivation = read.derivation;
    feature.edits = read.edits;
    feature.declared = read.level.declared;
}
