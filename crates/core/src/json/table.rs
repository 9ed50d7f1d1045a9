//! Arrays of positions: what a line or ring is, and almost all of a large document. They
//! are read once, while the grammar is checked, and handed out when their type is known.
//!
//! A table holds positions of one length, two or three finite numbers each. Whatever else
//! an array holds, it is no table, and is read element by element.

#![allow(
    clippy::inline_always,
    reason = "a position is four of these calls; measured, a third of the instructions"
)]

use super::number;
use super::space::space_end;

/// 4 Mi positions: more than any request may have, 112 MB at most.
const POSITIONS_MAX: usize = 1 << 22;
/// Two numbers of seven places: room for as many positions as the text may hold is made at
/// once, up to 24 KB of it.
const POSITION_BYTES_USUAL: usize = 20;
const POSITIONS_GUESSED_MAX: usize = 1 << 10;

/// The tables of one text, in document order.
#[derive(Debug, Default)]
pub(super) struct Tables {
    spans: Vec<Span>,
    /// Where each position starts.
    starts: Vec<u32>,
    numbers: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    stride: usize,
    /// Its positions and its numbers.
    positions: [usize; 2],
    numbers: [usize; 2],
}

/// The positions of one array.
pub(crate) struct Table<'a> {
    pub(crate) stride: usize,
    pub(crate) numbers: &'a [f64],
    /// Where each position starts in the text.
    pub(crate) starts: &'a [u32],
}

impl Tables {
    /// The index after the array that starts there, when it is a table.
    pub(super) fn read(&mut self, bytes: &[u8], start: usize) -> Option<usize> {
        let (first_position, first_number) = (self.starts.len(), self.numbers.len());
        let read = self.read_positions(bytes, start);
        let Some((end, stride)) = read else {
            self.starts.truncate(first_position);
            self.numbers.truncate(first_number);
            return None;
        };
        self.spans.push(Span {
            start,
            stride,
            positions: [first_position, self.starts.len()],
            numbers: [first_number, self.numbers.len()],
        });
        Some(end)
    }

    /// The index after the array, and how many numbers its positions have.
    fn read_positions(&mut self, bytes: &[u8], start: usize) -> Option<(usize, usize)> {
        if self.starts.is_empty() {
            let guess = (bytes.len() / POSITION_BYTES_USUAL).min(POSITIONS_GUESSED_MAX);
            self.starts.reserve(guess);
            self.numbers.reserve(2 * guess);
        }
        let (mut at, mut stride) = (start + 1, 0);
        loop {
            let inside = past(bytes, at, b'[')?;
            if self.starts.len() >= POSITIONS_MAX {
                return None;
            }
            self.starts.push(u32::try_from(inside - 1).ok()?);
            let (x, end) = number_at(bytes, inside)?;
            let (y, end) = number_at(bytes, past(bytes, end, b',')?)?;
            self.numbers.extend_from_slice(&[x, y]);
            let mut count = 2;
            at = end;
            if let Some(height) = past(bytes, at, b',') {
                let (z, end) = number_at(bytes, height)?;
                self.numbers.push(z);
                count = 3;
                at = end;
            }
            at = past(bytes, at, b']')?;
            if stride != count && stride != 0 {
                return None;
            }
            stride = count;
            match past(bytes, at, b',') {
                Some(next) => at = next,
                None => return Some((past(bytes, at, b']')?, count)),
            }
        }
    }

    /// The table that starts there.
    pub(super) fn at(&self, start: usize) -> Option<Table<'_>> {
        let found = self.spans.binary_search_by_key(&start, |span| span.start);
        let span = self.spans.get(found.ok()?)?;
        let [position, positions_end] = span.positions;
        let [number, numbers_end] = span.numbers;
        Some(Table {
            stride: span.stride,
            numbers: self.numbers.get(number..numbers_end)?,
            starts: self.starts.get(position..positions_end)?,
        })
    }
}

/// The index after that byte and the white space before it.
#[inline(always)]
fn past(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    if bytes.get(at) == Some(&wanted) {
        return Some(at + 1);
    }
    let at = space_end(bytes, at);
    (bytes.get(at) == Some(&wanted)).then_some(at + 1)
}

/// The number there, behind white space or not.
#[inline(always)]
fn number_at(bytes: &[u8], at: usize) -> Option<(f64, usize)> {
    number::read(bytes, space_end(bytes, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<usize>, Tables) {
        let mut tables = Tables::default();
        let end = tables.read(text.as_bytes(), 0);
        (end, tables)
    }

    #[test]
    fn positions_of_one_length_are_a_table() {
        let text = "[ [1,2.5], [ -3 , 4e2 ] ,\n[0.1000000000000000055,6]],";
        let (end, tables) = read(text);
        assert_eq!(end, Some(text.len() - 1));
        let table = tables.at(0).unwrap();
        assert_eq!((table.stride, table.starts), (2, &[2, 11, 26][..]));
        assert_eq!(table.numbers, [1.0, 2.5, -3.0, 400.0, 0.1, 6.0]);
        assert!(tables.at(2).is_none());
    }

    #[test]
    fn anything_else_is_none_and_leaves_nothing() {
        for text in [
            "[]",
            "[[1,2],[1,2,3]]",
            "[[1,2],[1]]",
            "[[1,2],[1,2,3,4]]",
            "[[1,2],[1,1e400]]",
            "[[1,2],[1,\"2\"]]",
            "[[1,2],[1,02]]",
            "[[1,2],]",
            "[[1,2],[]]",
            "[[1,2] [1,2]]",
            "[[1,2],[1,2]",
            "[1,2]",
            "[[[1,2]]]",
        ] {
            let (end, tables) = read(text);
            assert_eq!(end, None, "{text}");
            assert!(
                tables.at(0).is_none() && tables.numbers.is_empty() && tables.starts.is_empty()
            );
        }
    }
}
