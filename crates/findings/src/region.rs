//! How much of a file a violation covers: the JSON value that starts at its offset.

use serde::de::IgnoredAny;

/// What is longer is shown by its first byte: an editor that underlines a whole feature says
/// nothing of a place in it.
const BYTES_MAX: usize = 256;

/// The length of the value there, in bytes: zero at the end of the file, one where no short
/// value starts.
pub(crate) fn length(body: &[u8], offset: usize) -> usize {
    let rest = body.get(offset..).unwrap_or_default();
    let near = rest.get(..BYTES_MAX).unwrap_or(rest);
    let mut values = serde_json::Deserializer::from_slice(near).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        Some(Err(_)) | None => character_length(rest),
    }
}

/// The length of the character there; of what is no UTF-8, one.
fn character_length(rest: &[u8]) -> usize {
    let whole = (1..=rest.len().min(4)).find(|length| {
        let bytes = rest.get(..*length);
        bytes.is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
    });
    whole.unwrap_or(rest.len().min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_covers_the_value_that_starts_there() {
        let body = br#"{"a":[1, 2.5],"b":-1e400,"c":nope}"#;
        let text =
            |offset| std::str::from_utf8(&body[offset..offset + length(body, offset)]).unwrap();
        assert_eq!(text(1), r#""a""#);
        assert_eq!(text(5), "[1, 2.5]");
        assert_eq!(text(18), "-1e400");
        assert_eq!(text(29), "n");
        assert_eq!(length(body, body.len()), 0);
        assert_eq!(length(body, 1_000), 0);
    }

    #[test]
    fn of_a_long_value_the_first_character_and_of_a_character_all_bytes() {
        let long = format!("[{}1]", "1,".repeat(1_000));
        assert_eq!(length(long.as_bytes(), 0), 1);
        assert_eq!(length("😀".as_bytes(), 0), 4);
        assert_eq!(length(b"\xff\xff", 0), 1);
    }
}
