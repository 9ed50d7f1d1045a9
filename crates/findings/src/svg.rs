//! A picture of the files: outlines as lines, every fault marked by an open circle, so that
//! nothing is hidden. A browser shows a mark's violations when one points at it.
//!
//! Files of up to [`VERTICES_MAX`] positions are drawn whole. Of larger ones those that are not
//! near a fault are thinned, which moves a line by no more than can be seen at that size, and
//! the picture says so.

mod frame;
mod sketch;
mod thin;
mod xml;

use sketch::Mark;
pub(crate) use sketch::Sketch;

use crate::outline::Kind;
use crate::printable::printable;
use frame::Frame;
use hexlane_core::code::{Code, Severity};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use thin::{Thinned, thin};
use xml::Xml;

/// Positions drawn away from faults, and as many near them: some megabytes, which browsers
/// show at once.
pub(crate) const VERTICES_MAX: usize = 100_000;
/// Violations told at one mark.
const TOLD_MAX: usize = 8;
/// Between lines of the caption.
const LINE_HEIGHT: f64 = 16.0;
/// Digits behind the point near a fault, and elsewhere in what was thinned.
const DIGITS_FINE: usize = 6;
const DIGITS_COARSE: usize = 2;

const STYLE: &str = "path,line,circle{fill:none;stroke-linecap:round;stroke-linejoin:round;\
vector-effect:non-scaling-stroke}.map{stroke:#456}.points{stroke:#456;stroke-width:4}\
.error{stroke:#d00}.warning{stroke:#c80}line{stroke-width:4;stroke-opacity:.4}\
circle{stroke-width:1.5;pointer-events:all}text{font:12px sans-serif;fill:#222}";

/// Writes the picture.
pub(crate) fn write(sketches: &[Sketch], out: &mut impl Write) -> io::Result<()> {
    let frame = Frame::around(sketches);
    let thinned = thin(sketches, &frame);
    let caption = caption(sketches, &thinned);
    let mut baselines = Vec::new();
    let mut height = frame.height + LINE_HEIGHT;
    for line in &caption {
        baselines.push((height, line));
        height += LINE_HEIGHT;
    }
    let width = frame.width;
    let view = format!("0 0 {} {}", number(width, 2), number(height, 2));
    let mut xml = Xml::new(out);
    let root = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("viewBox", view.as_str()),
    ];
    xml.open("svg", &root)?;
    xml.text("title", &[], "hexlane check")?;
    xml.text("desc", &[], &caption.join("\n"))?;
    xml.text("style", &[], STYLE)?;
    let (across, down) = (number(width, 2), number(height, 2));
    xml.leaf(
        "rect",
        &[("width", &across), ("height", &down), ("fill", "#fff")],
    )?;
    for (sketch, rows) in sketches.iter().zip(&thinned.rows) {
        write_outlines(sketch, rows, &frame, &mut xml)?;
    }
    // Marks stand above the outlines of every file.
    for sketch in sketches {
        write_marks(sketch, &frame, &mut xml)?;
    }
    for (y, line) in baselines {
        xml.text("text", &[("x", "20"), ("y", &number(y, 2))], line)?;
    }
    xml.close("svg")?;
    xml.end()
}

fn write_outlines<W: Write>(
    sketch: &Sketch,
    rows: &[thin::Row],
    frame: &Frame,
    xml: &mut Xml<W>,
) -> io::Result<()> {
    let (mut lines, mut dots) = (String::new(), String::new());
    for row in rows {
        let is_dot = row.kind == Kind::Points || row.vertices.len() == 1;
        let mut command = 'M';
        for (index, fine) in &row.vertices {
            let Some(vertex) = sketch.outlines.vertices().get(*index) else {
                continue;
            };
            let [x, y] = frame.place(vertex.xy);
            let digits = if *fine { DIGITS_FINE } else { DIGITS_COARSE };
            let path = if is_dot { &mut dots } else { &mut lines };
            // Writing to a string does not fail.
            let _ = write!(path, "{command}{} {}", number(x, digits), number(y, digits));
            if is_dot {
                path.push_str("h0");
            } else {
                command = 'L';
            }
        }
    }
    xml.open("g", &[])?;
    xml.text("title", &[], &sketch.name)?;
    for (class, path) in [("map", lines), ("points", dots)] {
        if !path.is_empty() {
            xml.leaf("path", &[("class", class), ("d", &path)])?;
        }
    }
    xml.close("g")
}

