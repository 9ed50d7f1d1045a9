//! From byte offsets to line and column, as editors count them: both from 1, the column in
//! UTF-16 code units, which is what VS Code, the language server protocol and SARIF viewers
//! jump by. It differs from characters only beyond U+FFFF.

use std::cell::OnceCell;

/// Bytes between two marks: what one look-up counts at most.
const STRIDE_BYTES: usize = 4_096;

/// Turns offsets into places. One pass over the file notes line and column at regular
/// marks, when the first place is asked for; a place is then counted from the mark before.
#[derive(Debug)]
pub struct Places<'a> {
    body: &'a [u8],
    marks: OnceCell<Vec<Mark>>,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    /// The places of that file.
    #[must_use]
    pub const fn new(body: &'a [u8]) -> Self {
        Self {
            body,
            marks: OnceCell::new(),
        }
    }

    /// Line and column of an offset; of the end when it lies beyond.
    #[must_use]
    pub fn of(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.body.len());
        let marks = self.marks.get_or_init(|| marks(self.body));
        let index = offset / STRIDE_BYTES;
        let mut mark = marks.get(index).copied().unwrap_or(Mark::START);
        let rest = self.body.get(index * STRIDE_BYTES..offset);
        mark.pass(rest.unwrap_or_default());
        (mark.line, mark.column)
    }
}

impl Mark {
    const START: Self = Self { line: 1, column: 1 };

    fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // The second and later bytes of a character do not count.
                0x80..=0xbf => {}
                // Beyond U+FFFF: a pair of surrogates.
                0xf0.. => self.column += 2,
                _ => self.column += 1,
            }
        }
    }
}

fn marks(body: &[u8]) -> Vec<Mark> {
    let mut mark = Mark::START;
    let mut marks = vec![mark];
    for stride in body.chunks(STRIDE_BYTES) {
        mark.pass(stride);
        marks.push(mark);
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_utf_16_and_places_may_go_back() {
        let places = Places::new("a\nöö!😀x\n".as_bytes());
        assert_eq!(places.of(6), (2, 3));
        assert_eq!(places.of(0), (1, 1));
        assert_eq!(places.of(2), (2, 1));
        assert_eq!(places.of(11), (2, 6));
        assert_eq!(places.of(99), (3, 1));
        assert_eq!(Places::new(b"").of(0), (1, 1));
    }

    #[test]
    fn a_mark_changes_no_place() {
        let mut body = "é😀ab\n".repeat(3_000).into_bytes();
        body.extend("x".repeat(9_000).bytes());
        let places = Places::new(&body);
        let mut counted = Mark::START;
        for (offset, byte) in body.iter().enumerate() {
            assert_eq!(
                places.of(offset),
                (counted.line, counted.column),
                "{offset}"
            );
            counted.pass(&[*byte]);
        }
    }
}
