//! JSON Pointers (RFC 6901) as the reader builds them.

use crate::decimal::Digits;

/// A pointer with one more member name.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    let mut text = String::with_capacity(pointer.len() + name.len() + 1);
    text.push_str(pointer);
    text.push('/');
    for letter in name.chars() {
        match letter {
            '~' => text.push_str("~0"),
            '/' => text.push_str("~1"),
            other => text.push(other),
        }
    }
    text
}

/// A pointer with one more array index.
pub(crate) fn element(pointer: &str, index: usize) -> String {
    let digits = Digits::of(index as u64);
    let digits = digits.as_str();
    let mut text = String::with_capacity(pointer.len() + digits.len() + 1);
    text.push_str(pointer);
    text.push('/');
    text.push_str(digits);
    text
}
