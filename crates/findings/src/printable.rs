//! Text of a stranger, safe to show. A file name or a member name may hold escape sequences
//! that move the cursor, line ends that forge a line, or marks that turn the reading
//! direction: these are written as escapes, everything else as it is.

use std::borrow::Cow;
use std::fmt::Write as _;

/// That text with escapes for what must not reach a terminal, nor an XML document.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            _ if is_unsafe(letter) => {
                // Writing to a string does not fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(letter));
            }
            _ => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

fn is_unsafe(letter: char) -> bool {
    let turns = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let parts_lines = matches!(letter, '\u{2028}' | '\u{2029}');
    let no_character = matches!(letter, '\u{fffe}' | '\u{ffff}');
    letter.is_control() || turns || parts_lines || no_character
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_a_terminal_is_written_as_an_escape() {
        assert_eq!(printable("Zürich, 東京 😀"), "Zürich, 東京 😀");
        assert_eq!(printable("a\u{1b}[2Jb\nc\t"), "a\\u{1b}[2Jb\\nc\\t");
        assert_eq!(
            printable("\u{9b}\u{202e}\u{2028}\u{ffff}"),
            "\\u{9b}\\u{202e}\\u{2028}\\u{ffff}"
        );
    }
}
