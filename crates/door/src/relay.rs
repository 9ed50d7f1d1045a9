//! The relay: envelopes from the Worker to the native intake, `POST /v1/relay`.
//!
//! A batch is Protobuf, signed as a Standard Webhook; the answer says of each piece what
//! the queue said. Anything but such an answer is no confirmation.
//!
//! A piece is *asked*, while its sender waits for the answer, or *promised*: its sender
//! has its 202, and nobody is left to be told that it was refused. So a promised piece is
//! taken whatever it is: a key conflict or bytes that are no envelope end in poison.

use crate::answer::Answer;
use crate::enqueue::{Enqueued, Unavailable};
use crate::head::Head;
use crate::problem::Problem;
use crate::proof::webhook_headers;
use hexlane_core::Envelope;
use hexlane_core::digest::{Hashing, Sha256Digest, hex, sha256};
use hexlane_core::signature::{Secret, Signing, verify_webhook};
use prost::Message;
use serde::{Deserialize, Serialize};

/// Where the relay listens.
pub const PATH: &str = "/v1/relay";
/// Media type of a batch.
pub const CONTENT_TYPE: &str = "application/x-protobuf";
/// Bytes of a batch. 64 MiB: eight envelopes of the largest size.
pub const BATCH_BYTES_MAX: u64 = 64 << 20;
/// Pieces of a batch: one request's features, or one hand-over of a queue.
pub const PIECES_MAX: usize = 1_000;
/// How old or early a batch's timestamp may be.
const TOLERANCE_S: u32 = 300;
/// When to come again after an unclear answer.
const RETRY_AFTER_S: u32 = 1;
/// The longest `Retry-After` that is passed on.
const RETRY_AFTER_MAX_S: u32 = 900;

#[derive(Clone, PartialEq, Message)]
struct Batch {
    #[prost(bytes = "vec", repeated, tag = "1")]
    asked: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    promised: Vec<Vec<u8>>,
}

/// Field 1 of [`Batch`], length-delimited.
const ASKED_KEY: u8 = 1 << 3 | 2;
/// Field 2.
const PROMISED_KEY: u8 = 2 << 3 | 2;

/// One piece of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece<'a> {
    /// Its sender waits.
    Asked(Box<Envelope>),
    /// Its sender has its 202: an encoded envelope, or what a queue held in place of one.
    Promised(&'a [u8]),
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

/// Packs and signs envelopes whose senders wait.
#[must_use]
pub fn pack<'a>(
    envelopes: impl Iterator<Item = &'a Envelope>,
    secret: Option<&Secret>,
    now_us: i64,
) -> Parcel {
    let batch = Batch {
        asked: envelopes.map(Envelope::encode).collect(),
        promised: Vec::new(),
    };
    sign(batch.encode_to_vec(), secret, now_us)
}

/// Packs and signs what a queue handed over. The pieces are large, and copied once.
#[must_use]
pub fn pack_promised(pieces: &[&[u8]], secret: Option<&Secret>, now_us: i64) -> Parcel {
    let field_bytes = |piece: &&[u8]| 1 + prost::length_delimiter_len(piece.len()) + piece.len();
    let mut body = Vec::with_capacity(pieces.iter().map(field_bytes).sum());
    for piece in pieces {
        body.push(PROMISED_KEY);
        // A Vec grows: writing to it does not fail.
        let _ = prost::encode_length_delimiter(piece.len(), &mut body);
        body.extend_from_slice(piece);
    }
    sign(body, secret, now_us)
}

fn sign(body: Vec<u8>, secret: Option<&Secret>, now_us: i64) -> Parcel {
    let mut signed = Signed::begin(&body, secret, now_us);
    signed.update(&body);
    let headers = signed.finish();
    Parcel { headers, body }
}

/// The headers of a batch whose bytes come one after the other.
#[derive(Clone, Debug)]
struct Signed {
    headers: Vec<(&'static str, String)>,
    signing: Option<Signing>,
}

impl Signed {
    /// `named_by` is what tells this batch from others.
    fn begin(named_by: &[u8], secret: Option<&Secret>, now_us: i64) -> Self {
        let mut headers = vec![("content-type", CONTENT_TYPE.to_owned())];
        let signing = secret.map(|secret| {
            let id = format!("relay_{}", hex(&sha256(named_by)[..16]));
            let timestamp_s = now_us.div_euclid(1_000_000);
            let signing = Signing::begin(secret, &id, timestamp_s);
            headers.push(("webhook-id", id));
            headers.push(("webhook-timestamp", timestamp_s.to_string()));
            signing
        });
        Self { headers, signing }
    }

