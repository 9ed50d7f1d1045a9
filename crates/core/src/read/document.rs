//! The document: its bytes, its root, its features.

use super::declared::Level;
use super::known::{Known, Name};
use super::{Ask, Course, Feature, Share, feature};
use crate::code::Code;
use crate::json::{self, Index, Kind, Sieved, SyntaxFault, SyntaxKind, Value};
use crate::pointer;
use crate::violation::{Report, Violation};
use std::borrow::Cow;

/// Names of RFC 7946 geometry types.
pub(super) const GEOMETRY_TYPES: [&str; 7] = [
    "Point",
    "MultiPoint",
    "LineString",
    "MultiLineString",
    "Polygon",
    "MultiPolygon",
    "GeometryCollection",
];

/// 4 GiB, whatever the limits say: offsets within a text are 32 bits wide.
const TEXT_BYTES_MAX: u64 = u32::MAX as u64;

/// Reads a document; `visit` gets each feature once. The report holds what concerns the
/// document as a whole.
pub(crate) fn read<'a>(body: &'a [u8], ask: Ask<'a>, visit: impl FnMut(Feature<'_>)) -> Report {
    read_part(body, ask, &mut Share::of(ask.limits), visit)
}

/// Reads one of the documents of a request; places are those within it.
pub(crate) fn read_part<'a>(
    body: &'a [u8],
    ask: Ask<'a>,
    share: &mut Share,
    mut visit: impl FnMut(Feature<'_>),
) -> Report {
    let kept_max = usize::try_from(ask.limits.violations_max).unwrap_or(usize::MAX);
    let mut report = Report::new(kept_max);
    let (text, index) = match outline(body, ask) {
        Ok(outline) => outline,
        Err(refused) => return refused,
    };
    features(text, &index, ask, share, &mut report, &mut visit);
    report
}

/// Reads a document that came in chunks. None when something in it must be seen as it was
/// sent, and no longer can: what was visited and told does not count then.
pub(crate) fn read_sieved(
    sieved: Sieved,
    ask: Ask<'_>,
    mut visit: impl FnMut(Feature<'_>),
) -> Option<Report> {
    let kept_max = usize::try_from(ask.limits.violations_max).unwrap_or(usize::MAX);
    let mut report = Report::new(kept_max);
    let tables = sieved.tables;
    let text = match text(&sieved.text, sieved.bytes, ask) {
        Ok(text) => text,
        Err(violation) => {
            let mut refused = Report::of(*violation);
            refused.shift(|offset| tables.in_body(offset));
            return Some(refused);
        }
    };
    let (index, fault) = json::validate_sieved(text, ask.limits.depth_max, tables);
    let tables = &index.tables;
    if let Some(fault) = fault {
        let mut refused = Report::of(syntax(fault, ask));
        refused.shift(|offset| tables.in_body(offset));
        return Some(refused);
    }
    let mut visit = |mut feature: Feature<'_>| {
        feature.report.shift(|offset| tables.in_body(offset));
        feature.report.sort();
        visit(feature);
    };
    let mut share = Share::of(ask.limits);
    features(text, &index, ask, &mut share, &mut report, &mut visit);
    report.shift(|offset| tables.in_body(offset));
    report.sort();
    (!tables.missed()).then_some(report)
}

fn features(
    text: &str,
    index: &Index,
    ask: Ask<'_>,
    share: &mut Share,
    report: &mut Report,
    visit: &mut impl FnMut(Feature<'_>),
) {
    let root = Value::root(text, index);
    let mut course = Course {
        ask,
        index,
        features: root.start..root.start,
        first: share.first,
        vertices_left: share.vertices_left,
        work_left: share.work_left,
        outside_in_force: false,
        repair_left: share.repair_left,
        #[cfg(feature = "reproject")]
        ways: std::mem::take(&mut share.ways),
    };
    walk(root, &mut course, report, visit);
    share.vertices_left = course.vertices_left;
    share.work_left = course.work_left;
    share.repair_left = course.repair_left;
    #[cfg(feature = "reproject")]
    {
        share.ways = std::mem::take(&mut course.ways);
    }
    duplicates(index, 0, course.features.start, report);
    duplicates(index, course.features.end, text.len(), report);
    report.sort();
}

/// The text of a document, and where its containers end.
pub(crate) fn outline<'a>(body: &'a [u8], ask: Ask<'_>) -> Result<(&'a str, Index), Report> {
    let text = text(body, body.len() as u64, ask).map_err(|violation| Report::of(*violation))?;
    let index = json::validate(text, ask.limits.depth_max);
    let index = index.map_err(|fault| Report::of(syntax(fault, ask)))?;
    Ok((text, index))
}

