//! The push bridge: what Cloudflare Queues hands over goes to the relay.
//!
//! Each message is acked by itself, once the relay has its event, and otherwise asked for
//! again after a delay; none is left to the platform's implicit ack. `hexlane_door::bridge`
//! decides; here are the effects.

use crate::bindings::{self, Relay};
use crate::route::relay::{Said, post, post_body};
use crate::{clock, payloads};
use hexlane_door::bridge::{LOOKS_MAX, PARCEL_BYTES_MAX, Pointed, concerns_a_piece, delay_s};
use hexlane_door::relay::{pack_promised, read_answer};
use hexlane_door::{Enqueued, Unavailable};
use js_sys::{ArrayBuffer, JSON, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use worker::worker_sys::{Message, MessageBatch};
use worker::{Bucket, Env};

/// How long the relay may take: nobody waits for it, and a parcel may be large.
const TIMEOUT_MS: u32 = 60_000;

/// A message on its way to the relay.
struct Held {
    message: Message,
    attempts: u32,
    /// What goes to the relay.
    piece: Vec<u8>,
    /// The object that may be deleted then.
    object: Option<String>,
}

/// Why a parcel was not taken.
struct Refused {
    status: Option<u16>,
    retry_after_s: u32,
}

impl Refused {
    /// Not by the relay's word.
    const fn unclear() -> Self {
        Self {
            status: None,
            retry_after_s: 0,
        }
    }
}

/// Carries a batch to the relay.
pub(crate) async fn carry(batch: &MessageBatch, env: &Env) {
    let messages = match batch.messages() {
        Ok(messages) => messages,
        Err(error) => {
            worker::console_error!("bridge.unreadable_batch: {}", bindings::told(&error));
            return;
        }
    };
    let bridge = Bridge {
        relay: bindings::bridge(env),
        bucket: bindings::bucket(env),
    };
    let (mut parcel, mut bytes) = (Vec::new(), 0);
    for message in messages.iter() {
        let Some(held) = bridge.hold(message.unchecked_into()).await else {
            continue;
        };
        if bytes + held.piece.len() > PARCEL_BYTES_MAX && bytes > 0 {
            bridge.deliver(std::mem::take(&mut parcel)).await;
            bytes = 0;
        }
        bytes += held.piece.len();
        parcel.push(held);
    }
    if !parcel.is_empty() {
        bridge.deliver(parcel).await;
    }
}

struct Bridge {
    relay: Result<std::rc::Rc<Relay>, String>,
    bucket: Result<Bucket, String>,
}

impl Bridge {
    /// A message with its payload; none when it is settled by itself.
    async fn hold(&self, message: Message) -> Option<Held> {
        let attempts = attempts(&message);
        let bytes = match message.body() {
            Ok(body) => bytes_of(&body),
            Err(error) => {
                worker::console_warn!("bridge.unreadable: {}", bindings::told(&error));
                again(&message, delay_s(attempts, 0));
                return None;
            }
        };
        let Some(pointed) = Pointed::of(&bytes) else {
            return Some(Held {
                message,
                attempts,
                piece: bytes,
                object: None,
            });
        };
        let streamed = if pointed.is_streamed() {
            self.pass(&pointed, attempts).await
        } else {
            Ok(None)
        };
        let held = |piece, intact: bool| Held {
            attempts,
            object: intact.then(|| pointed.key().to_owned()),
            piece,
            message: message.clone(),
        };
        match streamed {
            Ok(None) => {}
            Ok(Some(intact)) => {
                self.acknowledge(&[held(Vec::new(), intact)]).await;
                return None;
            }
            Err(refused) => {
                again(&message, delay_s(attempts, refused.retry_after_s));
                return None;
            }
        }
        match self.payload(&pointed, attempts).await {
            Ok((found, intact)) => Some(held(pointed.clone().resolved(found), intact)),
            Err(reason) => {
                worker::console_warn!("bridge.payload_unavailable: {}: {reason}", pointed.key());
                again(&message, delay_s(attempts, 0));
                None
            }
        }
    }

    /// The payload, and whether it is whole. A damaged one is looked at again some times;
    /// then its event goes on as it is, and the consumer's digest check sends it to poison.
    async fn payload(&self, pointed: &Pointed, attempts: u32) -> Result<(Vec<u8>, bool), String> {
        let bucket = self.bucket.as_ref().map_err(Clone::clone)?;
        let found = payloads::read(bucket, pointed).await?;
        if pointed.is_payload(&found) {
            return Ok((found, true));
        }
        let what = if found.is_empty() { "lost" } else { "damaged" };
        if attempts < LOOKS_MAX {
            return Err(format!("it is {what}"));
        }
        let key = pointed.key();
        worker::console_error!("bridge.payload_{what}: {key}; its event goes to poison");
        Ok((found, false))
    }

    /// Posts an event whose payload is too large to hold: its object is read twice, once to be
    /// signed and checked, and then as the end of the request's body. Whether it was whole;
    /// none when there is no object of its length.
    async fn pass(&self, pointed: &Pointed, attempts: u32) -> Result<Option<bool>, Refused> {
        let (relay, key) = (self.relay()?, pointed.key());
        let failed = |reason: String| {
            worker::console_warn!("bridge.payload_unavailable: {key}: {reason}");
            Refused::unclear()
        };
        let bucket = self
            .bucket
            .as_ref()
            .map_err(|reason| failed(reason.clone()))?;
        let object = || async { payloads::open(bucket, pointed).await.map_err(failed) };
        let passing = pointed.passing(relay.secret.as_ref(), clock::now_us());
        let (Some(mut passing), Some(stream)) = (passing, object().await?) else {
            return Ok(None);
        };
        let passed = payloads::each(stream, |chunk| passing.pass(chunk)).await;
        passed.map_err(failed)?;
        let changed = || failed("it changes while it is read".to_owned());
        let passed = passing.finish().ok_or_else(changed)?;
        let intact = pointed.is_passed(&passed);
        if !intact && attempts < LOOKS_MAX {
            return Err(failed("it is damaged".to_owned()));
        }
        if !intact {
            worker::console_error!("bridge.payload_damaged: {key}; its event goes to poison");
        }
        let stream = object().await?.ok_or_else(changed)?;
        let body = payloads::behind(&passed, &stream);
        let answer = post_body(&relay.url, &passed.headers, body, TIMEOUT_MS).await;
        taken(answer, 1).map(|()| Some(intact))
    }

    /// Posts a parcel and settles its messages.
    async fn deliver(&self, parcel: Vec<Held>) {
        match self.post(&parcel).await {
            Ok(()) => self.acknowledge(&parcel).await,
            Err(refused) if parcel.len() > 1 && refused.status.is_some_and(concerns_a_piece) => {
                for held in parcel {
                    self.deliver_alone(held).await;
                }
            }
            Err(refused) => ask_again(&parcel, &refused),
        }
    }

    /// One bad piece must not hold up the others.
    async fn deliver_alone(&self, held: Held) {
        let parcel = [held];
        match self.post(&parcel).await {
            Ok(()) => self.acknowledge(&parcel).await,
            Err(refused) => ask_again(&parcel, &refused),
        }
    }

    fn relay(&self) -> Result<&Relay, Refused> {
        self.relay.as_deref().map_err(|reason| {
            worker::console_error!("settings.invalid: {reason}");
            Refused::unclear()
        })
    }

    async fn post(&self, parcel: &[Held]) -> Result<(), Refused> {
        let relay = self.relay()?;
        let pieces: Vec<&[u8]> = parcel.iter().map(|held| held.piece.as_slice()).collect();
        let signed = pack_promised(&pieces, relay.secret.as_ref(), clock::now_us());
        let answer = post(&relay.url, signed, TIMEOUT_MS).await;
        taken(answer, parcel.len())
    }

    /// The relay has them: their objects are of no use any more, and neither are they.
    async fn acknowledge(&self, parcel: &[Held]) {
        for held in parcel {
            if let (Some(key), Ok(bucket)) = (&held.object, &self.bucket) {
                payloads::delete(bucket, key).await;
            }
            if let Err(error) = held.message.ack() {
                worker::console_warn!("bridge.not_acked: {}", bindings::told(&error));
            }
        }
    }
}

/// Whether the relay has so many pieces.
fn taken(answer: worker::Result<Said>, pieces: usize) -> Result<(), Refused> {
    let (status, retry_after, body) = answer.map_err(|error| {
        worker::console_warn!("relay.unreachable: {error}");
        Refused::unclear()
    })?;
    let said = match read_answer(status, retry_after.as_deref(), &body) {
        Ok(said) if said.len() == pieces => said,
        Ok(_) => return Err(Refused::unclear()),
        Err(Unavailable::Backlog { retry_after_s } | Unavailable::Unclear { retry_after_s }) => {
            worker::console_error!("relay.unconfirmed: the relay answered {status}");
            return Err(Refused {
                status: Some(status),
                retry_after_s,
            });
        }
    };
    let conflicts = said.iter().filter(|each| **each == Enqueued::Conflict);
    let conflicts = conflicts.count();
    if conflicts > 0 {
        worker::console_warn!("idempotency.key_reused: {conflicts} events went to poison");
    }
    Ok(())
}

fn ask_again(parcel: &[Held], refused: &Refused) {
    for held in parcel {
        again(&held.message, delay_s(held.attempts, refused.retry_after_s));
    }
}

/// Asks for a message again. Where that fails, the platform's own retry is left: a handler
/// that throws is not what was acked.
fn again(message: &Message, delay_s: u32) {
    let options = Object::new();
    let asked = Reflect::set(&options, &"delaySeconds".into(), &delay_s.into())
        .and_then(|_| message.retry(options.unchecked_into()));
    if let Err(error) = asked {
        worker::console_error!("bridge.not_retried: {}", bindings::told(&error));
    }
}

/// How often it was handed over, this time included.
fn attempts(message: &Message) -> u32 {
    let told = Reflect::get(message, &"attempts".into());
    let told = told.ok().and_then(|value| value.as_f64()).unwrap_or(1.0);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float is cut to the range of the integer"
    )]
    let attempts = told as u32;
    attempts.max(1)
}

/// The bytes of a message. Ours are bytes; what others put on the queue goes to poison as
/// the text it is.
fn bytes_of(body: &JsValue) -> Vec<u8> {
    if body.has_type::<Uint8Array>() || body.has_type::<ArrayBuffer>() {
        return Uint8Array::new(body).to_vec();
    }
    let text = body.as_string().or_else(|| {
        let json = JSON::stringify(body).ok()?;
        json.as_string()
    });
    text.unwrap_or_default().into_bytes()
}
