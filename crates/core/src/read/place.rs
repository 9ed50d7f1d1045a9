//! Where a document stands in the body that it is a part of: a record of a sequence.
//! Violations are found within the document and told within the body.

use crate::violation::Violation;

/// Where a document stands in the body.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Its number in a sequence or batch, from 0.
    pub(crate) record: Option<u32>,
    /// Where it starts in the body.
    pub(crate) start: usize,
}

impl Place {
    /// Puts a violation of the document into the body.
    pub(crate) fn apply(&self, violation: &mut Violation) {
        let start = self.start as u64;
        violation.record = self.record;
        violation.byte_offset = violation.byte_offset.map(|offset| start + offset);
        if let Some(other) = &mut violation.other {
            other.byte_offset += start;
        }
    }
}
