//! JSON strings: their grammar and their meaning (RFC 8259 section 7).

use super::validate::{SyntaxFault, SyntaxKind};
use std::borrow::Cow;

/// Checks a string whose opening quote is at `start`; gives the index after its closing
/// quote and whether it holds an escape.
pub(super) fn check(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxFault> {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        match bytes.get(at) {
            None => return Err(SyntaxFault::new(SyntaxKind::Unexpected, at)),
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = check_escape(bytes, at)?;
            }
            Some(0..0x20) => return Err(SyntaxFault::new(SyntaxKind::ControlCharacter, at)),
            Some(_) => at += 1,
        }
    }
}

fn check_escape(bytes: &[u8], at: usize) -> Result<usize, SyntaxFault> {
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => {
            let unit = hex4(bytes, at + 2).ok_or(SyntaxFault::new(SyntaxKind::Escape, at))?;
            match unit {
                0xD800..0xDC00 => {
                    let paired = bytes.get(at + 6..at + 8) == Some(b"\\u")
                        && matches!(hex4(bytes, at + 8), Some(0xDC00..0xE000));
                    if paired {
                        Ok(at + 12)
                    } else {
                        Err(SyntaxFault::new(SyntaxKind::LoneSurrogate, at))
                    }
                }
                0xDC00..0xE000 => Err(SyntaxFault::new(SyntaxKind::LoneSurrogate, at)),
                _ => Ok(at + 6),
            }
        }
        _ => Err(SyntaxFault::new(SyntaxKind::Escape, at)),
    }
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    let mut unit = 0;
    for digit in digits {
        unit = unit * 16 + char::from(*digit).to_digit(16)?;
    }
    Some(unit)
}

/// The meaning of a checked string, given the text between its quotes.
pub(crate) fn decode(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (letter, taken) = unescape(&rest[at..]);
        text.push(letter);
        rest = &rest[at + taken..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

fn unescape(escape: &str) -> (char, usize) {
    let bytes = escape.as_bytes();
    match bytes.get(1) {
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'n') => ('\n', 2),
        Some(b'r') => ('\r', 2),
        Some(b't') => ('\t', 2),
        Some(b'u') => {
            let high = hex4(bytes, 2).unwrap_or(0xFFFD);
            if (0xD800..0xDC00).contains(&high) {
                let low = hex4(bytes, 8).unwrap_or(0xDC00);
                let scalar = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                (char::from_u32(scalar).unwrap_or('\u{FFFD}'), 12)
            } else {
                (char::from_u32(high).unwrap_or('\u{FFFD}'), 6)
            }
        }
        Some(other) => (char::from(*other), 2),
        None => ('\u{FFFD}', 1),
    }
}
