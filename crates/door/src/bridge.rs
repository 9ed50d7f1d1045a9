//! The push bridge, its decisions: what a message of Cloudflare Queues holds, what becomes
//! of its object, and when it comes again. The Worker reads objects, posts and acks.
//!
//! Whatever a message holds goes to the relay as a *promised* piece, so that nothing loops
//! for ever and nothing is dropped: bytes that are no envelope as they are; a payload that
//! is lost or damaged as it was found, which its digest tells the consumer.

use crate::relay::{Passed, Passing};
use hexlane_core::Envelope;
use hexlane_core::digest::{Sha256Digest, sha256};
use hexlane_core::envelope::Payload;
use hexlane_core::signature::Secret;

/// Where payloads lie until the relay has their event.
pub const INCOMING: &str = "incoming/";
/// How often a lost or damaged object is looked at before its event goes on without it.
pub const LOOKS_MAX: u32 = 3;
/// Bytes of a parcel to the relay, beyond which another one is begun.
pub const PARCEL_BYTES_MAX: usize = 8 << 20;

/// Payload bytes from which an event is posted alone, its payload as a stream: what is held
/// in memory costs about three times its size.
pub const STREAMED_BYTES_MIN: u64 = 1 << 20;

/// The longest a message waits for another attempt. With the platform's 100 attempts it
/// lives four days, as long as the queue keeps it by default.
const DELAY_MAX_S: u32 = 3_600;
/// The longest delay that the platform takes, by its older documents.
const PLATFORM_DELAY_MAX_S: u32 = 43_200;

/// An event whose payload is an object.
#[derive(Clone, Debug)]
pub struct Pointed {
    envelope: Envelope,
    key: String,
    size_bytes: u64,
}

impl Pointed {
    /// The event of a message, when its payload is an object that the door stored. Other
    /// messages go on as they are.
    #[must_use]
    pub fn of(message: &[u8]) -> Option<Self> {
        let envelope = Envelope::decode(message).ok()?;
        match &envelope.payload {
            Payload::Pointer { uri, size_bytes } if uri.starts_with(INCOMING) => Some(Self {
                key: uri.clone(),
                size_bytes: *size_bytes,
                envelope,
            }),
            Payload::Pointer { .. } | Payload::Inline(_) => None,
        }
    }

    /// The object.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How long it was when it was stored. No more of it need be read.
    #[must_use]
    pub const fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Whether these bytes are the payload.
    #[must_use]
    pub fn is_payload(&self, found: &[u8]) -> bool {
        let expected: &Sha256Digest = &self.envelope.payload_sha256;
        found.len() as u64 == self.size_bytes && sha256(found) == *expected
    }

    /// Whether it is posted alone, its payload as a stream.
    #[must_use]
    pub const fn is_streamed(&self) -> bool {
        self.size_bytes >= STREAMED_BYTES_MIN
    }

    /// The batch of this event alone; none when no batch is so long.
    #[must_use]
    pub fn passing(&self, secret: Option<&Secret>, now_us: i64) -> Option<Passing> {
        Passing::begin(&self.envelope, self.size_bytes, secret, now_us)
    }

    /// Whether what passed by is the payload.
    #[must_use]
    pub fn is_passed(&self, passed: &Passed) -> bool {
        passed.payload_sha256 == self.envelope.payload_sha256
    }

    /// The encoded envelope with what was found: the payload, damaged bytes, or none.
    #[must_use]
    pub fn resolved(mut self, found: Vec<u8>) -> Vec<u8> {
        self.envelope.payload = Payload::Inline(found);
        self.envelope.encode()
    }
}

/// When a message is tried again that was tried so often, in seconds: doubling, and not
/// before the relay wants it.
#[must_use]
pub fn delay_s(attempts: u32, relay_asks_s: u32) -> u32 {
    let doubling = 1_u32.checked_shl(attempts.min(31)).unwrap_or(u32::MAX);
    doubling
        .min(DELAY_MAX_S)
        .max(relay_asks_s)
        .min(PLATFORM_DELAY_MAX_S)
}

/// Whether an answer of the relay is about what is in the parcel and not about the relay:
/// then one piece must not hold up the others, and each is sent alone.
#[must_use]
pub const fn concerns_a_piece(status: u16) -> bool {
    matches!(status, 400 | 413 | 422)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_never_tried_again_at_once_and_never_later_than_the_platform_can() {
        let delays: Vec<u32> = [1, 2, 6, 12, 99, u32::MAX]
            .map(|attempts| delay_s(attempts, 1))
            .to_vec();
        assert_eq!(delays, [2, 4, 64, 3_600, 3_600, 3_600]);
        assert_eq!(delay_s(0, 0), 1);
    }

    #[test]
    fn the_relay_can_lengthen_a_wait_and_not_shorten_it() {
        assert_eq!(delay_s(1, 17), 17);
        assert_eq!(delay_s(6, 17), 64);
        assert_eq!(delay_s(1, u32::MAX), 43_200);
    }
}
