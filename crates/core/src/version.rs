//! The version guard: which of two events about one entity is the newer one.
//!
//! A version is ordered by the value of the source's one rule, then by the time the
//! door accepted it, then by a hash of the idempotency key, so that no two events tie
//! and every store orders them alike: [`Version::to_bytes`] compares as bytes.

use sha2::{Digest, Sha256};

/// The value that guards an entity's state. Greater is newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The source's rule: a sequence number, or a time in µs since 1970.
    pub value: i64,
    /// When the door accepted it, µs since 1970; set once.
    pub accepted_at_us: i64,
    /// First eight bytes of SHA-256 of the idempotency key, big-endian.
    pub key_hash: u64,
}

impl Version {
    /// Length of the stored form.
    pub const BYTES: usize = 24;

    /// The version of an event with that idempotency key.
    #[must_use]
    pub fn new(value: i64, accepted_at_us: i64, key: &str) -> Self {
        let digest = Sha256::digest(key.as_bytes());
        Self {
            value,
            accepted_at_us,
            key_hash: crate::digest::leading_u64(&digest.into()),
        }
    }

    /// 24 bytes whose order as bytes is the order of versions.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&ordered(self.value).to_be_bytes());
        bytes[8..16].copy_from_slice(&ordered(self.accepted_at_us).to_be_bytes());
        bytes[16..].copy_from_slice(&self.key_hash.to_be_bytes());
        bytes
    }

    /// The version stored by [`Version::to_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_be_bytes(word)
        };
        Self {
            value: unordered(word(0)),
            accepted_at_us: unordered(word(8)),
            key_hash: word(16),
        }
    }
}

/// Flips the sign bit, so that unsigned order is signed order.
const fn ordered(value: i64) -> u64 {
    value.cast_unsigned() ^ (1 << 63)
}

const fn unordered(value: u64) -> i64 {
    (value ^ (1 << 63)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stored_bytes_order_as_versions_do(
            a in (any::<i64>(), any::<i64>(), any::<u64>()),
            b in (any::<i64>(), any::<i64>(), any::<u64>()),
        ) {
            let version = |(value, accepted_at_us, key_hash)| Version { value, accepted_at_us, key_hash };
            let (a, b) = (version(a), version(b));
            prop_assert_eq!(a.cmp(&b), a.to_bytes().cmp(&b.to_bytes()));
            prop_assert_eq!(Version::from_bytes(a.to_bytes()), a);
        }
    }
}
