//! Signatures of requests: Standard Webhooks, GitHub style, Stripe style, bearer tokens.
//!
//! Computed over the bytes on the wire. Comparisons take the same time whatever
//! differs. The clock is an argument.

mod github;
mod stripe;
mod webhook;

pub use github::verify_github;
pub use stripe::verify_stripe;
pub use webhook::{
    PublicKey, Signing, WebhookHeaders, sign_webhook, verify_webhook, verify_webhook_by,
};

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

    /// None cannot be: HMAC takes a key of any length. If it were, nothing would verify.
    fn mac(&self, pieces: &[&[u8]]) -> Option<[u8; 32]> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        for piece in pieces {
            mac.update(piece);
        }
        Some(mac.finalize().into_bytes().into())
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

/// More signatures than this in one header are not read: rotation needs two.
const SIGNATURES_MAX: usize = 16;

/// Seconds since 1970, in digits alone.
fn timestamp_s(text: &str) -> Result<i64, SignatureFault> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = text.parse().ok().filter(|_| digits);
    seconds.ok_or(SignatureFault::Malformed)
}

/// Whether what was signed then is believed now.
fn in_time(sent_s: i64, now_us: i64, tolerance_s: u32) -> Result<(), SignatureFault> {
    let age_s = now_us.div_euclid(1_000_000).saturating_sub(sent_s);
    if age_s > i64::from(tolerance_s) {
        return Err(SignatureFault::TooOld);
    }
    if age_s < -i64::from(tolerance_s) {
        return Err(SignatureFault::TooEarly);
    }
    Ok(())
}

/// 32 bytes in hexadecimal digits of either case.
fn hex_digest(text: &str) -> Result<[u8; 32], SignatureFault> {
    let malformed = SignatureFault::Malformed;
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let mut digest = [0; 32];
    if text.len() != 2 * digest.len() {
        return Err(malformed);
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let (high, low) = (
            digit(pair[0]).ok_or(malformed)?,
            digit(pair[1]).ok_or(malformed)?,
        );
        *byte = high << 4 | low;
    }
    Ok(digest)
}

#[cfg(test)]
mod tests;
