//! Text for PostgreSQL, whose text has no U+0000. JSON's has, so an id may hold one; it is
//! stored as U+10FFFE `0`, and a U+10FFFE as two. No other text changes.

use std::borrow::Cow;

/// A noncharacter: Unicode promises that it never means anything.
const ESCAPE: char = '\u{10FFFE}';

/// Text as it is stored.
pub(crate) fn to_stored(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', ESCAPE]) {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            '\0' => stored.extend([ESCAPE, '0']),
            ESCAPE => stored.extend([ESCAPE, ESCAPE]),
            _ => stored.push(letter),
        }
    }
    Cow::Owned(stored)
}

/// The text that was stored.
pub(crate) fn from_stored(stored: String) -> String {
    if !stored.contains(ESCAPE) {
        return stored;
    }
    let mut text = String::with_capacity(stored.len());
    let mut letters = stored.chars();
    while let Some(letter) = letters.next() {
        match (letter == ESCAPE).then(|| letters.next()).flatten() {
            Some('0') => text.push('\0'),
            Some(escaped) => text.push(escaped),
            None => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usual_text_is_stored_as_it_is() {
        assert!(matches!(to_stored("van-1 Zürich"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn every_text_comes_back_and_none_holds_a_zero(
            text in "[\0\u{10FFFE}0a]{0,12}"
        ) {
            let stored = to_stored(&text).into_owned();
            prop_assert!(!stored.contains('\0'));
            prop_assert_eq!(from_stored(stored), text);
        }
    }
}