    fn update(&mut self, bytes: &[u8]) {
        if let Some(signing) = &mut self.signing {
            signing.update(bytes);
        }
    }

    fn finish(mut self) -> Vec<(&'static str, String)> {
        let signature = self.signing.map(Signing::finish);
        let signature = signature.map(|signature| ("webhook-signature", signature));
        self.headers.extend(signature);
        self.headers
    }
}

/// A batch of one promised event whose payload is not in memory: it passes by twice, once
/// to be signed and checked, and then as the end of the request's body.
#[derive(Clone, Debug)]
pub struct Passing {
    lead: Vec<u8>,
    payload_bytes: u64,
    signed: Signed,
    hashing: Hashing,
    passed_bytes: u64,
}

/// What is posted of it.
#[derive(Clone, Debug)]
pub struct Passed {
    /// Headers, content type and signature.
    pub headers: Vec<(&'static str, String)>,
    /// What stands before the payload.
    pub lead: Vec<u8>,
    /// Bytes of the whole body.
    pub body_bytes: u64,
    /// Digest of the payload that passed by.
    pub payload_sha256: Sha256Digest,
}

impl Passing {
    /// The event, with a payload of that length; none when no batch is so long.
    #[must_use]
    pub fn begin(
        envelope: &Envelope,
        payload_bytes: u64,
        secret: Option<&Secret>,
        now_us: i64,
    ) -> Option<Self> {
        let payload = usize::try_from(payload_bytes).ok()?;
        let piece = envelope.encode_lead(payload);
        let mut lead = vec![PROMISED_KEY];
        // A Vec grows: writing to it does not fail.
        let _ = prost::encode_length_delimiter(piece.len().checked_add(payload)?, &mut lead);
        lead.extend_from_slice(&piece);
        let mut signed = Signed::begin(&lead, secret, now_us);
        signed.update(&lead);
        Some(Self {
            lead,
            payload_bytes,
            signed,
            hashing: Hashing::default(),
            passed_bytes: 0,
        })
    }

    /// The next bytes of the payload.
    pub fn pass(&mut self, bytes: &[u8]) {
        self.signed.update(bytes);
        self.hashing.update(bytes);
        self.passed_bytes = self.passed_bytes.saturating_add(bytes.len() as u64);
    }

    /// What is posted; none when the payload was of another length.
    #[must_use]
    pub fn finish(self) -> Option<Passed> {
        let body_bytes = self.payload_bytes.checked_add(self.lead.len() as u64)?;
        (self.passed_bytes == self.payload_bytes).then(|| Passed {
            headers: self.signed.finish(),
            lead: self.lead,
            body_bytes,
            payload_sha256: self.hashing.finish(),
        })
    }
}

/// Verifies and unpacks a batch. Without secrets, nothing is verified: that is for
/// loopback only, and the caller holds to it.
///
/// # Errors
/// The answer, when the batch is not believed or not whole.
pub fn unpack<'a>(
    head: &Head,
    body: &'a [u8],
    secrets: &[Secret],
    now_us: i64,
) -> Result<Vec<Piece<'a>>, Answer> {
    if !secrets.is_empty() {
        verify_webhook(webhook_headers(head), body, secrets, now_us, TOLERANCE_S)
            .map_err(|fault| Problem::Unauthorized(fault).answer())?;
    }
    let malformed = |reason| Problem::RelayMalformed(reason).answer();
    let mut rest = body;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (promised, bytes) =
            next_field(&mut rest).ok_or_else(|| malformed("not a protobuf batch"))?;
        if pieces.len() == PIECES_MAX {
            return Err(malformed("too many pieces in the batch"));
        }
        pieces.push(if promised {
            Piece::Promised(bytes)
        } else {
            let envelope = Envelope::decode(bytes)
                .map_err(|_| malformed("an envelope in the batch does not decode"))?;
            Piece::Asked(Box::new(envelope))
        });
    }
    Ok(pieces)
}

/// The next field of a [`Batch`], where it stands, and whether it is a promised piece. Not
/// decoded as a whole: a list of millions of empty pieces takes many times the bytes that
/// say it.
fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(bool, &'a [u8])> {
    let (key, after) = rest.split_first()?;
    let promised = match *key {
        ASKED_KEY => false,
        PROMISED_KEY => true,
        _ => return None,
    };
    let mut after = after;
    let length = prost::decode_length_delimiter(&mut after).ok()?;
    if length > after.len() {
        return None;
    }
    let (field, after) = after.split_at(length);
    *rest = after;
    Some((promised, field))
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
            let answer = BatchAnswer {
                results: results.collect(),
            };
            let body = serde_json::to_vec(&answer).unwrap_or_default();
            Answer::json(200, "application/json", body)
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
