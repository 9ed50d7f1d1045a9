//! The form for people: one line a violation, as compilers write them, a drawing of its place
//! where that is wanted, and a summary.

use crate::drawing::{self, Drawing};
use crate::file::File;
use crate::printable::printable;
use hexlane_core::violation::Violation;
use std::io::{self, Write};

/// Drawings of one file: a person looks at no more.
const DRAWINGS_MAX: usize = 10;

/// How a terminal is drawn on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawings {
    /// Not at all: there is no terminal.
    #[default]
    None,
    /// In one colour.
    Plain,
    /// With the mark in red.
    Coloured,
}

impl Drawings {
    const fn mark(self) -> &'static str {
        match self {
            Self::None | Self::Plain => "✗",
            Self::Coloured => "\u{1b}[1;31m✗\u{1b}[0m",
        }
    }
}

/// Writes every violation and, last, how many features are valid.
pub(crate) fn write(file: &File<'_>, drawings: Drawings, out: &mut impl Write) -> io::Result<()> {
    let name = printable(file.name);
    let mut left = DRAWINGS_MAX;
    for violation in file.survey.violations() {
        write_violation(&name, violation, file, out)?;
        if drawings == Drawings::None || left == 0 {
            continue;
        }
        if let Some(drawing) = drawing::draw(violation, file.outlines()) {
            write_drawing(&drawing, drawings, out)?;
            left -= 1;
        }
    }
    let (all, valid) = (file.survey.features.len(), file.survey.valid());
    let noun = if all == 1 { "feature" } else { "features" };
    writeln!(
        out,
        "{name}: {all} {noun}, {valid} valid, {} not",
        all - valid
    )
}

fn write_violation(
    name: &str,
    violation: &Violation,
    file: &File<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{name}:")?;
    if let Some(offset) = violation.byte_offset {
        let (line, column) = file.place(offset);
        write!(out, "{line}:{column}:")?;
    }
    let code = violation.code;
    let message = printable(&violation.message);
    let severity = code.severity().as_str();
    write!(out, " {severity} {}: {message}", code.as_str())?;
    if let Some([x, y]) = violation.location {
        write!(out, " at [{x} {y}]")?;
    }
    if let Some([x, y]) = violation.location_end {
        write!(out, " to [{x} {y}]")?;
    }
    if !violation.pointer.is_empty() {
        write!(out, " in {}", printable(&violation.pointer))?;
    }
    if let Some(other) = &violation.other {
        let (line, column) = file.place(other.byte_offset);
        write!(out, " and {} ({line}:{column})", printable(&other.pointer))?;
    }
    writeln!(out, " ({}; {})", code.hint(), code.clause())
}

fn write_drawing(drawing: &Drawing, drawings: Drawings, out: &mut impl Write) -> io::Result<()> {
    for (number, line) in drawing.lines.iter().enumerate() {
        write!(out, "    │ ")?;
        for (column, letter) in line.iter().enumerate() {
            if (number, column) == drawing.mark {
                write!(out, "{}", drawings.mark())?;
            } else {
                write!(out, "{letter}")?;
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "    └ {} wide", brief(drawing.width))
}

/// A length to some three digits.
fn brief(length: f64) -> String {
    match length {
        100.0..1e6 => format!("{length:.0}"),
        1.0..100.0 => format!("{length:.2}"),
        0.001..1.0 => format!("{length:.5}"),
        _ => format!("{length:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn text(name: &str, body: &str, drawings: Drawings) -> String {
        let file = File::judge(Path::new(name), name, name, body.as_bytes(), None);
        let mut out = Vec::new();
        write(&file, drawings, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    const BOWTIES: &str = r#"{"type":"Polygon",
 "coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;

    #[test]
    fn a_violation_is_a_line_with_its_place_and_on_a_terminal_a_drawing() {
        insta::assert_snapshot!(text("bow.json", BOWTIES, Drawings::None));
        insta::assert_snapshot!(text("bow.json", BOWTIES, Drawings::Plain));
        let coloured = text("bow.json", BOWTIES, Drawings::Coloured);
        assert!(coloured.contains("\u{1b}[1;31m✗\u{1b}[0m"), "{coloured}");
    }

    #[test]
    fn a_hostile_name_or_member_reaches_no_terminal() {
        let body = r#"{"type":"Point","coordinates":[1,2],"\u001b[2Ja":1,"\u001b[2Ja":2}"#;
        let told = text("a\n\u{1b}]0;b\u{7}.json", body, Drawings::Coloured);
        assert!(
            !told.contains('\u{1b}') && !told.contains('\u{7}'),
            "{told}"
        );
        assert!(told.starts_with("a\\n\\u{1b}]0;b\\u{7}.json:1:"), "{told}");
        assert_eq!(told.lines().count(), 2, "{told}");
    }

    #[test]
    fn ten_places_of_a_file_are_drawn_and_the_rest_told() {
        let many = format!("{}\n", BOWTIES.replace('\n', "")).repeat(30);
        let told = text("many.ndjson", &many, Drawings::Plain);
        assert_eq!(told.matches('✗').count(), DRAWINGS_MAX);
        assert_eq!(told.matches("error geometry.self_intersection").count(), 30);
    }
}
