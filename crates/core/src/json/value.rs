//! A view of one value in a text that passed the strict pass.

use super::number;
use super::space::space_end as space;
use super::table::Table;
use super::text;
use super::validate::Index;
use std::borrow::Cow;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

impl Kind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Null => "null",
        }
    }
}

/// A value, by where it starts and ends.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    input: &'a str,
    index: &'a Index,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl<'a> Value<'a> {
    /// The whole text's value.
    pub(crate) fn root(input: &'a str, index: &'a Index) -> Self {
        let start = space(input.as_bytes(), 0);
        let end = value_end(input.as_bytes(), index, start);
        Self {
            input,
            index,
            start,
            end,
        }
    }

    pub(crate) fn raw(&self) -> &'a str {
        self.input.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn kind(&self) -> Kind {
        match self.input.as_bytes().get(self.start) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The meaning of a string; none for anything else.
    pub(crate) fn as_text(&self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        self.input
            .get(self.start + 1..self.end - 1)
            .map(text::decode)
    }

    /// The nearest double of a number, which may be infinite; none for anything else.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        let read = number::read(self.input.as_bytes(), self.start);
        read.map(|(number, _)| number)
            .or_else(|| self.raw().parse().ok())
    }

    /// An array of positions, when it is nothing else.
    pub(crate) fn as_table(&self) -> Option<Table<'a>> {
        self.index.tables.at(self.start)
    }

    /// The members of an object, in document order; nothing for anything else.
    pub(crate) fn members(&self) -> Members<'a> {
        let at = if self.kind() == Kind::Object {
            self.start + 1
        } else {
            self.end
        };
        Members(Children {
            input: self.input,
            index: self.index,
            at,
            end: self.end,
        })
    }

    /// The elements of an array, in document order; nothing for anything else.
    pub(crate) fn elements(&self) -> Elements<'a> {
        let at = if self.kind() == Kind::Array {
            self.start + 1
        } else {
            self.end
        };
        Elements(Children {
            input: self.input,
            index: self.index,
            at,
            end: self.end,
        })
    }

    /// The member of that name.
    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        self.members()
            .find(|(member, _)| *member == name)
            .map(|(_, value)| value)
    }

    /// What an RFC 6901 pointer leads to.
    pub(crate) fn at_pointer(&self, pointer: &str) -> Option<Self> {
        let mut here = *self;
        for token in pointer.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            here = match here.kind() {
                Kind::Object => here.member(&token)?,
                Kind::Array => here.elements().nth(token.parse().ok()?)?,
                Kind::String | Kind::Number | Kind::Bool | Kind::Null => return None,
            };
        }
        Some(here)
    }
}

struct Children<'a> {
    input: &'a str,
    index: &'a Index,
    at: usize,
    end: usize,
}

impl<'a> Children<'a> {
    fn next(&mut self) -> Option<Value<'a>> {
        let bytes = self.input.as_bytes();
        let mut start = space(bytes, self.at);
        if bytes.get(start) == Some(&b',') {
            start = space(bytes, start + 1);
        }
        if start + 1 >= self.end {
            return None;
        }
        let end = value_end(bytes, self.index, start);
        self.at = end;
        Some(Value {
            input: self.input,
            index: self.index,
            start,
            end,
        })
    }
}

/// Members of an object.
pub(crate) struct Members<'a>(Children<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let Children {
            input,
            index,
            at,
            end,
        } = self.0;
        let bytes = input.as_bytes();
        let mut start = space(bytes, at);
        if bytes.get(start) == Some(&b',') {
            start = space(bytes, start + 1);
        }
        if start + 1 >= end {
            return None;
        }
        let (name_end, escaped) = text::end(bytes, start);
        let inner = input.get(start + 1..name_end - 1)?;
        let name = if escaped {
            text::decode(inner)
        } else {
            Cow::Borrowed(inner)
        };
        let start = space(bytes, space(bytes, name_end) + 1);
        let end = value_end(bytes, index, start);
        self.0.at = end;
        let value = Value {
            input,
            index,
            start,
            end,
        };
        Some((name, value))
    }
}

/// Elements of an array.
pub(crate) struct Elements<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// The end of the value that starts there; the text is known to be well-formed.
fn value_end(bytes: &[u8], index: &Index, start: usize) -> usize {
    match bytes.get(start) {
        Some(b'"') => text::end(bytes, start).0,
        Some(b'{' | b'[') => index
            .end_of(start)
            .unwrap_or_else(|| flat_end(bytes, start)),
        _ => {
            let mut at = start;
            while !matches!(
                bytes.get(at),
                None | Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
            ) {
                at += 1;
            }
            at
        }
    }
}

/// The end of a container that holds no other.
fn flat_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None => return bytes.len(),
            Some(b'"') => at = text::end(bytes, at).0,
            Some(b']' | b'}') => return at + 1,
            Some(_) => at += 1,
        }
    }
}
