//! Attributes in HTTP headers, as the binding writes them (HTTP Protocol Binding 1.0.2
//! section 3.1.3): percent-encoded, or between quotes.

use super::{Attribute, CloudEvent, read};
use crate::judge::Request;
use crate::violation::Violation;
use std::borrow::Cow;

/// The attributes of a binary-mode event, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventHeaders<'a> {
    /// `ce-specversion`.
    pub specversion: Option<&'a str>,
    /// `ce-id`.
    pub id: Option<&'a str>,
    /// `ce-source`.
    pub source: Option<&'a str>,
    /// `ce-type`.
    pub kind: Option<&'a str>,
    /// `ce-time`.
    pub time: Option<&'a str>,
}

impl EventHeaders<'_> {
    pub(crate) fn read(&self, request: &Request<'_>) -> Result<CloudEvent, Vec<Violation>> {
        let find = |name: &'static str| {
            let header = match name {
                "specversion" => self.specversion,
                "id" => self.id,
                "source" => self.source,
                "type" => self.kind,
                "time" => self.time,
                _ => None,
            }?;
            Some(Attribute {
                text: decoded(header),
                pointer: String::new(),
                at: None,
            })
        };
        read(request, find, ("", None))
    }
}

/// The value; none when its escapes are not UTF-8.
fn decoded(header: &str) -> Option<Cow<'_, str>> {
    let text = unquoted(header);
    if !text.contains('%') {
        return Some(text);
    }
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let digit = |at: usize| {
            bytes
                .get(at)
                .and_then(|byte| char::from(*byte).to_digit(16))
        };
        let escaped = digit(at + 1).zip(digit(at + 2)).filter(|_| *byte == b'%');
        let value = escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        plain.push(value.unwrap_or(*byte));
        at += if value.is_some() { 3 } else { 1 };
    }
    String::from_utf8(plain).ok().map(Cow::Owned)
}

/// Without the quotes of RFC 9110 section 5.6.4 and their escapes.
fn unquoted(header: &str) -> Cow<'_, str> {
    let inner = header
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inner {
        None => Cow::Borrowed(header),
        Some(inner) if !inner.contains('\\') => Cow::Borrowed(inner),
        Some(inner) => {
            let mut escaped = false;
            let kept = inner.chars().filter(|letter| {
                escaped = *letter == '\\' && !escaped;
                !escaped
            });
            Cow::Owned(kept.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_undone_once() {
        for (header, expected) in [
            ("plain", Some("plain")),
            ("Euro%20%E2%82%AC%20%F0%9F%98%80", Some("Euro € 😀")),
            ("100%", Some("100%")),
            ("%zz%2", Some("%zz%2")),
            ("%2541", Some("%41")),
            ("\"in quotes\"", Some("in quotes")),
            (r#""a \"b\" \\c""#, Some(r#"a "b" \c"#)),
            ("%ff", None),
        ] {
            assert_eq!(decoded(header).as_deref(), expected, "{header}");
        }
    }
}
