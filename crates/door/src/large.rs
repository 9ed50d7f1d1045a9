//! Envelopes that are larger than a route carries: the payload is stored beside, and the
//! envelope travels with a pointer.

use crate::answer::Answer;
use crate::problem::Problem;
use hexlane_core::Envelope;
use hexlane_core::code::Code;
use hexlane_core::envelope::Payload;
use hexlane_core::violation::{Report, Violation};

/// A payload that must be stored under its key before its envelope travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargePayload {
    /// The object.
    pub key: String,
    /// The payload, as received.
    pub bytes: Vec<u8>,
}

/// Takes the payload out of an envelope that is too large; none when it fits.
///
/// # Errors
/// The answer, when what is left is too large as well. `index` is the feature's.
pub(crate) fn take(
    envelope: &mut Envelope,
    index: u32,
    envelope_bytes_max: u64,
    key: impl FnOnce() -> String,
) -> Result<Option<LargePayload>, Answer> {
    let fits = |envelope: &Envelope| envelope.encoded_len() as u64 <= envelope_bytes_max;
    if fits(envelope) {
        return Ok(None);
    }
    let key = key();
    let size_bytes = envelope.inline_payload().map_or(0, <[u8]>::len) as u64;
    let pointer = Payload::Pointer {
        uri: key.clone(),
        size_bytes,
    };
    let bytes = match std::mem::replace(&mut envelope.payload, pointer) {
        Payload::Inline(bytes) => bytes,
        Payload::Pointer { .. } => return Err(refused(index, envelope_bytes_max)),
    };
    if !fits(envelope) {
        return Err(refused(index, envelope_bytes_max));
    }
    Ok(Some(LargePayload { key, bytes }))
}

fn refused(index: u32, envelope_bytes_max: u64) -> Answer {
    let message = format!("the event has more than {envelope_bytes_max} bytes beside its payload");
    let mut violation = Violation::new(Code::LimitEnvelope, message);
    violation.feature = Some(index);
    let mut report = Report::new(1);
    report.push(violation);
    let features = vec![index];
    Problem::Refused {
        report,
        features,
        each: false,
    }
    .answer()
}
