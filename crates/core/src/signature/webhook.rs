//! Standard Webhooks: `v1` (HMAC-SHA256, a shared secret) and `v1a` (Ed25519, the sender's
//! public key), over id, timestamp and body.

use super::{SIGNATURES_MAX, STANDARD, Secret, SignatureFault, in_time, timestamp_s};
use base64::Engine as _;
use ed25519_dalek::ed25519::signature::MultipartVerifier;
use ed25519_dalek::{Signature, VerifyingKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// A sender's public key; it is no secret and stands in settings as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// A Standard Webhooks public key: `whpk_` and base64 of 32 bytes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_whpk(text: &str) -> Result<Self, &'static str> {
        let form = "is not `whpk_` and base64 of 32 bytes";
        let encoded = text.trim().strip_prefix("whpk_").ok_or(form)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| form)?;
        let bytes: [u8; 32] = bytes.try_into().map_err(|_| form)?;
        let key = VerifyingKey::from_bytes(&bytes).map_err(|_| "is no Ed25519 key")?;
        if key.is_weak() {
            return Err("is a weak key: anybody could sign for it");
        }
        Ok(Self(key))
    }

    fn verifies(&self, pieces: &[&[u8]], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.0.multipart_verify(pieces, &signature).is_ok())
    }
}

/// The three headers of Standard Webhooks, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebhookHeaders<'a> {
    /// `webhook-id`.
    pub id: Option<&'a str>,
    /// `webhook-timestamp`: seconds since 1970.
    pub timestamp: Option<&'a str>,
    /// `webhook-signature`: `v1,` or `v1a,` and base64, several by spaces.
    pub signature: Option<&'a str>,
}

/// Verifies a Standard Webhooks `v1` signature by any of the secrets.
///
/// # Errors
/// The first reason not to believe it.
pub fn verify_webhook(
    headers: WebhookHeaders<'_>,
    body: &[u8],
    secrets: &[Secret],
    now_us: i64,
    tolerance_s: u32,
) -> Result<(), SignatureFault> {
    verify_webhook_by(headers, body, secrets, &[], now_us, tolerance_s)
}

/// The same, or `v1a` by any of the public keys.
///
/// # Errors
/// The first reason not to believe it.
pub fn verify_webhook_by(
    headers: WebhookHeaders<'_>,
    body: &[u8],
    secrets: &[Secret],
    public_keys: &[PublicKey],
    now_us: i64,
    tolerance_s: u32,
) -> Result<(), SignatureFault> {
    let id = headers.id.ok_or(SignatureFault::Missing)?;
    let timestamp = headers.timestamp.ok_or(SignatureFault::Missing)?;
    let signatures = headers.signature.ok_or(SignatureFault::Missing)?;
    let sent_s = timestamp_s(timestamp)?;
    if id.is_empty() || signatures.trim().is_empty() {
        return Err(SignatureFault::Malformed);
    }
    let pieces = pieces(id, timestamp, body);
    let macs: Vec<_> = secrets
        .iter()
        .filter_map(|secret| secret.mac(&pieces))
        .collect();
    let mut known = false;
    for (version, encoded) in split(signatures)? {
        let given = || {
            STANDARD
                .decode(encoded)
                .map_err(|_| SignatureFault::Malformed)
        };
        match version {
            "v1" if !secrets.is_empty() => {
                let given = given()?;
                for mac in &macs {
                    known |= bool::from(mac.ct_eq(&given));
                }
            }
            "v1a" if !public_keys.is_empty() => {
                let given = given()?;
                known |= public_keys.iter().any(|key| key.verifies(&pieces, &given));
            }
            _ => {}
        }
    }
    if !known {
        return Err(SignatureFault::Wrong);
    }
    in_time(sent_s, now_us, tolerance_s)
}

/// What is signed: id, timestamp and body, by dots.
const fn pieces<'a>(id: &'a str, timestamp: &'a str, body: &'a [u8]) -> [&'a [u8]; 5] {
    [id.as_bytes(), b".", timestamp.as_bytes(), b".", body]
}

/// Version and value of each signature.
fn split(signatures: &str) -> Result<Vec<(&str, &str)>, SignatureFault> {
    let each = signatures
        .split(' ')
        .filter(|each| !each.is_empty())
        .take(SIGNATURES_MAX);
    each.map(|signature| signature.split_once(',').ok_or(SignatureFault::Malformed))
        .collect()
}

/// The value of `webhook-signature` for a request.
#[must_use]
pub fn sign_webhook(secret: &Secret, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let mut signing = Signing::begin(secret, id, timestamp_s);
    signing.update(body);
    signing.finish()
}

/// The same for a body that comes in pieces.
#[derive(Clone, Debug)]
pub struct Signing(Option<Hmac<Sha256>>);

impl Signing {
    /// Before any of the body.
    #[must_use]
    pub fn begin(secret: &Secret, id: &str, timestamp_s: i64) -> Self {
        let mut mac = Hmac::new_from_slice(&secret.0).ok();
        if let Some(mac) = &mut mac {
            for piece in pieces(id, &timestamp_s.to_string(), b"") {
                mac.update(piece);
            }
        }
        Self(mac)
    }

    /// The next piece of the body.
    pub fn update(&mut self, piece: &[u8]) {
        if let Some(mac) = &mut self.0 {
            mac.update(piece);
        }
    }

    /// The value of `webhook-signature`.
    #[must_use]
    pub fn finish(self) -> String {
        let mac = self.0.map(|mac| mac.finalize().into_bytes());
        mac.map_or_else(String::new, |mac| format!("v1,{}", STANDARD.encode(mac)))
    }
}
