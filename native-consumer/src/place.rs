//! From byte offsets to line and column, as editors count them: both from 1, the column
//! in characters.

/// Turns offsets into places. Offsets that grow cost one pass over the file in all.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    body: &'a [u8],
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Places<'a> {
    pub(crate) const fn new(body: &'a [u8]) -> Self {
        Self {
            body,
            at: 0,
            line: 1,
            column: 1,
        }
    }

    /// Line and column of an offset; of the end when it lies beyond.
    pub(crate) fn of(&mut self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.body.len());
        if offset < self.at {
            *self = Self::new(self.body);
        }
        for byte in &self.body[self.at..offset] {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // The second and later bytes of a character do not count.
                0x80..=0xbf => {}
                _ => self.column += 1,
            }
        }
        self.at = offset;
        (self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_and_may_go_back() {
        let mut places = Places::new("a\nöö!\n".as_bytes());
        assert_eq!(places.of(6), (2, 3));
        assert_eq!(places.of(0), (1, 1));
        assert_eq!(places.of(2), (2, 1));
        assert_eq!(places.of(99), (3, 1));
    }
}
