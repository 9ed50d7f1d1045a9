//! Signatures of requests: Standard Webhooks `v1` and bearer tokens.
//!
//! Computed over the bytes on the wire. Comparisons take the same time whatever
//! differs. The clock is an argument.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq;

/// Bytes that must not be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// Standard Webhooks asks for 24 to 64 bytes; fewer than 16 are guessed.
const SECRET_BYTES_MIN: usize = 16;

impl Secret {
    /// A Standard Webhooks secret: `whsec_` and base64, or base64 alone.
    ///
    /// # Errors
    /// When it is not base64 or too short; the reason never holds the value.
    pub fn from_whsec(text: &str) -> Result<Self, &'static str> {
        let encoded = text
            .trim()
            .strip_prefix("whsec_")
            .unwrap_or_else(|| text.trim());
        let bytes = STANDARD
            .decode(encoded)
            .map_err(|_| "is not `whsec_` and base64")?;
        if bytes.len() < SECRET_BYTES_MIN {
            return Err("is shorter than 16 bytes");
        }
        Ok(Self(bytes))
    }

    /// A token as it stands.
    ///
    /// # Errors
    /// When it is too short.
    pub fn from_text(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.len() < SECRET_BYTES_MIN {
            return Err("is shorter than 16 bytes");
        }
        Ok(Self(text.as_bytes().to_vec()))
    }

    fn is(&self, other: &[u8]) -> bool {
        self.0.ct_eq(other).into()
    }
}

/// Why a request is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureFault {
    /// A header that the scheme needs is not there.
    Missing,
    /// A header is there and does not have the scheme's form.
    Malformed,
    /// The timestamp is older than the tolerance.
    TooOld,
    /// The timestamp is further ahead than the tolerance.
    TooEarly,
    /// No signature or token is the right one.
    Wrong,
}

impl SignatureFault {
    /// Every fault, in the order of the declaration.
    pub const ALL: [Self; 5] = [
        Self::Missing,
        Self::Malformed,
        Self::TooOld,
        Self::TooEarly,
        Self::Wrong,
    ];

    /// The stable code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "signature.missing",
            Self::Malformed => "signature.malformed",
            Self::TooOld => "signature.too_old",
            Self::TooEarly => "signature.too_early",
            Self::Wrong => "signature.wrong",
        }
    }
}

/// The three headers of Standard Webhooks, as received.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebhookHeaders<'a> {
    /// `webhook-id`.
    pub id: Option<&'a str>,
    /// `webhook-timestamp`: seconds since 1970.
    pub timestamp: Option<&'a str>,
    /// `webhook-signature`: `v1,` and base64, several by spaces.
    pub signature: Option<&'a str>,
}

/// More signatures than this in one header are not read: rotation needs two.
const SIGNATURES_MAX: usize = 16;

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
    let id = headers.id.ok_or(SignatureFault::Missing)?;
    let timestamp = headers.timestamp.ok_or(SignatureFault::Missing)?;
    let signatures = headers.signature.ok_or(SignatureFault::Missing)?;
    let digits = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let sent_s: i64 = timestamp
        .parse()
        .ok()
        .filter(|_| digits)
        .ok_or(SignatureFault::Malformed)?;
    if id.is_empty() || signatures.trim().is_empty() {
        return Err(SignatureFault::Malformed);
    }
    let macs: Vec<_> = secrets
        .iter()
        .filter_map(|secret| mac(secret, id, timestamp, body))
        .collect();
    let mut known = false;
    for signature in signatures
        .split(' ')
        .filter(|each| !each.is_empty())
        .take(SIGNATURES_MAX)
    {
        let (version, encoded) = signature.split_once(',').ok_or(SignatureFault::Malformed)?;
        if version != "v1" {
            continue;
        }
        let given = STANDARD
            .decode(encoded)
            .map_err(|_| SignatureFault::Malformed)?;
        for mac in &macs {
            known |= bool::from(mac.ct_eq(&given));
        }
    }
    if !known {
        return Err(SignatureFault::Wrong);
    }
    let age_s = now_us.div_euclid(1_000_000).saturating_sub(sent_s);
    if age_s > i64::from(tolerance_s) {
        return Err(SignatureFault::TooOld);
    }
    if age_s < -i64::from(tolerance_s) {
        return Err(SignatureFault::TooEarly);
    }
    Ok(())
}

/// None cannot be: HMAC takes a key of any length. If it were, nothing would verify.
fn mac(secret: &Secret, id: &str, timestamp: &str, body: &[u8]) -> Option<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(&secret.0).ok()?;
    for piece in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(piece);
    }
    Some(mac.finalize().into_bytes().into())
}

/// The value of `webhook-signature` for a request.
#[must_use]
pub fn sign_webhook(secret: &Secret, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let mac = mac(secret, id, &timestamp_s.to_string(), body);
    mac.map_or_else(String::new, |mac| format!("v1,{}", STANDARD.encode(mac)))
}

/// Verifies `Authorization: Bearer …` by any of the tokens.
///
/// # Errors
/// The reason not to believe it.
pub fn verify_bearer(authorization: Option<&str>, tokens: &[Secret]) -> Result<(), SignatureFault> {
    let header = authorization.ok_or(SignatureFault::Missing)?;
    let (scheme, token) = header.split_once(' ').ok_or(SignatureFault::Malformed)?;
    if !scheme.eq_ignore_ascii_case("bearer") || token.trim().is_empty() {
        return Err(SignatureFault::Malformed);
    }
    let known = tokens.iter().fold(false, |known, each| {
        known | each.is(token.trim().as_bytes())
    });
    if known {
        Ok(())
    } else {
        Err(SignatureFault::Wrong)
    }
}

#[cfg(test)]
mod tests;
