//! JSON strings: their grammar and their meaning (RFC 8259 section 7).

use super::validate::{SyntaxFault, SyntaxKind};
use std::borrow::Cow;

/// Checks a string whose opening quote is at `start`; gives the index after its closing
/// quote and whether it holds an escape.
#[inline]
pub(super) fn check(bytes: &[u8], start: usize) -> Result<(usize, bool), SyntaxFault> {
    let at = plain_end(bytes, start + 1);
    if bytes.get(at) == Some(&b'"') {
        return Ok((at + 1, false));
    }
    check_from(bytes, at)
}

/// The same from the first byte on that is not plain.
fn check_from(bytes: &[u8], mut at: usize) -> Result<(usize, bool), SyntaxFault> {
    let mut escaped = false;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            None => return Err(SyntaxFault::new(SyntaxKind::Unexpected, at)),
            Some(b'"') => return Ok((at + 1, escaped)),
            Some(b'\\') => {
                escaped = true;
                at = check_escape(bytes, at)?;
            }
            Some(_) => return Err(SyntaxFault::new(SyntaxKind::ControlCharacter, at)),
        }
    }
}

/// The index after the closing quote of a string that passed [`check`], and whether it holds
/// an escape.
pub(super) fn end(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start + 1;
    let mut escaped = false;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            None => return (bytes.len(), escaped),
            Some(b'\\') => {
                escaped = true;
                at += 2;
            }
            Some(_) => return (at + 1, escaped),
        }
    }
}

/// The first index from `at` on of a quote, a backslash or a control character, or the
/// end. Eight bytes at once, as lanes of one word.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * EACH;
    // Below a lane that is hit, lanes are right; above it they may not be.
    let below = |lanes: u64, limit: u64| lanes.wrapping_sub(limit * EACH) & !lanes & HIGH;
    let equal = |lanes: u64, byte: u8| below(lanes ^ (u64::from(byte) * EACH), 1);
    while let Some(window) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let lanes = u64::from_le_bytes(*window);
        let hit = below(lanes, 0x20) | equal(lanes, b'"') | equal(lanes, b'\\');
        if hit != 0 {
            return at + (hit.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes
        .get(at)
        .is_some_and(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\'))
    {
        at += 1;
    }
    at
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_ends_plain_text_is_found_wherever_it_stands(
            text in "[ -~\u{80}\u{9f}\u{a2}\u{dc}\u{10ffff}\u{0}\u{1f}\u{7f}\"\\\\]{0,40}",
            from in 0..12_usize,
        ) {
            let bytes = text.as_bytes();
            let special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
            let tail = bytes.get(from..).unwrap_or_default();
            let found = tail.iter().position(special).unwrap_or(tail.len());
            prop_assert_eq!(plain_end(bytes, from), from + found);
        }
    }
}
