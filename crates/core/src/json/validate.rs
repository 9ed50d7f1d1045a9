//! The strict pass: RFC 8259 grammar, depth, members named once, and where containers
//! end. Iterative; stops at the first fault of the grammar, collects duplicates.

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

/// A member named twice in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// Offset of the later name.
    pub(crate) at: usize,
    /// To the member; to the nearest object around it that a short pointer reaches.
    pub(crate) pointer: String,
    pub(crate) name: String,
}

/// Where the containers end, and which members were named twice.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Start and end (exclusive) of each object, and of each array that holds another
    /// container, by start.
    containers: Vec<(usize, usize)>,
    /// The first duplicates.
    pub(crate) duplicates: Vec<Duplicate>,
    /// Offsets of all of them, ascending.
    duplicates_at: Vec<usize>,
    pub(super) tables: Tables,
}

impl Index {
    /// The end of the container that starts there, when it is indexed.
    pub(super) fn end_of(&self, start: usize) -> Option<usize> {
        let found = self
            .containers
            .binary_search_by_key(&start, |(start, _)| *start)
            .ok()?;
        self.containers.get(found).map(|(_, end)| *end)
    }

    /// How many duplicates stand from `start` to `end` (exclusive).
    pub(crate) fn duplicates_within(&self, start: usize, end: usize) -> usize {
        let before = |end| self.duplicates_at.partition_point(|at| *at < end);
        before(end).saturating_sub(before(start))
    }
}

/// Duplicates kept; the rest is counted.
const DUPLICATES_KEPT_MAX: usize = 100;
/// Bytes of a duplicate's pointer: a name may be as long as the body, and the answer tells
/// many of them.
const POINTER_BYTES_MAX: usize = 1_024;
/// Names compared one by one before a tree takes over.
const NAMES_SCANNED_MAX: usize = 16;

struct Frame<'a> {
    start: usize,
    object: bool,
    /// The name of the member that is being read, as written between its quotes.
    member: &'a str,
    /// The index of the element that is being read.
    element: usize,
    slot: Option<usize>,
    names: Vec<Cow<'a, str>>,
    tree: BTreeSet<Cow<'a, str>>,
}

/// Checks one JSON text from `start` to the end of the input.
pub(crate) fn validate(input: &str, depth_max: u32) -> Result<Index, SyntaxFault> {
    let mut pass = Pass {
        input,
        bytes: input.as_bytes(),
        at: 0,
        depth_max: usize::try_from(depth_max).unwrap_or(usize::MAX),
        frames: Vec::new(),
        index: Index::default(),
    };
    pass.run()?;
    Ok(pass.index)
}

struct Pass<'a> {
    input: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth_max: usize,
    frames: Vec<Frame<'a>>,
    index: Index,
}

