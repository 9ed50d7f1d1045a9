//! The form for people: one line a violation, as compilers write them, and a summary.

use super::survey::Survey;
use crate::place::Places;
use hexlane_core::violation::Violation;
use std::io::{self, Write};

/// Writes every violation and, last, how many features are valid.
pub(crate) fn write(
    file: &str,
    body: &[u8],
    survey: &Survey,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut places = Places::new(body);
    for violation in survey.findings().flat_map(|finding| &finding.violations) {
        write_violation(file, violation, &mut places, out)?;
    }
    let (all, valid) = (survey.features.len(), survey.valid());
    let noun = if all == 1 { "feature" } else { "features" };
    writeln!(
        out,
        "{file}: {all} {noun}, {valid} valid, {} not",
        all - valid
    )
}

fn write_violation(
    file: &str,
    violation: &Violation,
    places: &mut Places<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{file}:")?;
    if let Some(offset) = violation.byte_offset {
        let (line, column) = places.of(usize::try_from(offset).unwrap_or(usize::MAX));
        write!(out, "{line}:{column}:")?;
    }
    let code = violation.code;
    write!(
        out,
        " {} {}: {}",
        code.severity().as_str(),
        code.as_str(),
        violation.message
    )?;
    if let Some([x, y]) = violation.location {
        write!(out, " at [{x} {y}]")?;
    }
    if let Some([x, y]) = violation.location_end {
        write!(out, " to [{x} {y}]")?;
    }
    if !violation.pointer.is_empty() {
        write!(out, " in {}", violation.pointer)?;
    }
    writeln!(out, " ({}; {})", code.hint(), code.clause())
}
