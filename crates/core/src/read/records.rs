//! Records of a sequence: GeoJSON texts by lines, or by record separators (RFC 8142).
//!
//! It finds where records start and end and reads none of them, so that a broken one never
//! hides the next: neither separator can stand inside a JSON text.

/// RFC 7464 section 2.1.
const SEPARATOR: u8 = 0x1e;

/// One record, without the white space around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    pub(crate) bytes: &'a [u8],
    /// Where it starts in the body.
    pub(crate) start: usize,
    /// Whether the separator that the form asks for stands before it.
    pub(crate) separated: bool,
}

/// Records of newline-delimited JSON; blank lines are none.
pub(crate) fn lines(body: &[u8]) -> impl Iterator<Item = Record<'_>> {
    pieces(body, b'\n').filter(|record| !record.bytes.is_empty())
}

/// Records of an RFC 8142 sequence. What stands before the first separator is one without
/// it. Separators in a row are one; white space between two is a record that is empty.
pub(crate) fn sequence(body: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut first = true;
    pieces(body, SEPARATOR).filter_map(move |mut record| {
        let leading = std::mem::replace(&mut first, false);
        record.separated = !leading;
        let in_a_row = body.get(record.start) == Some(&SEPARATOR) || record.start == body.len();
        let kept = !record.bytes.is_empty() || !(leading || in_a_row);
        kept.then_some(record)
    })
}

fn pieces(body: &[u8], separator: u8) -> impl Iterator<Item = Record<'_>> {
    let mut start = 0;
    body.split(move |byte| *byte == separator)
        .map(move |piece| {
            let at = start;
            start += piece.len() + 1;
            let is_text = |byte: &u8| !b" \t\r\n".contains(byte);
            let from = piece.iter().position(is_text).unwrap_or(0);
            let to = piece.iter().rposition(is_text).map_or(0, |last| last + 1);
            Record {
                bytes: piece.get(from..to).unwrap_or_default(),
                start: at + from,
                separated: true,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told<'a>(records: impl Iterator<Item = Record<'a>>) -> Vec<(&'a str, usize, bool)> {
        let text = |record: Record<'a>| std::str::from_utf8(record.bytes).unwrap();
        records
            .map(|record| (text(record), record.start, record.separated))
            .collect()
    }

    #[test]
    fn lines_are_records_and_blank_ones_are_none() {
        let found = told(lines(b"{}\r\n\n  [1]\n \t\n3"));
        assert_eq!(found, [("{}", 0, true), ("[1]", 7, true), ("3", 14, true)]);
        assert_eq!(told(lines(b"\n \n")), []);
    }

    #[test]
    fn separators_part_records_and_in_a_row_are_one() {
        let found = told(sequence(b"\x1e{}\n\x1e\x1e[1]\n\x1e"));
        assert_eq!(found, [("{}", 1, true), ("[1]", 6, true)]);
        assert_eq!(told(sequence(b"")), []);
    }

    #[test]
    fn what_no_separator_stands_before_is_told_and_hides_nothing() {
        let found = told(sequence(b"{}\n\x1e1\n"));
        assert_eq!(found, [("{}", 0, false), ("1", 4, true)]);
        assert_eq!(told(sequence(b" \n\x1e1")), [("1", 3, true)]);
    }

    #[test]
    fn white_space_between_two_separators_is_an_empty_record() {
        let found = told(sequence(b"\x1e\n\x1e1\n"));
        assert_eq!(found, [("", 1, true), ("1", 3, true)]);
    }
}