impl<'a> Pass<'a> {
    fn run(&mut self) -> Result<(), SyntaxFault> {
        self.space();
        loop {
            let opened = self.value()?;
            if opened && !self.open_is_empty() {
                self.name_if_object()?;
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

    /// Takes a scalar whole, or opens a container (then true).
    fn value(&mut self) -> Result<bool, SyntaxFault> {
        match self.bytes.get(self.at) {
            Some(b'{') => self.open(true),
            Some(b'[') if self.take_table() => Ok(false),
            Some(b'[') => self.open(false),
            Some(b'"') => {
                self.at = text::check(self.bytes, self.at)?.0;
                Ok(false)
            }
            Some(b'-' | b'0'..=b'9') => {
                let fault = |at| SyntaxFault::new(SyntaxKind::Number, at);
                self.at = number::end(self.bytes, self.at).map_err(fault)?;
                Ok(false)
            }
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.unexpected(),
        }
    }

    fn word(&mut self, word: &str) -> Result<bool, SyntaxFault> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(false)
        } else {
            self.unexpected()
        }
    }

    /// Takes an array of positions whole: they are the bulk of a geometry, and need no
    /// frames.
    fn take_table(&mut self) -> bool {
        if self.frames.len() + 1 >= self.depth_max {
            return false;
        }
        let Some(end) = self.index.tables.read(self.bytes, self.at) else {
            return false;
        };
        self.holds_container();
        self.index.containers.push((self.at, end));
        self.at = end;
        true
    }

    /// Indexes the innermost container, once: an object that is not empty, or an array
    /// known to hold another container. Positions, the bulk of a geometry, are not.
    fn holds_container(&mut self) {
        if let Some(parent) = self.frames.last_mut()
            && parent.slot.is_none()
        {
            parent.slot = Some(self.index.containers.len());
            self.index.containers.push((parent.start, 0));
        }
    }

    fn open(&mut self, object: bool) -> Result<bool, SyntaxFault> {
        if self.frames.len() >= self.depth_max {
            return Err(SyntaxFault::new(SyntaxKind::Depth, self.at));
        }
        self.holds_container();
        self.frames.push(Frame {
            start: self.at,
            object,
            member: "",
            element: 0,
            slot: None,
            names: Vec::new(),
            tree: BTreeSet::new(),
        });
        self.at += 1;
        self.space();
        // An object is looked into by name, again and again: its end is worth knowing.
        if object && !self.open_is_empty() {
            self.holds_container();
        }
        Ok(true)
    }

    /// Whether the container just opened closes at once; its end is then taken by
    /// [`Pass::close_and_step`].
    fn open_is_empty(&self) -> bool {
        let close = if self.frames.last().is_some_and(|frame| frame.object) {
            b'}'
        } else {
            b']'
        };
        self.bytes.get(self.at) == Some(&close)
    }

    fn name_if_object(&mut self) -> Result<(), SyntaxFault> {
        if !self.frames.last().is_some_and(|frame| frame.object) {
            return Ok(());
        }
        if self.bytes.get(self.at) != Some(&b'"') {
            return self.unexpected();
        }
        let start = self.at;
        let (end, escaped) = text::check(self.bytes, start)?;
        let inner = &self.input[start + 1..end - 1];
        let name = if escaped {
            text::decode(inner)
        } else {
            Cow::Borrowed(inner)
        };
        self.remember(name, inner, start);
        self.at = end;
        self.space();
        if self.bytes.get(self.at) != Some(&b':') {
            return self.unexpected();
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn remember(&mut self, name: Cow<'a, str>, inner: &'a str, at: usize) {
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        frame.member = inner;
        let known = if frame.names.len() < NAMES_SCANNED_MAX {
            frame.names.contains(&name)
        } else {
            if frame.tree.is_empty() {
                frame.tree.extend(frame.names.iter().cloned());
            }
            !frame.tree.insert(name.clone())
        };
        if known {
            self.index.duplicates_at.push(at);
            if self.index.duplicates.len() < DUPLICATES_KEPT_MAX {
                let pointer = self.pointer();
                let name = name.into_owned();
                self.index.duplicates.push(Duplicate { at, pointer, name });
            }
        } else if frame.names.len() < NAMES_SCANNED_MAX {
            frame.names.push(name);
        }
    }

    /// The pointer to the member or element that is being read; to one around it when
    /// names of a sender's choice would make it too long.
    fn pointer(&self) -> String {
        let mut way = String::new();
        for frame in &self.frames {
            let next = if !frame.object {
                pointer::element(&way, frame.element)
            } else if frame.member.len() > POINTER_BYTES_MAX {
                return way;
            } else {
                pointer::child(&way, &text::decode(frame.member))
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
                    if let Some(slot) = frame.slot
                        && let Some(entry) = self.index.containers.get_mut(slot)
                    {
                        entry.1 = self.at;
                    }
                    self.frames.pop();
                }
                Some(b',') => {
                    frame.element += 1;
                    self.at += 1;
                    self.space();
                    self.name_if_object()?;
                    return Ok(true);
                }
                _ => return self.unexpected(),
            }
        }
    }
}