/// The error of a body that is larger than it may be.
pub(crate) fn oversized(bytes_max: u64) -> Violation {
    let message = format!("the body is larger than {bytes_max} bytes");
    Violation::new(Code::LimitBytes, message).at("", 0)
}

/// The text, of a body of so many bytes.
fn text<'a>(body: &'a [u8], bytes: u64, ask: Ask<'_>) -> Result<&'a str, Box<Violation>> {
    let refuse = |code, message: &str, at| Box::new(Violation::new(code, message).at("", at));
    let most = ask.limits.body_bytes_max.min(TEXT_BYTES_MAX);
    if bytes > most {
        return Err(Box::new(oversized(most)));
    }
    let text = std::str::from_utf8(body).map_err(|error| {
        refuse(
            Code::ParseUtf8,
            "the body is not UTF-8",
            error.valid_up_to(),
        )
    })?;
    if text.starts_with('\u{feff}') {
        return Err(refuse(
            Code::ParseBom,
            "the body starts with a byte order mark",
            0,
        ));
    }
    if text.trim_matches([' ', '\n', '\r', '\t']).is_empty() {
        return Err(refuse(Code::ParseEmpty, "the body is empty", 0));
    }
    Ok(text)
}

fn syntax(fault: SyntaxFault, ask: Ask<'_>) -> Violation {
    let (code, message) = match fault.kind {
        SyntaxKind::Unexpected => (Code::ParseSyntax, "this is not JSON".to_owned()),
        SyntaxKind::ControlCharacter => (
            Code::ParseSyntax,
            "a control character stands raw in a string".to_owned(),
        ),
        SyntaxKind::Escape => (Code::ParseSyntax, "JSON has no such escape".to_owned()),
        SyntaxKind::Number => (Code::ParseSyntax, "JSON has no such number".to_owned()),
        SyntaxKind::LoneSurrogate => (
            Code::ParseLoneSurrogate,
            "half a surrogate pair stands alone".to_owned(),
        ),
        SyntaxKind::TrailingBytes => (
            Code::ParseTrailingBytes,
            "bytes follow the JSON text".to_owned(),
        ),
        SyntaxKind::Depth => (
            Code::LimitDepth,
            format!("nested more than {} deep", ask.limits.depth_max),
        ),
    };
    Violation::new(code, message).at("", fault.at)
}

/// Tells the duplicates from `start` to `end` (exclusive): all are counted, the first kept.
pub(crate) fn duplicates(index: &Index, start: usize, end: usize, report: &mut Report) {
    let mut kept = 0;
    for duplicate in &index.duplicates {
        if (start..end).contains(&duplicate.at) {
            let message = format!(
                "member `{}` stands twice in one object",
                clip(&duplicate.name)
            );
            report.push(
                Violation::new(Code::ParseDuplicateMember, message)
                    .at(duplicate.pointer.as_str(), duplicate.at),
            );
            kept += 1;
        }
    }
    let total = index.duplicates_within(start, end);
    report.count(
        Code::ParseDuplicateMember,
        total.saturating_sub(kept) as u64,
    );
}

