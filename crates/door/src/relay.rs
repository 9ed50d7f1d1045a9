//! The relay: envelopes from the Worker to the native intake, `POST /v1/relay`.
//!
//! A batch is Protobuf, signed as a Standard Webhook; the answer says of each envelope
//! what the queue said. Anything but such an answer is no confirmation.

use crate::answer::Answer;
use crate::document::to_bytes;
use crate::enqueue::{Enqueued, Unavailable};
use crate::head::Head;
use crate::problem::Problem;
use crate::proof::webhook_headers;
use hexlane_core::Envelope;
use hexlane_core::digest::{hex, sha256};
use hexlane_core::signature::{Secret, sign_webhook, verify_webhook};
use prost::Message;
use serde::{Deserialize, Serialize};

/// Where the relay listens.
pub const PATH: &str = "/v1/relay";
/// Media type of a batch.
pub const CONTENT_TYPE: &str = "application/x-protobuf";
/// Bytes of a batch. 64 MiB: eight envelopes of the largest size.
pub const BATCH_BYTES_MAX: u64 = 64 << 20;
/// How old or early a batch's timestamp may be.
const TOLERANCE_S: u32 = 300;
/// When to come again after an unclear answer.
const RETRY_AFTER_S: u32 = 1;
/// The longest `Retry-After` that is passed on.
const RETRY_AFTER_MAX_S: u32 = 900;

#[derive(Clone, PartialEq, Message)]
struct Batch {
    #[prost(bytes = "vec", repeated, tag = "1")]
    envelopes: Vec<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
struct BatchAnswer {
    results: Vec<BatchResult>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BatchResult {
    Enqueued,
    Duplicate,
    Conflict,
}

/// A signed batch, ready to be posted.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// Headers, content type and signature.
    pub headers: Vec<(&'static str, String)>,
    /// The batch.
    pub body: Vec<u8>,
}

/// Packs and signs envelopes.
#[must_use]
pub fn pack<'a>(
    envelopes: impl Iterator<Item = &'a Envelope>,
    secret: Option<&Secret>,
    now_us: i64,
) -> Parcel {
    let batch = Batch {
        envelopes: envelopes.map(Envelope::encode).collect(),
    };
    let body = batch.encode_to_vec();
    let mut headers = vec![("content-type", CONTENT_TYPE.to_owned())];
    if let Some(secret) = secret {
        let id = format!("relay_{}", hex(&sha256(&body)[..16]));
        let timestamp_s = now_us.div_euclid(1_000_000);
        let signature = sign_webhook(secret, &id, timestamp_s, &body);
        headers.push(("webhook-id", id));
        headers.push(("webhook-timestamp", timestamp_s.to_string()));
        headers.push(("webhook-signature", signature));
    }
    Parcel { headers, body }
}

/// Verifies and unpacks a batch. Without secrets, nothing is verified: that is for
/// loopback only, and the caller holds to it.
///
/// # Errors
/// The answer, when the batch is not believed or not whole.
pub fn unpack(
    head: &Head,
    body: &[u8],
    secrets: &[Secret],
    now_us: i64,
) -> Result<Vec<Envelope>, Answer> {
    if !secrets.is_empty() {
        verify_webhook(webhook_headers(head), body, secrets, now_us, TOLERANCE_S)
            .map_err(|fault| Problem::Unauthorized(fault).answer())?;
    }
    let malformed = |reason| Problem::RelayMalformed(reason).answer();
    let mut rest = body;
    let mut envelopes = Vec::new();
    while !rest.is_empty() {
        let bytes = next_field(&mut rest).ok_or_else(|| malformed("not a protobuf batch"))?;
        let envelope = Envelope::decode(bytes)
            .map_err(|_| malformed("an envelope in the batch does not decode"))?;
        envelopes.push(envelope);
    }
    Ok(envelopes)
}

/// The next envelope of a [`Batch`], where it stands. Not decoded as a whole: a list of
/// millions of empty envelopes takes many times the bytes that say it.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    const ENVELOPES_KEY: u8 = 1 << 3 | 2;
    let (key, after) = rest.split_first()?;
    let mut after = after;
    let length = prost::decode_length_delimiter(&mut after).ok()?;
    if *key != ENVELOPES_KEY || length > after.len() {
        return None;
    }
    let (field, after) = after.split_at(length);
    *rest = after;
    Some(field)
}

/// The answer to a batch.
#[must_use]
pub fn answer(said: Result<&[Enqueued], Unavailable>) -> Answer {
    match said {
        Ok(results) => {
            let results = results.iter().map(|result| match result {
                Enqueued::New => BatchResult::Enqueued,
                Enqueued::Duplicate => BatchResult::Duplicate,
                Enqueued::Conflict => BatchResult::Conflict,
            });
            Answer::json(
                200,
                "application/json",
                to_bytes(&BatchAnswer {
                    results: results.collect(),
                }),
            )
        }
        Err(Unavailable::Backlog { retry_after_s }) => Problem::Backlog { retry_after_s }.answer(),
        Err(Unavailable::Unclear { retry_after_s }) => {
            Problem::QueueUnavailable { retry_after_s }.answer()
        }
    }
}

/// What an answer from the relay says.
///
/// # Errors
/// Why it confirms nothing.
pub fn read_answer(
    status: u16,
    retry_after: Option<&str>,
    body: &[u8],
) -> Result<Vec<Enqueued>, Unavailable> {
    let given = retry_after.and_then(|text| text.trim().parse().ok());
    let retry_after_s = given.unwrap_or(RETRY_AFTER_S).min(RETRY_AFTER_MAX_S);
    match status {
        200 => {
            let unclear = Unavailable::Unclear { retry_after_s };
            let answer: BatchAnswer = serde_json::from_slice(body).map_err(|_| unclear)?;
            let results = answer.results.iter().map(|result| match result {
                BatchResult::Enqueued => Enqueued::New,
                BatchResult::Duplicate => Enqueued::Duplicate,
                BatchResult::Conflict => Enqueued::Conflict,
            });
            Ok(results.collect())
        }
        429 => Err(Unavailable::Backlog { retry_after_s }),
        _ => Err(Unavailable::Unclear { retry_after_s }),
    }
}
