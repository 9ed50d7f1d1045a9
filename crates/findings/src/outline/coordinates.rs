//! Coordinates to rows of positions. The text is known to be JSON; anything in it that is
//! no position of two numbers or more is passed over.

use super::members::Geometry;
use super::{Kind, Outlines, Vertex};

/// Reads the coordinates of a geometry.
pub(super) fn read(geometry: &Geometry<'_>, outlines: &mut Outlines) {
    let kind = match geometry.kind {
        "Point" | "MultiPoint" => Kind::Points,
        "Polygon" | "MultiPolygon" => Kind::Ring,
        _ => Kind::Line,
    };
    let mut position = Position::default();
    let mut texts = geometry.coordinates;
    while let Some(first) = texts.bytes().next() {
        let offset = geometry.offset + geometry.coordinates.len() - texts.len();
        let passed = match first {
            b'[' => {
                position = Position::at(offset);
                1
            }
            b']' => {
                match std::mem::take(&mut position).vertex() {
                    Closed::Vertex(vertex) => outlines.vertices.push(vertex),
                    Closed::NoPlace => {}
                    Closed::Row => outlines.end_row(kind),
                }
                1
            }
            b'"' => string_length(texts),
            b'-' | b'0'..=b'9' => {
                let length = number_length(texts);
                position.take(texts.get(..length).unwrap_or_default());
                length
            }
            _ => 1,
        };
        texts = texts.get(passed..).unwrap_or_default();
    }
    outlines.end_row(kind);
}

/// An array that is open, as far as it was read.
#[derive(Default)]
struct Position {
    offset: Option<usize>,
    numbers: [f64; 2],
    count: usize,
}

enum Closed {
    Vertex(Vertex),
    /// A position that cannot be drawn.
    NoPlace,
    /// An array around positions.
    Row,
}

impl Position {
    fn at(offset: usize) -> Self {
        Self {
            offset: Some(offset),
            ..Self::default()
        }
    }

    fn take(&mut self, number: &str) {
        if let Some(slot) = self.numbers.get_mut(self.count) {
            *slot = number.parse().unwrap_or(f64::NAN);
        }
        self.count += 1;
    }

    /// What the array was, now that it ends.
    fn vertex(self) -> Closed {
        let Some(offset) = self.offset else {
            return Closed::Row;
        };
        let drawable = self.count >= 2 && self.numbers.iter().all(|number| number.is_finite());
        if drawable {
            Closed::Vertex(Vertex {
                xy: self.numbers,
                offset,
            })
        } else {
            Closed::NoPlace
        }
    }
}

fn number_length(text: &str) -> usize {
    let is_number = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let end = text.bytes().position(|byte| !is_number(byte));
    end.unwrap_or(text.len())
}

/// With its quotes.
fn string_length(text: &str) -> usize {
    let mut escaped = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
