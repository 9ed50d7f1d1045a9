//! Whether a request proves that its source sent it.

use crate::head::Head;
use crate::problem::Problem;
use hexlane_core::signature::{
    SignatureFault, WebhookHeaders, verify_bearer, verify_github, verify_stripe, verify_webhook_by,
};
use hexlane_core::source::{Auth, Source};

const AUTHORIZATION: &str = "authorization";
const SIGNATURE: &str = "webhook-signature";
const TIMESTAMP: &str = "webhook-timestamp";
const GITHUB: &str = "x-hub-signature-256";
const STRIPE: &str = "stripe-signature";

/// The headers that a source's scheme reads beside those that every request may have. To
/// ask for one is a call out of wasm: only those that a scheme in use needs are asked for.
pub(crate) fn headers_of(source: &Source) -> impl Iterator<Item = &'static str> + use<> {
    let names: &[&str] = match &source.auth {
        Auth::None => &[],
        Auth::Bearer { .. } => &[AUTHORIZATION],
        Auth::StandardWebhooks { .. } => &[SIGNATURE, TIMESTAMP],
        Auth::GitHub { .. } => &[GITHUB],
        Auth::Stripe { .. } => &[STRIPE],
    };
    names.iter().copied()
}

/// What the head proves by itself: a bearer token, and that a signature is there at all.
pub(crate) fn by_head(source: &Source, head: &Head) -> Result<(), Problem> {
    let there = match &source.auth {
        Auth::None => true,
        Auth::Bearer { tokens } => {
            let token = head.header(AUTHORIZATION);
            return verify_bearer(token, tokens).map_err(Problem::Unauthorized);
        }
        Auth::StandardWebhooks { .. } => {
            let headers = webhook_headers(head);
            headers.id.is_some() && headers.timestamp.is_some() && headers.signature.is_some()
        }
        Auth::GitHub { .. } => head.header(GITHUB).is_some(),
        Auth::Stripe { .. } => head.header(STRIPE).is_some(),
    };
    if there {
        Ok(())
    } else {
        Err(Problem::Unauthorized(SignatureFault::Missing))
    }
}

/// What the bytes on the wire prove.
pub(crate) fn by_body(
    source: &Source,
    head: &Head,
    wire: &[u8],
    now_us: i64,
) -> Result<(), SignatureFault> {
    match &source.auth {
        Auth::None | Auth::Bearer { .. } => Ok(()),
        Auth::StandardWebhooks {
            secrets,
            public_keys,
            tolerance_s,
        } => {
            let headers = webhook_headers(head);
            verify_webhook_by(headers, wire, secrets, public_keys, now_us, *tolerance_s)
        }
        Auth::GitHub { secrets } => verify_github(head.header(GITHUB), wire, secrets),
        Auth::Stripe {
            secrets,
            tolerance_s,
        } => verify_stripe(head.header(STRIPE), wire, secrets, now_us, *tolerance_s),
    }
}

pub(crate) fn webhook_headers(head: &Head) -> WebhookHeaders<'_> {
    WebhookHeaders {
        id: head.header("webhook-id"),
        timestamp: head.header(TIMESTAMP),
        signature: head.header(SIGNATURE),
    }
}
