//! Signatures as GitHub makes them: `X-Hub-Signature-256: sha256=` and HMAC-SHA256 of the
//! body in hexadecimal. They hold no time: what is replayed is caught by its key.

use super::{Secret, SignatureFault, hex_digest};
use subtle::ConstantTimeEq;

/// Verifies the header by any of the secrets.
///
/// # Errors
/// The reason not to believe it.
pub fn verify_github(
    header: Option<&str>,
    body: &[u8],
    secrets: &[Secret],
) -> Result<(), SignatureFault> {
    let header = header.ok_or(SignatureFault::Missing)?;
    let digest = header
        .strip_prefix("sha256=")
        .ok_or(SignatureFault::Malformed)?;
    let given = hex_digest(digest)?;
    let macs = secrets.iter().filter_map(|secret| secret.mac(&[body]));
    let known = macs.fold(false, |known, mac| known | bool::from(mac.ct_eq(&given)));
    if known {
        Ok(())
    } else {
        Err(SignatureFault::Wrong)
    }
}
