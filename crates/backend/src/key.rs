//! The name under which an event's effect happens once: its idempotency key within its
//! source.

use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use std::fmt;

/// Source and idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey {
    /// Who sent it.
    pub source: String,
    /// The key, verbatim.
    pub key: String,
}

impl EventKey {
    /// The key of an event.
    #[must_use]
    pub fn of(envelope: &Envelope) -> Self {
        Self {
            source: envelope.source.clone(),
            key: envelope.key.value.clone(),
        }
    }

    /// The stored name: 16 bytes, the same length whatever the sender's key, so that
    /// indexes stay small. First half of SHA-256 over the source's length, the source and
    /// the key.
    #[must_use]
    pub fn id(&self) -> KeyId {
        name_id(&self.source, &self.key)
    }
}

/// The stored name of something that a source names.
pub type KeyId = [u8; 16];

/// The id of a name within a source, made as [`EventKey::id`] is.
#[must_use]
pub fn name_id(source: &str, name: &str) -> KeyId {
    let mut bytes = Vec::with_capacity(8 + source.len() + name.len());
    bytes.extend_from_slice(&(source.len() as u64).to_be_bytes());
    bytes.extend_from_slice(source.as_bytes());
    bytes.extend_from_slice(name.as_bytes());
    let digest = sha256(&bytes);
    let mut id = KeyId::default();
    id.copy_from_slice(&digest[..16]);
    id
}

impl fmt::Display for EventKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.source, self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_and_key_do_not_run_into_each_other() {
        assert_ne!(name_id("ab", "c"), name_id("a", "bc"));
        assert_eq!(name_id("fleet", "e-1"), name_id("fleet", "e-1"));
    }

    #[test]
    fn the_stored_form_never_changes() {
        let key = EventKey {
            source: "fleet".to_owned(),
            key: "e-1".to_owned(),
        };
        assert_eq!(
            hexlane_core::digest::hex(&key.id()),
            "69b420e7a6ebac08de34d1fd689db048"
        );
    }
}
