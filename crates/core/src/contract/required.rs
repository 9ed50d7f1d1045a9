//! The members that a source requires of its features, and their types.

use super::Contract;
use crate::code::Code;
use crate::json::Value;
use crate::source::MemberType;

impl<'a> Contract<'a> {
    /// Tells every breach. What a delete needs is its entity and its version alone.
    pub(super) fn required(&mut self) {
        let source = self.source;
        for (pointer, wanted) in &source.required {
            self.require(pointer, *wanted);
        }
    }

    fn require(&mut self, pointer: &str, wanted: MemberType) {
        let feature = self.feature.value;
        match feature.at_pointer(pointer) {
            None => {
                let message = format!("the source requires {} here", wanted.as_str());
                let start = self.nearest(pointer).start;
                self.refuse(Code::ContractMemberMissing, pointer, start, message);
            }
            Some(value) if !wanted.takes(value) => {
                let message = format!(
                    "{}, and the source requires {}",
                    described(value),
                    wanted.as_str()
                );
                self.refuse(Code::ContractMemberType, pointer, value.start, message);
            }
            Some(_) => {}
        }
    }

    /// What is there on the way to a member that is not.
    fn nearest(&self, pointer: &str) -> Value<'a> {
        let mut here = pointer;
        while let Some((outer, _)) = here.rsplit_once('/') {
            if let Some(value) = self.feature.value.at_pointer(outer) {
                return value;
            }
            here = outer;
        }
        self.feature.value
    }
}

/// What a value is; of a short scalar, the value.
fn described(value: Value<'_>) -> String {
    const BYTES_MAX: usize = 40;
    let raw = value.raw();
    if raw.len() <= BYTES_MAX && !raw.starts_with(['{', '[']) {
        format!("`{raw}`")
    } else {
        value.kind().as_str().to_owned()
    }
}
