//! SARIF 2.1.0 (OASIS, 2020), which editors and code hosts show beside the lines it speaks
//! of. Section numbers are those of the standard.
//!
//! Columns are UTF-16 code units (`columnKind`), offsets and lengths bytes. Every code is a
//! rule, in the order of the table of codes, so that an index is the same in each run of
//! a version. Files that could not be read are notifications of the tool.

mod log;

use crate::file::File;
use crate::region;
use hexlane_core::code::{Code, Severity};
use hexlane_core::violation::{Counterpart, Violation};
use log::{
    ArtifactLocation, Driver, Invocation, Location, LogicalLocation, Message, Notification,
    Physical, Properties, Region, Rule, RuleConfiguration, SarifResult, Tool,
};
use std::io::{self, Write};

/// Where the results are relative to; the reader says what it is (section 3.14.14).
const BASE: &str = "%SRCROOT%";

/// Every code is a warning or an error.
const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// Writes what stands before the first result.
pub(crate) fn write_head(out: &mut impl Write) -> io::Result<()> {
    write!(
        out,
        concat!(
            r#"{{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","#,
            r#""runs":[{{"columnKind":"utf16CodeUnits","results":["#
        )
    )
}

/// Writes the violations of a file as results, each on a line, with commas between them.
pub(crate) fn write(file: &File<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut separator = "\n";
    for violation in file.survey.violations() {
        out.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut *out, &result(file, violation))?;
        separator = ",\n";
    }
    Ok(())
}

/// Writes what stands behind the last result: the tool, and what could not be read.
pub(crate) fn write_tail(unread: &[String], out: &mut impl Write) -> io::Result<()> {
    write!(out, "\n],\"tool\":")?;
    serde_json::to_writer(&mut *out, &tool())?;
    let notification = |text: &String| Notification {
        level: "error",
        message: Message { text: text.clone() },
    };
    let invocation = Invocation {
        execution_successful: unread.is_empty(),
        tool_execution_notifications: unread.iter().map(notification).collect(),
    };
    write!(out, ",\"invocations\":[")?;
    serde_json::to_writer(&mut *out, &invocation)?;
    writeln!(out, "]}}]}}")
}

fn tool() -> Tool {
    Tool {
        driver: Driver {
            name: "hexlane check",
            version: env!("CARGO_PKG_VERSION"),
            semantic_version: env!("CARGO_PKG_VERSION"),
            information_uri: env!("CARGO_PKG_REPOSITORY"),
            rules: Code::ALL.iter().copied().map(rule).collect(),
        },
    }
}

fn rule(code: Code) -> Rule {
    let words = code.as_str().replace(['.', '_'], " ");
    let text = |text: String| Message { text };
    Rule {
        id: code.as_str(),
        short_description: text(sentence(&words)),
        full_description: text(format!("{}. {}.", code.clause(), sentence(code.hint()))),
        help: text(format!("{}. See {}.", sentence(code.hint()), code.clause())),
        default_configuration: RuleConfiguration {
            level: level(code.severity()),
        },
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn result<'a>(file: &'a File<'_>, violation: &'a Violation) -> SarifResult<'a> {
    let code = violation.code;
    let other = violation.other.as_ref();
    SarifResult {
        rule_id: code.as_str(),
        rule_index: Code::ALL.iter().position(|each| *each == code),
        level: level(code.severity()),
        message: Message {
            text: format!("{}: {}", sentence(&violation.message), code.hint()),
        },
        locations: [Location {
            id: None,
            message: None,
            physical_location: physical(file, violation.byte_offset),
            logical_locations: logical(&violation.pointer),
        }],
        related_locations: other.map(|other| [related(file, other)]),
        properties: Properties {
            feature: violation.feature,
            record: violation.record,
            location: violation.location,
            location_end: violation.location_end,
            part: violation.place.map(|place| place.part),
            ring: violation.place.map(|place| place.ring),
            vertex: violation.place.map(|place| place.vertex),
        },
    }
}

fn related<'a>(file: &'a File<'_>, other: &'a Counterpart) -> Location<'a> {
    Location {
        id: Some(0),
        message: Some(Message {
            text: "the other one".to_owned(),
        }),
        physical_location: physical(file, Some(other.byte_offset)),
        logical_locations: logical(&other.pointer),
    }
}

fn logical(pointer: &str) -> Option<[LogicalLocation<'_>; 1]> {
    (!pointer.is_empty()).then_some([LogicalLocation {
        fully_qualified_name: pointer,
        kind: "value",
    }])
}

/// Code hosts show no result without a line: what has no offset stands at the first.
fn physical<'a>(file: &'a File<'_>, offset: Option<u64>) -> Physical<'a> {
    let relative = !file.uri.starts_with("file:");
    let start = offset.and_then(|offset| usize::try_from(offset).ok());
    Physical {
        artifact_location: ArtifactLocation {
            uri: file.uri,
            uri_base_id: relative.then_some(BASE),
        },
        region: start.map_or(Region::FIRST_LINE, |start| region_at(file, start)),
    }
}

fn region_at(file: &File<'_>, start: usize) -> Region {
    let start = start.min(file.body.len());
    let length = region::length(file.body, start);
    let (start_line, start_column) = file.places.of(start);
    let (end_line, end_column) = file.places.of(start + length);
    Region {
        start_line,
        start_column: Some(start_column),
        end_line: Some(end_line),
        end_column: Some(end_column),
        byte_offset: Some(start),
        byte_length: Some(length),
    }
}

#[cfg(test)]
mod tests;
