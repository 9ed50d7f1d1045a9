//! Signatures as Stripe makes them: `Stripe-Signature: t=…,v1=…`, where `v1` is HMAC-SHA256
//! of timestamp, dot and body in hexadecimal. Several `v1` may stand there during rotation;
//! other schemes are passed over.

use super::{SIGNATURES_MAX, Secret, SignatureFault, hex_digest, in_time, timestamp_s};
use subtle::ConstantTimeEq;

/// Verifies the header by any of the secrets.
///
/// # Errors
/// The first reason not to believe it.
pub fn verify_stripe(
    header: Option<&str>,
    body: &[u8],
    secrets: &[Secret],
    now_us: i64,
    tolerance_s: u32,
) -> Result<(), SignatureFault> {
    let header = header.ok_or(SignatureFault::Missing)?;
    let (timestamp, given) = read(header)?;
    let sent_s = timestamp_s(timestamp)?;
    let macs: Vec<_> = secrets
        .iter()
        .filter_map(|secret| secret.mac(&[timestamp.as_bytes(), b".", body]))
        .collect();
    let mut known = false;
    for given in &given {
        for mac in &macs {
            known |= bool::from(mac.ct_eq(given));
        }
    }
    if !known {
        return Err(SignatureFault::Wrong);
    }
    in_time(sent_s, now_us, tolerance_s)
}

/// The timestamp, and every `v1`.
fn read(header: &str) -> Result<(&str, Vec<[u8; 32]>), SignatureFault> {
    let (mut timestamp, mut given) = (None, Vec::new());
    for item in header.split(',') {
        let (name, value) = item
            .trim()
            .split_once('=')
            .ok_or(SignatureFault::Malformed)?;
        match name {
            // Of two times nobody knows which was signed.
            "t" if timestamp.is_some() => return Err(SignatureFault::Malformed),
            "t" => timestamp = Some(value),
            "v1" if given.len() < SIGNATURES_MAX => given.push(hex_digest(value)?),
            _ => {}
        }
    }
    match timestamp {
        Some(timestamp) if !given.is_empty() => Ok((timestamp, given)),
        Some(_) | None => Err(SignatureFault::Malformed),
    }
}
