//! The stored name of an event key: 16 bytes, the same length whatever the sender's key,
//! so that indexes stay small. The text is kept beside it where a person looks.

use hexlane_backend::EventKey;
use hexlane_core::digest::sha256;

/// First half of SHA-256 over the source's length, the source and the key.
pub(crate) type KeyId = [u8; 16];

/// The id of a key.
pub(crate) fn key_id(key: &EventKey) -> KeyId {
    let mut bytes = Vec::with_capacity(8 + key.source.len() + key.key.len());
    bytes.extend_from_slice(&(key.source.len() as u64).to_be_bytes());
    bytes.extend_from_slice(key.source.as_bytes());
    bytes.extend_from_slice(key.key.as_bytes());
    let digest = sha256(&bytes);
    let mut id = KeyId::default();
    id.copy_from_slice(&digest[..16]);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_and_key_do_not_run_into_each_other() {
        let id = |source: &str, key: &str| {
            key_id(&EventKey {
                source: source.to_owned(),
                key: key.to_owned(),
            })
        };
        assert_ne!(id("ab", "c"), id("a", "bc"));
        assert_eq!(id("fleet", "e-1"), id("fleet", "e-1"));
    }

    #[test]
    fn the_stored_form_never_changes() {
        let id = key_id(&EventKey {
            source: "fleet".to_owned(),
            key: "e-1".to_owned(),
        });
        assert_eq!(
            hexlane_core::digest::hex(&id),
            "69b420e7a6ebac08de34d1fd689db048"
        );
    }
}
