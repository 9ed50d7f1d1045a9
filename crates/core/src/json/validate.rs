//! The strict pass: RFC 8259 grammar, depth, members named once, and an [`Index`] of what
//! stands where. Iterative; stops at the first fault of the grammar, collects duplicates.

use super::index::{Container, Content, Duplicate, Index, Member, NO_SLOT, Slot};
use super::number;
use super::space::space_end;
use super::table::Tables;
use super::text;
use crate::pointer;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Why the grammar failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyntaxKind {
    /// Another character or the end where the grammar asks for something else.
    Unexpected,
    /// A raw control character inside a string.
    ControlCharacter,
    /// An escape that JSON does not have.
    Escape,
    /// Half a surrogate pair.
    LoneSurrogate,
    /// A number that JSON does not have.
    Number,
    /// Deeper than the limit.
    Depth,
    /// Something after the value.
    TrailingBytes,
}

/// Where and why the grammar failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SyntaxFault {
    pub(crate) kind: SyntaxKind,
    pub(crate) at: usize,
}

impl SyntaxFault {
    pub(super) const fn new(kind: SyntaxKind, at: usize) -> Self {
        Self { kind, at }
    }
}

/// Duplicates kept; the rest is counted.
const DUPLICATES_KEPT_MAX: usize = 100;
/// Bytes of a duplicate's pointer: a name may be as long as the body, and the answer tells
/// many of them.
const POINTER_BYTES_MAX: usize = 1_024;
/// Names compared one by one before a tree takes over.
const NAMES_SCANNED_MAX: usize = 16;
/// Room made at once for containers, for members and for frames: of most events, all.
const ROOM: usize = 8;
/// A member has some so many bytes in most bodies; room for as many is made at once.
const MEMBER_BYTES_USUAL: usize = 24;
const MEMBERS_GUESSED_MAX: usize = 64;

/// A container that is open.
struct Frame<'a> {
    start: usize,
    object: bool,
    /// The index of the element that is being read.
    element: usize,
    slot: Slot,
    /// Where its members start among those of open objects.
    first: usize,
    /// Their names, once they are many.
    names: Option<BTreeSet<Cow<'a, str>>>,
}

/// Checks one JSON text from `start` to the end of the input.
pub(crate) fn validate(input: &str, depth_max: u32) -> Result<Index, SyntaxFault> {
    let mut pass = Pass::new(input, depth_max, Tables::default());
    pass.run()?;
    Ok(pass.index)
}

/// The same of a text whose tables were taken out of it; they are in the index also when the
/// grammar fails.
pub(crate) fn validate_sieved(
    input: &str,
    depth_max: u32,
    tables: Tables,
) -> (Index, Option<SyntaxFault>) {
    let mut pass = Pass::new(input, depth_max, tables);
    let fault = pass.run().err();
    (pass.index, fault)
}

struct Pass<'a> {
    input: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_max: usize,
    frames: Vec<Frame<'a>>,
    /// The members so far of all open objects.
    open: Vec<Member>,
    index: Index,
}

/// Texts are shorter than 4 GiB: whoever reads one sees to that.
#[allow(clippy::cast_possible_truncation, reason = "see above")]
const fn narrow(offset: usize) -> u32 {
    offset as u32
}

impl<'a> Pass<'a> {
    fn new(input: &'a str, depth_max: u32, tables: Tables) -> Self {
        let room = (input.len() / MEMBER_BYTES_USUAL).min(MEMBERS_GUESSED_MAX);
        Self {
            input,
            bytes: input.as_bytes(),
            at: 0,
            depth_max: usize::try_from(depth_max).unwrap_or(usize::MAX),
            frames: Vec::with_capacity(ROOM),
            open: Vec::with_capacity(room),
            index: Index {
                containers: Vec::with_capacity(ROOM.min(room)),
                members: Vec::with_capacity(room),
                tables,
                ..Index::default()
            },
        }
    }