/// Marks that lie on each other at this size are one, which tells of all of them. Errors stand
/// above warnings.
fn write_marks<W: Write>(sketch: &Sketch, frame: &Frame, xml: &mut Xml<W>) -> io::Result<()> {
    let mut together: BTreeMap<_, Vec<&Mark>> = BTreeMap::new();
    for mark in &sketch.marks {
        let pixel = frame::pixel(frame.place(mark.at));
        together.entry(pixel).or_default().push(mark);
    }
    for severity in [Severity::Warning, Severity::Error] {
        let worst = |marks: &[&Mark]| marks.iter().map(|mark| mark.code.severity()).min();
        for marks in together.values() {
            if worst(marks) == Some(severity) {
                write_mark(marks, severity, frame, xml)?;
            }
        }
    }
    Ok(())
}

fn write_mark<W: Write>(
    marks: &[&Mark],
    severity: Severity,
    frame: &Frame,
    xml: &mut Xml<W>,
) -> io::Result<()> {
    let Some(first) = marks.first() else {
        return Ok(());
    };
    let class = severity.as_str();
    let place = |at: [f64; 2]| frame.place(at).map(|each| number(each, DIGITS_FINE));
    let ends = marks.iter().filter_map(|mark| Some((mark.at, mark.end?)));
    for (at, end) in ends.take(TOLD_MAX) {
        let ([x1, y1], [x2, y2]) = (place(at), place(end));
        let line = [
            ("class", class),
            ("x1", &x1),
            ("y1", &y1),
            ("x2", &x2),
            ("y2", &y2),
        ];
        xml.leaf("line", &line)?;
    }
    let [x, y] = place(first.at);
    let circle = [("class", class), ("cx", &x), ("cy", &y), ("r", "7")];
    xml.open("circle", &circle)?;
    xml.text("title", &[], &titles(marks))?;
    xml.close("circle")
}

/// One line a violation.
fn titles(marks: &[&Mark]) -> String {
    let told = marks.iter().take(TOLD_MAX).map(|mark| mark.title.as_str());
    let mut told = told.collect::<Vec<_>>().join("\n");
    if let Some(more) = marks.len().checked_sub(TOLD_MAX).filter(|more| *more > 0) {
        // Writing to a string does not fail.
        let _ = write!(told, "\nand {more} more here");
    }
    told
}

/// What stands below the picture.
fn caption(sketches: &[Sketch], thinned: &Thinned) -> Vec<String> {
    let mut lines: Vec<String> = sketches.iter().take(20).map(Sketch::sum).collect();
    if let Some(more) = sketches.len().checked_sub(20).filter(|more| *more > 0) {
        lines.push(format!("and {more} files more"));
    }
    let mut totals: BTreeMap<Code, usize> = BTreeMap::new();
    for code in sketches.iter().flat_map(Sketch::codes) {
        *totals.entry(code).or_default() += 1;
    }
    let total = |(code, total): (Code, usize)| {
        let severity = code.severity().as_str();
        format!("{severity} {}: {total}", code.as_str())
    };
    lines.extend(totals.into_iter().map(total));
    let unplaced: usize = sketches.iter().map(|sketch| sketch.unplaced).sum();
    if unplaced > 0 {
        lines.push(format!(
            "{unplaced} of these have no place on the map and no mark"
        ));
    }
    if let Some(note) = thinned.note() {
        lines.push(note);
    }
    lines
        .iter()
        .map(|line| printable(line).into_owned())
        .collect()
}

/// A number with at most so many digits behind the point.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    let short = if short == "-0" { "0" } else { short };
    short.to_owned()
}

#[cfg(test)]
mod tests;
