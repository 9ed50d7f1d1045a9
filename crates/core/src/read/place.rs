//! Where a document stands in the body that it is a part of: a record of a sequence, the
//! data of a `CloudEvent`. Violations are found within the document and told within the body.

use crate::violation::Violation;

/// Where a document stands in the body.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its number in a sequence or batch, from 0.
    pub(crate) record: Option<u32>,
    /// RFC 6901 pointer to it; empty for a record, which is a document of its own.
    pub(crate) pointer: String,
    pub(crate) offsets: Offsets,
}

/// How offsets within the document become offsets within the body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Offsets {
    /// Its bytes stand there as they are, from this one on.
    From(usize),
    /// They stand there in base64, whose first letter is at this one. Three bytes are four
    /// letters; the first of the four is told.
    Base64(usize),
    /// They stand nowhere as they are; what they are made of starts here.
    At(usize),
}

impl Offsets {
    const fn of(self, offset: u64) -> u64 {
        match self {
            Self::From(start) => start as u64 + offset,
            Self::Base64(start) => start as u64 + offset / 3 * 4,
            Self::At(start) => start as u64,
        }
    }

    const fn is_readable(self) -> bool {
        match self {
            Self::From(_) => true,
            Self::Base64(_) | Self::At(_) => false,
        }
    }
}

impl Place {
    /// Puts a violation of the document into the body. A pointer into what is encoded has no
    /// meaning there: it goes into the sentence.
    pub(crate) fn apply(&self, violation: &mut Violation) {
        violation.record = self.record;
        violation.byte_offset = violation.byte_offset.map(|offset| self.offsets.of(offset));
        if let Some(other) = &mut violation.other {
            other.byte_offset = self.offsets.of(other.byte_offset);
        }
        if self.offsets.is_readable() {
            self.prefix(&mut violation.pointer);
            if let Some(other) = &mut violation.other {
                self.prefix(&mut other.pointer);
            }
            return;
        }
        let inner = std::mem::replace(&mut violation.pointer, self.pointer.clone());
        if !inner.is_empty() {
            violation.message = format!("at {inner} of what is encoded: {}", violation.message);
        }
        if let Some(other) = &mut violation.other {
            other.pointer.clone_from(&self.pointer);
        }
    }

    fn prefix(&self, pointer: &mut String) {
        if !self.pointer.is_empty() {
            pointer.insert_str(0, &self.pointer);
        }
    }
}
