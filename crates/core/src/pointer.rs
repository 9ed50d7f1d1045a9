//! JSON Pointers (RFC 6901) as the reader builds them.

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
    format!("{pointer}/{index}")
}

/// The pointer that leads to the byte at `offset` of a well-formed text, by the members
/// and elements that enclose it.
pub(crate) fn enclosing(root: crate::json::Value<'_>, offset: usize) -> String {
    let mut pointer = String::new();
    let mut here = root;
    loop {
        let member = here
            .members()
            .find(|(_, value)| value.start <= offset && offset < value.end);
        if let Some((name, value)) = member {
            pointer = child(&pointer, &name);
            here = value;
            continue;
        }
        let mut elements = here.elements().enumerate();
        let found = elements.find(|(_, value)| value.start <= offset && offset < value.end);
        let Some((index, value)) = found else {
            return pointer;
        };
        pointer = element(&pointer, index);
        here = value;
    }
}
