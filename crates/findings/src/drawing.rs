//! A small drawing of a fault's place for a terminal: the edges around it in braille dots,
//! and a mark in the middle.
//!
//! The window is as wide as the shorter of the offending edges needs; what reaches beyond it
//! is cut. Every edge in the window is drawn, whichever ring it belongs to.

mod canvas;

use crate::outline::{Kind, Outlines};
use canvas::Canvas;
use hexlane_core::violation::Violation;
use std::ops::Range;

/// Free space around the edges that the window is made for.
const MARGIN: f64 = 1.2;

/// The place of one fault, drawn.
#[derive(Debug)]
pub(crate) struct Drawing {
    /// Lines of text, the mark not yet in them.
    pub(crate) lines: Vec<Vec<char>>,
    /// Line and column of the mark.
    pub(crate) mark: (usize, usize),
    /// Width of the window in the units of the coordinates.
    pub(crate) width: f64,
}

/// Draws the place of a violation; none when it has none that can be drawn.
pub(crate) fn draw(violation: &Violation, outlines: &Outlines) -> Option<Drawing> {
    let centre = violation
        .location
        .filter(|[x, y]| x.is_finite() && y.is_finite())?;
    let half_height = reach(violation, outlines, centre)? * MARGIN;
    let mut canvas = Canvas::around(centre, half_height);
    for (kind, range) in outlines.rows() {
        draw_row(kind, range, outlines, &mut canvas);
    }
    Some(Drawing {
        lines: canvas.lines(),
        mark: Canvas::MIDDLE,
        width: canvas.width(),
    })
}

fn draw_row(kind: Kind, range: Range<usize>, outlines: &Outlines, canvas: &mut Canvas) {
    let vertices = outlines.vertices().get(range).unwrap_or_default();
    if kind == Kind::Points || vertices.len() == 1 {
        for vertex in vertices {
            canvas.line(vertex.xy, vertex.xy);
        }
    } else {
        for edge in vertices.windows(2) {
            canvas.line(edge[0].xy, edge[1].xy);
        }
    }
}

/// How far the window must reach: to the ends of the offending edges, or of the shorter of
/// two.
fn reach(violation: &Violation, outlines: &Outlines, centre: [f64; 2]) -> Option<f64> {
    let other = violation.other.as_ref().map(|other| other.byte_offset);
    let offsets = violation.byte_offset.into_iter().chain(other);
    let reaches = offsets.filter_map(|offset| {
        let (index, row) = outlines.at(offset)?;
        let near = index.saturating_sub(1).max(row.start)..(index + 2).min(row.end);
        let near = outlines.vertices().get(near)?.iter();
        near.map(|vertex| apart(vertex.xy, centre)).reduce(f64::max)
    });
    reaches
        .filter(|reach| *reach > 0.0 && reach.is_finite())
        .reduce(f64::min)
}

fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;
    use crate::survey::Survey;

    fn drawn(text: &str) -> Option<String> {
        let survey = Survey::of(text.as_bytes(), Form::Document, None);
        let outlines = Outlines::of(text.as_bytes(), Form::Document);
        let violation = survey.violations().next().unwrap();
        let mut drawing = draw(violation, &outlines)?;
        let (line, column) = drawing.mark;
        drawing.lines[line][column] = 'X';
        let lines = drawing
            .lines
            .iter()
            .map(|line| line.iter().collect::<String>());
        Some(lines.collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn a_bowtie_is_drawn_with_its_crossing_in_the_middle() {
        let text = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;
        insta::assert_snapshot!(drawn(text).unwrap());
    }

    #[test]
    fn an_open_ring_is_drawn_open() {
        let text = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#;
        insta::assert_snapshot!(drawn(text).unwrap());
    }

    #[test]
    fn a_short_spike_in_a_long_ring_is_drawn_large_and_the_rest_cut() {
        let text = r#"{"type":"Polygon","coordinates":[[[0,0],[50,0],[50,0.01],[50,0],[100,0],[100,40],[0,40],[0,0]]]}"#;
        insta::assert_snapshot!(drawn(text).unwrap());
    }

    #[test]
    fn what_has_no_place_is_not_drawn() {
        assert_eq!(drawn(r#"{"type":"Polygon","coordinates":[]}"#), None);
        assert_eq!(drawn("{"), None);
    }

    #[test]
    fn coordinates_at_the_end_of_numbers_are_drawn_or_not_and_never_fail() {
        for scale in ["1e308", "1.7e308", "1e-300", "5e-324"] {
            let text = format!(
                r#"{{"type":"Polygon","coordinates":[[[0,0],[{scale},{scale}],[{scale},0],[0,{scale}],[0,0]],[[-{scale},0],[{scale},-{scale}],[0,0],[-{scale},0]]]}}"#
            );
            drawn(&text);
        }
    }
}
