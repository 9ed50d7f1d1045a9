//! What the event that carries a feature says of it: key, id, op, version.

use super::Contract;
use crate::code::Code;
use crate::envelope::Op;
use crate::source::TypeOp;

impl Contract<'_> {
    /// The feature's number within its event: in a batch sent again, the event may stand
    /// elsewhere.
    fn number(&self) -> Option<u32> {
        let event = self.event?;
        Some(self.feature.index.saturating_sub(event.first))
    }

    /// Source, id and number. No key of another rule ends in `#ce` and a number.
    pub(super) fn carried_key(&self) -> Option<String> {
        let (event, number) = (self.event?, self.number()?);
        Some(format!("{}#ce{number}", event.identity))
    }

    /// The event's id; of one feature of several, with its number.
    pub(super) fn carried_id(&self) -> Option<String> {
        let (event, number) = (self.event?, self.number()?);
        Some(if self.feature.pointer.is_empty() && number == 0 {
            event.id.clone()
        } else {
            format!("{}#{number}", event.id)
        })
    }

    /// By the type of the event where the source maps it, else by the feature.
    pub(super) fn op(&mut self) -> Op {
        let own = self.own_op();
        let mapped = match self.event.map(|event| event.op) {
            None | Some(TypeOp::Feature) => return own,
            Some(TypeOp::Upsert) => Op::Upsert,
            Some(TypeOp::Delete) => Op::Delete,
        };
        if let Some(value) = self.find(&self.source.op)
            && own != mapped
        {
            let message = "the feature's op is not that of the event's type".to_owned();
            self.refuse(Code::CloudEventOp, &self.source.op, value.start, message);
        }
        mapped
    }

    /// The event's `time`, which was looked at with its attributes.
    pub(super) fn carried_version(&mut self) -> i64 {
        if let Some(time_us) = self.event.and_then(|event| event.time_us) {
            return time_us;
        }
        let message = "the version is the `time` of a CloudEvent, and this is none".to_owned();
        let start = self.feature.value.start;
        self.refuse(Code::SchemaVersionMissing, "", start, message);
        self.request.accepted_at_us
    }
}
