//! `Prefer` (RFC 7240): of its preferences, `handling` alone is known here.

use crate::head::{Head, trimmed};

/// What an answer says that honoured it.
pub(crate) const APPLIED: (&str, &str) = ("preference-applied", "handling=lenient");

/// Whether the good features are to be taken though others are refused. Of a preference
/// that stands twice the first counts.
pub(crate) fn lenient(head: &Head) -> bool {
    let Some(header) = head.header("prefer") else {
        return false;
    };
    let mut quoted = false;
    let preferences = header.split(|letter| {
        quoted ^= letter == '"';
        letter == ',' && !quoted
    });
    let handling = preferences.filter_map(|preference| {
        let preference = preference.split(';').next().unwrap_or_default();
        let (name, value) = preference.split_once('=')?;
        let is_it = trimmed(name).eq_ignore_ascii_case("handling");
        is_it.then(|| trimmed(value).trim_matches('"'))
    });
    let first = handling.into_iter().next();
    first.is_some_and(|value| value.eq_ignore_ascii_case("lenient"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_handling_counts_wherever_it_stands() {
        for (header, expected) in [
            ("handling=lenient", true),
            ("Handling = \"lenient\"", true),
            ("respond-async, handling=lenient; foo=bar, wait=10", true),
            ("handling=lenient, handling=strict", true),
            ("handling=strict, handling=lenient", false),
            ("handling", false),
            ("", false),
            ("return=minimal; handling=lenient", false),
            ("note=\"a, handling=lenient\"", false),
            ("handling=lenienter", false),
        ] {
            let head = Head::new("POST", "/").with("Prefer", header);
            assert_eq!(lenient(&head), expected, "{header}");
        }
        assert!(!lenient(&Head::new("POST", "/")));
    }
}