    fn run(&mut self) -> Result<(), SyntaxFault> {
        self.space();
        loop {
            if self.value()? {
                continue;
            }
            if !self.close_and_step()? {
                break;
            }
        }
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            Err(SyntaxFault::new(SyntaxKind::TrailingBytes, self.at))
        }
    }

    fn space(&mut self) {
        self.at = space_end(self.bytes, self.at);
    }

    fn unexpected<T>(&self) -> Result<T, SyntaxFault> {
        Err(SyntaxFault::new(SyntaxKind::Unexpected, self.at))
    }

    /// Takes a value whole, or opens a container and steps to the first value in it (then
    /// true).
    fn value(&mut self) -> Result<bool, SyntaxFault> {
        match self.bytes.get(self.at) {
            Some(b'{') => return self.open(true),
            Some(b'[') if self.take_table() => return Ok(false),
            Some(b'[') => return self.open(false),
            Some(b'"') => self.at = text::check(self.bytes, self.at)?.0,
            Some(b'-' | b'0'..=b'9') => {
                let fault = |at| SyntaxFault::new(SyntaxKind::Number, at);
                self.at = number::end(self.bytes, self.at).map_err(fault)?;
            }
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            _ => return self.unexpected(),
        }
        self.ended(NO_SLOT);
        Ok(false)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), SyntaxFault> {
        if self.bytes[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(())
        } else {
            self.unexpected()
        }
    }

    /// A value ends here: of a member, that is noted.
    fn ended(&mut self, slot: Slot) {
        if self.frames.last().is_some_and(|frame| frame.object)
            && let Some(member) = self.open.last_mut()
        {
            member.end = narrow(self.at);
            member.slot = slot;
        }
    }

    /// Takes an array of positions whole: they are the bulk of a geometry, and need no
    /// frames.
    fn take_table(&mut self) -> bool {
        if self.frames.len() + 1 >= self.depth_max {
            return false;
        }
        let tables = &mut self.index.tables;
        let cut = tables.cut_at(self.at);
        let Some((table, end)) = cut.or_else(|| tables.read(self.bytes, self.at)) else {
            return false;
        };
        self.holds_container();
        let slot = self.enter(self.at, Content::Table(table));
        self.at = end;
        self.leave(slot);
        self.ended(slot);
        true
    }

    fn enter(&mut self, start: usize, content: Content) -> Slot {
        let slot = narrow(self.index.containers.len());
        self.index.containers.push(Container {
            start: narrow(start),
            end: 0,
            after: NO_SLOT,
            content,
        });
        slot
    }

    /// The container of that number ends here.
    fn leave(&mut self, slot: Slot) {
        let after = narrow(self.index.containers.len());
        if let Some(container) = self.index.containers.get_mut(slot as usize) {
            container.end = narrow(self.at);
            container.after = after;
        }
    }

    /// Indexes the innermost container, once.
    fn holds_container(&mut self) {
        if let Some(frame) = self.frames.last()
            && frame.slot == NO_SLOT
        {
            let slot = self.enter(frame.start, Content::Elements);
            if let Some(frame) = self.frames.last_mut() {
                frame.slot = slot;
            }
        }
    }

    fn open(&mut self, object: bool) -> Result<bool, SyntaxFault> {
        if self.frames.len() >= self.depth_max {
            return Err(SyntaxFault::new(SyntaxKind::Depth, self.at));
        }
        if let Some((table, _)) = self.index.tables.cut_at(self.at) {
            // Its own bracket fits, those of its positions do not.
            let at = self.index.tables.offset(table, 0);
            return Err(SyntaxFault::new(SyntaxKind::Depth, at));
        }
        self.holds_container();
        let start = self.at;
        self.at += 1;
        self.space();
        let close = if object { b'}' } else { b']' };
        if self.bytes.get(self.at) == Some(&close) {
            self.at += 1;
            self.ended(NO_SLOT);
            return Ok(false);
        }
        self.frames.push(Frame {
            start,
            object,
            element: 0,
            slot: NO_SLOT,
            first: self.open.len(),
            names: None,
        });
        if object {
            // It is looked into by name, again and again.
            self.holds_container();
            self.name()?;
        }
        Ok(true)
    }

    /// Takes the name of a member and the colon.
    fn name(&mut self) -> Result<(), SyntaxFault> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return self.unexpected();
        }
        let start = self.at;
        let (end, escaped) = text::check(self.bytes, start)?;
        self.remember(Member {
            name_start: narrow(start),
            name_end: narrow(end),
            escaped,
            start: 0,
            end: 0,
            slot: NO_SLOT,
        });
        self.at = end;
        self.space();
        if self.bytes.get(self.at) != Some(&b':') {
            return self.unexpected();
        }
        self.at += 1;
        self.space();
        if let Some(member) = self.open.last_mut() {
            member.start = narrow(self.at);
        }
        Ok(())
    }

    fn remember(&mut self, member: Member) {
        let known = self.knows(member);
        self.open.push(member);
        if known {
            let at = member.name_start as usize;
            self.index.duplicates_at.push(at);
            if self.index.duplicates.len() < DUPLICATES_KEPT_MAX {
                let pointer = self.pointer();
                let name = member.name(self.input).into_owned();
                self.index.duplicates.push(Duplicate { at, pointer, name });
            }
        }
    }

    /// Whether the innermost object has a member of that name already.
    fn knows(&mut self, member: Member) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        let before = self.open.get(frame.first..).unwrap_or_default();
        if before.len() < NAMES_SCANNED_MAX {
            return before.iter().any(|other| other.is(member, self.input));
        }
        let all = || before.iter().map(|other| other.name(self.input));
        let names = frame.names.get_or_insert_with(|| all().collect());
        !names.insert(member.name(self.input))
    }

    /// The pointer to the member or element that is being read; to one around it when
    /// names of a sender's choice would make it too long.
    fn pointer(&self) -> String {
        let mut way = String::new();
        for (depth, frame) in self.frames.iter().enumerate() {
            let next = if frame.object {
                let end = self.frames.get(depth + 1).map(|inner| inner.first);
                let last = end.unwrap_or(self.open.len()).checked_sub(1);
                let Some(member) = last.and_then(|last| self.open.get(last)) else {
                    return way;
                };
                if member.inner(self.input).len() > POINTER_BYTES_MAX {
                    return way;
                }
                pointer::child(&way, &member.name(self.input))
            } else {
                pointer::element(&way, frame.element)
            };
            if next.len() > POINTER_BYTES_MAX {
                return way;
            }
            way = next;
        }
        way
    }

    /// After a value: closes what closes, then steps over a comma. False at the end.
    fn close_and_step(&mut self) -> Result<bool, SyntaxFault> {
        loop {
            self.space();
            let Some(frame) = self.frames.last_mut() else {
                return Ok(false);
            };
            let close = if frame.object { b'}' } else { b']' };
            match self.bytes.get(self.at) {
                Some(byte) if *byte == close => {
                    self.at += 1;
                    self.close();
                }
                Some(b',') => {
                    frame.element += 1;
                    let object = frame.object;
                    self.at += 1;
                    self.space();
                    if object {
                        self.name()?;
                    }
                    return Ok(true);
                }
                _ => return self.unexpected(),
            }
        }
    }

    /// The innermost container has ended.
    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.object {
            let first = narrow(self.index.members.len());
            let count = narrow(self.open.len() - frame.first);
            self.index.members.extend(self.open.drain(frame.first..));
            if let Some(container) = self.index.containers.get_mut(frame.slot as usize) {
                container.content = Content::Members(first, count);
            }
        }
        self.leave(frame.slot);
        self.ended(frame.slot);
    }
}

impl Member {
    /// Whether both names mean the same.
    #[inline]
    fn is(self, other: Self, input: &str) -> bool {
        if self.escaped || other.escaped {
            return self.name(input) == other.name(input);
        }
        let length = |member: Self| member.name_end - member.name_start;
        length(self) == length(other) && self.written(input) == other.written(input)
    }

    /// The bytes of the name with its quotes.
    fn written(self, input: &str) -> &[u8] {
        let bytes = input.as_bytes();
        let range = self.name_start as usize..self.name_end as usize;
        bytes.get(range).unwrap_or_default()
    }

    /// The name as written between its quotes.
    pub(super) fn inner(self, input: &str) -> &str {
        let (start, end) = (self.name_start as usize + 1, self.name_end as usize - 1);
        input.get(start..end).unwrap_or_default()
    }

    /// What the name means.
    pub(super) fn name(self, input: &str) -> Cow<'_, str> {
        let inner = self.inner(input);
        if self.escaped {
            text::decode(inner)
        } else {
            Cow::Borrowed(inner)
        }
    }
}
