//! The JSON form: one line a feature. Members that the form names are always there, null
//! where they do not apply; an overlap has `location_end` besides, and what is in a sequence
//! its `record`.

use crate::finding::Finding;
use crate::survey::Survey;
use hexlane_core::violation::Violation;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    feature: Option<u32>,
    valid: bool,
    violations: Vec<LineViolation<'a>>,
}

#[derive(Serialize)]
struct LineViolation<'a> {
    code: &'static str,
    stage: &'static str,
    severity: &'static str,
    clause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<u32>,
    pointer: &'a str,
    byte_offset: Option<u64>,
    location: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location_end: Option<[f64; 2]>,
    part: Option<u32>,
    ring: Option<u32>,
    vertex: Option<u32>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    hint: &'static str,
}

/// Writes the document's line, when there is something to say of it, and one a feature.
pub(crate) fn write(file: &str, survey: &Survey, out: &mut impl Write) -> io::Result<()> {
    for finding in survey.findings() {
        serde_json::to_writer(&mut *out, &line(file, finding))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn line<'a>(file: &'a str, finding: &'a Finding) -> Line<'a> {
    Line {
        file,
        feature: finding.feature,
        valid: finding.is_valid(),
        violations: finding.violations.iter().map(line_violation).collect(),
    }
}

fn line_violation(violation: &Violation) -> LineViolation<'_> {
    LineViolation {
        code: violation.code.as_str(),
        stage: violation.code.stage().as_str(),
        severity: violation.code.severity().as_str(),
        clause: violation.code.clause(),
        record: violation.record,
        pointer: &violation.pointer,
        byte_offset: violation.byte_offset,
        location: violation.location,
        location_end: violation.location_end,
        part: violation.place.map(|place| place.part),
        ring: violation.place.map(|place| place.ring),
        vertex: violation.place.map(|place| place.vertex),
        message: &violation.message,
        reason: violation.reason(),
        hint: violation.code.hint(),
    }
}
