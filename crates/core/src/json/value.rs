//! A view of one value in a text that passed the strict pass.

use super::index::{Content, Index, Member, NO_SLOT, Slot};
use super::number;
use super::space::space_end as space;
use super::table::{Table, Tables};
use super::text;
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
    slot: Slot,
}

impl<'a> Value<'a> {
    /// The whole text's value.
    pub(crate) fn root(input: &'a str, index: &'a Index) -> Self {
        let mut root = Children {
            input,
            index,
            at: 0,
            end: input.len(),
            slot: 0,
        };
        let start = space(input.as_bytes(), 0);
        root.value(start)
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
    pub(crate) fn as_table(&self) -> Option<Table> {
        match self.index.container(self.slot)?.content {
            Content::Table(number) => self.index.tables.get(number),
            Content::Members(..) | Content::Elements => None,
        }
    }

    /// All tables of the text.
    pub(crate) const fn tables(&self) -> &'a Tables {
        &self.index.tables
    }

    /// The members of an object, in document order; nothing for anything else.
    pub(crate) fn members(&self) -> Members<'a> {
        Members {
            input: self.input,
            index: self.index,
            left: self.index.members_of(self.slot).iter(),
        }
    }

    /// The elements of an array, in document order; nothing for anything else.
    pub(crate) fn elements(&self) -> Elements<'a> {
        if let Some(table) = self.as_table() {
            self.index.tables.miss(table.number);
        }
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
            slot: self.slot.checked_add(1).unwrap_or(NO_SLOT),
        })
    }

    /// The member of that name; of a name that stands twice, the first.
    pub(crate) fn member(&self, name: &str) -> Option<Self> {
        let members = self.index.members_of(self.slot);
        let found = members.iter().find(|member| {
            if member.escaped {
                member.name(self.input) == name
            } else {
                member.inner(self.input) == name
            }
        });
        found.map(|member| value_of(self.input, self.index, member))
    }

    /// The member of that number, in document order.
    pub(crate) fn member_at(&self, number: u32) -> Option<Self> {
        let members = self.index.members_of(self.slot);
        let member = members.get(number as usize)?;
        Some(value_of(self.input, self.index, member))
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

const fn value_of<'a>(input: &'a str, index: &'a Index, member: &Member) -> Value<'a> {
    Value {
        input,
        index,
        start: member.start as usize,
        end: member.end as usize,
        slot: member.slot,
    }
}

/// Members of an object.
pub(crate) struct Members<'a> {
    input: &'a str,
    index: &'a Index,
    left: std::slice::Iter<'a, Member>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.left.next()?;
        let value = value_of(self.input, self.index, member);
        Some((member.name(self.input), value))
    }
}

struct Children<'a> {
    input: &'a str,
    index: &'a Index,
    at: usize,
    end: usize,
    /// The next container of the index.
    slot: Slot,
}

impl<'a> Children<'a> {
    /// The value that starts there.
    fn value(&mut self, start: usize) -> Value<'a> {
        let bytes = self.input.as_bytes();
        let mut slot = NO_SLOT;
        let end = match bytes.get(start) {
            Some(b'"') => text::end(bytes, start).0,
            Some(b'{' | b'[') => match self.index.container_at(self.slot, start) {
                Some(container) => {
                    slot = std::mem::replace(&mut self.slot, container.after);
                    container.end as usize
                }
                None => flat_end(bytes, start),
            },
            _ => scalar_end(bytes, start),
        };
        self.at = end;
        Value {
            input: self.input,
            index: self.index,
            start,
            end,
            slot,
        }
    }
}

/// Elements of an array.
pub(crate) struct Elements<'a>(Children<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.0.input.as_bytes();
        let mut start = space(bytes, self.0.at);
        if bytes.get(start) == Some(&b',') {
            start = space(bytes, start + 1);
        }
        if start + 1 >= self.0.end {
            return None;
        }
        Some(self.0.value(start))
    }
}

/// The end of a number, a boolean or null; the text is known to be well-formed.
fn scalar_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while !matches!(
        bytes.get(at),
        None | Some(b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t')
    ) {
        at += 1;
    }
    at
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;
    use proptest::prelude::*;

    #[test]
    fn members_are_found_however_many_and_the_first_of_a_name_counts() {
        let members: Vec<String> = (0..200).map(|n| format!("\"k{n}\":{n}")).collect();
        let text = format!("{{\"\\u006b7\":[7],{}}}", members.join(","));
        let index = validate(&text, 8).unwrap();
        let root = Value::root(&text, &index);
        for n in [0, 63, 64, 199] {
            assert_eq!(root.member(&format!("k{n}")).unwrap().raw(), n.to_string());
        }
        assert_eq!(root.member("k7").unwrap().raw(), "[7]");
        assert!(root.member("k200").is_none());
        assert_eq!(index.duplicates.len(), 1);
    }

    /// Every value in it, by the way to it, as it is written.
    fn walk(value: Value<'_>, found: &mut Vec<String>) {
        found.push(value.raw().to_owned());
        for (name, inner) in value.members() {
            found.push(name.into_owned());
            walk(inner, found);
        }
        for inner in value.elements() {
            walk(inner, found);
        }
    }

    /// The same by its own rules: objects as `(name, value)` in brackets.
    fn json() -> impl Strategy<Value = (String, Vec<String>)> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            Just("-0.5e3".to_owned()),
            Just("\"a],}\\\"\"".to_owned()),
            Just("[]".to_owned()),
            Just("{}".to_owned()),
            Just("[[1,2],[3,4]]".to_owned()),
            Just("[[1,2],[3,4,5]]".to_owned()),
        ];
        let leaf = leaf.prop_map(|text| {
            let mut found = vec![text.clone()];
            let inner: &[&str] = match text.as_str() {
                "[[1,2],[3,4]]" => &["[1,2]", "1", "2", "[3,4]", "3", "4"],
                "[[1,2],[3,4,5]]" => &["[1,2]", "1", "2", "[3,4,5]", "3", "4", "5"],
                _ => &[],
            };
            found.extend(inner.iter().map(ToString::to_string));
            (text, found)
        });
        leaf.prop_recursive(5, 40, 5, |inner| {
            (prop::collection::vec(inner, 1..5), any::<bool>()).prop_map(|(parts, object)| {
                let texts = parts.iter().enumerate().map(|(at, (text, _))| {
                    let name = object.then(|| format!("\"k{at}\" : "));
                    name.unwrap_or_default() + text
                });
                let texts: Vec<String> = texts.collect();
                let text = if object {
                    format!("{{{}}}", texts.join(" ,\n"))
                } else {
                    format!("[ {} ]", texts.join(" , "))
                };
                let mut found = vec![text.clone()];
                for (at, (_, inner)) in parts.into_iter().enumerate() {
                    found.extend(object.then(|| format!("k{at}")));
                    found.extend(inner);
                }
                (text, found)
            })
        })
    }

    proptest! {
        #[test]
        fn what_is_nested_is_found_as_it_is_written((text, wanted) in json()) {
            let text = format!(" {text}\n");
            let index = validate(&text, 64).unwrap();
            let mut found = Vec::new();
            walk(Value::root(&text, &index), &mut found);
            prop_assert_eq!(found, wanted);
        }
    }
}