/// Text of a sender in a sentence of ours: enough to recognize it.
pub(super) fn clip(text: &str) -> String {
    const LETTERS_MAX: usize = 60;
    let mut clipped: String = text.chars().take(LETTERS_MAX).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

fn walk(
    root: Value<'_>,
    course: &mut Course<'_>,
    report: &mut Report,
    visit: &mut impl FnMut(Feature<'_>),
) {
    if root.kind() != Kind::Object {
        let message = format!(
            "the document is {}, not a GeoJSON object",
            root.kind().as_str()
        );
        return report.push(Violation::new(Code::SchemaNotObject, message).at("", root.start));
    }
    let known = Known::of(root);
    let Some(kind) = type_of(&known, "", report) else {
        return;
    };
    let mut outside = Level::of_header(&course.ask);
    match &*kind {
        "FeatureCollection" => {
            outside = outside.around(&known, report);
            collection(&known, &outside, course, report, visit);
        }
        "Feature" => {
            let first = course.first;
            visit(feature::read(
                &known,
                first,
                String::new(),
                &outside,
                course,
            ));
        }
        name if GEOMETRY_TYPES.contains(&name) => visit(feature::bare(&known, &outside, course)),
        other => report.push(unknown_type(&known, "", other)),
    }
    outside.tell_outside(course, report);
}

fn collection(
    root: &Known<'_>,
    level: &Level,
    course: &mut Course<'_>,
    report: &mut Report,
    visit: &mut impl FnMut(Feature<'_>),
) {
    super::bbox::check(root, "", None, report);
    foreign(
        root,
        "",
        &[
            Name::Coordinates,
            Name::Geometries,
            Name::Geometry,
            Name::Properties,
        ],
        report,
    );
    let Some(features) = root.get(Name::Features) else {
        return report.push(missing(root.object, "", "features"));
    };
    if features.kind() != Kind::Array {
        return report.push(wrong_kind(features, "/features", "features", "an array"));
    }
    for (index, value) in features.elements().enumerate() {
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let number = course.first.saturating_add(number);
        let pointer = pointer::element("/features", index);
        if number >= course.ask.limits.features_max {
            let most = course.ask.limits.features_max;
            let message = format!("more than {most} features in one request");
            return report
                .push(Violation::new(Code::LimitFeatures, message).at(pointer, value.start));
        }
        visit(feature::read(
            &Known::of(value),
            number,
            pointer,
            level,
            course,
        ));
    }
}

/// The `type` member, or a violation.
pub(super) fn type_of<'a>(
    known: &Known<'a>,
    pointer: &str,
    report: &mut Report,
) -> Option<Cow<'a, str>> {
    let Some(value) = known.get(Name::Type) else {
        report.push_with(Code::SchemaTypeMissing, || {
            let message = "the object has no `type`";
            Violation::new(Code::SchemaTypeMissing, message).at(pointer, known.object.start)
        });
        return None;
    };
    let kind = value.as_text();
    if kind.is_none() {
        let at = pointer::child(pointer, "type");
        report.push(wrong_kind(value, &at, "type", "a string"));
    }
    kind
}

pub(super) fn unknown_type(known: &Known<'_>, pointer: &str, kind: &str) -> Violation {
    let named = known.get(Name::Type).unwrap_or(known.object);
    let start = named.start;
    let message = format!("`{}` is not a GeoJSON type here", clip(kind));
    Violation::new(Code::SchemaTypeUnknown, message).at(pointer::child(pointer, "type"), start)
}

pub(super) fn missing(object: Value<'_>, pointer: &str, member: &str) -> Violation {
    let message = format!("the object has no `{member}`");
    Violation::new(Code::SchemaMemberMissing, message).at(pointer, object.start)
}

pub(super) fn wrong_kind(value: Value<'_>, pointer: &str, member: &str, wanted: &str) -> Violation {
    let message = format!("`{member}` is {}, not {wanted}", value.kind().as_str());
    Violation::new(Code::SchemaMemberType, message).at(pointer, value.start)
}

/// Members that define another kind of object (RFC 7946 section 7.1).
pub(super) fn foreign(known: &Known<'_>, pointer: &str, names: &[Name], report: &mut Report) {
    for (name, value) in known.all(names) {
        let name = name.as_str();
        let message = format!("`{name}` does not belong into this kind of object");
        let at = pointer::child(pointer, name);
        report.push(Violation::new(Code::SchemaMemberForeign, message).at(at, value.start));
    }
}
