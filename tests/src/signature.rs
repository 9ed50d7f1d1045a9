//! Standard Webhooks `v1` from the sender's side, written apart from the core's.

use crate::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// `v1,` and the signature.
#[must_use]
pub fn sign(secret: &str, id: &str, timestamp_s: i64, body: &[u8]) -> String {
    let encoded = secret.strip_prefix("whsec_").unwrap_or(secret);
    let key = STANDARD.decode(encoded).expect("a secret is base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes any key");
    mac.update(format!("{id}.{timestamp_s}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// The request with the three headers of a sender that does it right.
#[must_use]
pub fn signed(request: Request, secret: &str, id: &str, timestamp_s: i64) -> Request {
    let signature = sign(secret, id, timestamp_s, &request.body);
    request
        .with("webhook-id", id)
        .with("webhook-timestamp", timestamp_s.to_string())
        .with("webhook-signature", signature)
}

/// The value of `x-hub-signature-256` for a body.
///
/// # Panics
/// Never: HMAC takes a key of any length.
#[must_use]
pub fn hub(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    let digits: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={}", digits.concat())
}
