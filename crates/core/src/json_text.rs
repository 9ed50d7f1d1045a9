//! JSON as it is written: one buffer, front to back, no tree and no reflection.
//!
//! An answer is written for each refused request, so it is a short way: what is fixed goes in
//! as it stands, what came from a sender goes in between quotes and escaped. It does not check
//! that the whole is JSON; who writes a member writes its comma.

use crate::decimal::Digits;
use crate::json::plain_end;

/// A JSON text in the making.
#[derive(Debug, Default)]
pub struct JsonText {
    bytes: Vec<u8>,
}

impl JsonText {
    /// An empty text with room for so many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Adds text that is JSON by itself.
    pub fn plain(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Adds a string of ours that needs no escape, between quotes.
    pub fn name(&mut self, text: &str) {
        self.bytes.push(b'"');
        self.plain(text);
        self.bytes.push(b'"');
    }

    /// Adds a string, between quotes. What RFC 8259 section 7 says must be escaped is, in
    /// the short form where there is one; nothing else is.
    pub fn string(&mut self, text: &str) {
        self.bytes.push(b'"');
        let mut rest = text.as_bytes();
        loop {
            let (plain, after) = rest.split_at(plain_end(rest, 0));
            self.bytes.extend_from_slice(plain);
            let Some((byte, after)) = after.split_first() else {
                break;
            };
            self.escape(*byte);
            rest = after;
        }
        self.bytes.push(b'"');
    }

    #[cold]
    fn escape(&mut self, byte: u8) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let short = match byte {
            b'"' | b'\\' => byte,
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0c => b'f',
            b'\r' => b'r',
            _ => {
                let [high, low] = [byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]);
                return self
                    .bytes
                    .extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            }
        };
        self.bytes.extend_from_slice(&[b'\\', short]);
    }

    /// Adds a whole number.
    pub fn whole(&mut self, number: u64) {
        self.bytes.extend_from_slice(Digits::of(number).as_bytes());
    }

    /// Adds a number: the shortest decimal that reads back as it, always with a fraction or
    /// an exponent. One that JSON does not have becomes null.
    pub fn number(&mut self, number: f64) {
        if number.is_finite() {
            let mut buffer = zmij::Buffer::new();
            self.plain(buffer.format_finite(number));
        } else {
            self.plain("null");
        }
    }

    /// Adds an array of what `write` makes of each.
    pub fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.plain("[");
        let mut comma = "";
        for item in items {
            self.plain(comma);
            comma = ",";
            write(self, item);
        }
        self.plain("]");
    }

    /// The text.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        // Whole strings and ASCII went in.
        String::from_utf8(self.bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_is_written_as_serde_writes_it(
            text in "[ -~\u{0}-\u{1f}\u{7f}\"\\\\/\u{e9}\u{2028}\u{10ffff}]{0,40}",
        ) {
            let mut json = JsonText::default();
            json.string(&text);
            prop_assert_eq!(json.into_text(), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn a_number_is_written_as_serde_writes_it(bits: u64, whole: u64) {
            let number = f64::from_bits(bits);
            let mut json = JsonText::default();
            json.number(number);
            json.plain(" ");
            json.whole(whole);
            let expected = format!("{} {whole}", serde_json::to_string(&number).unwrap());
            prop_assert_eq!(json.into_text(), expected);
        }
    }

    #[test]
    fn an_array_has_commas_between_and_nowhere_else() {
        for (items, expected) in [(&[][..], "[]"), (&[1], "[1]"), (&[1, 20], "[1,20]")] {
            let mut json = JsonText::default();
            json.array(items, |json, item| json.whole(*item));
            assert_eq!(json.into_text(), expected);
        }
    }
}
