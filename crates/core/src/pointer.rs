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
    elements(pointer, &[index])
}

/// A pointer with some more array indices.
pub(crate) fn elements(pointer: &str, indices: &[usize]) -> String {
    const INDEX_BYTES_USUAL: usize = 6;
    let more = indices.len() * INDEX_BYTES_USUAL;
    let mut text = String::with_capacity(pointer.len() + more);
    text.push_str(pointer);
    for index in indices {
        text.push('/');
        text.push_str(Digits::of(*index as u64).as_str());
    }
    text
}
