//! The push bridge: what Cloudflare Queues hands over goes to the relay.
//!
//! Each message is acked by itself, once the relay has its event, and otherwise asked for
//! again after a delay; none is left to the platform's implicit ack. `hexlane_door::bridge`
//! decides; here are the effects.

use crate::bindings::{self, Relay};
use crate::route::relay::post;
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
    /// A message with its payload; none when it is asked for again.
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
        match self.payload(&pointed, attempts).await {
            Ok((found, intact)) => Some(Held {
                message,
                attempts,
                object: intact.then(|| pointed.key().to_owned()),
                piece: pointed.resolved(found),
            }),
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

    async fn post(&self, parcel: &[Held]) -> Result<(), Refused> {
        let refused = |status, retry_after_s| Refused {
            status,
            retry_after_s,
        };
        let relay = self.relay.as_ref().map_err(|reason| {
            worker::console_error!("settings.invalid: {reason}");
            refused(None, 0)
        })?;
        let pieces: Vec<&[u8]> = parcel.iter().map(|held| held.piece.as_slice()).collect();
        let signed = pack_promised(&pieces, relay.secret.as_ref(), clock::now_us());
        let answer = post(&relay.url, signed, TIMEOUT_MS).await;
        let (status, retry_after, body) = answer.map_err(|error| {
            worker::console_warn!("relay.unreachable: {error}");
            refused(None, 0)
        })?;
        let said = match read_answer(status, retry_after.as_deref(), &body) {
            Ok(said) if said.len() == parcel.len() => said,
            Ok(_) => return Err(refused(None, 0)),
            Err(
                Unavailable::Backlog { retry_after_s } | Unavailable::Unclear { retry_after_s },
            ) => {
                worker::console_error!("relay.unconfirmed: the relay answered {status}");
                return Err(refused(Some(status), retry_after_s));
            }
        };
        let conflicts = said.iter().filter(|each| **each == Enqueued::Conflict);
        let conflicts = conflicts.count();
        if conflicts > 0 {
            worker::console_warn!("idempotency.key_reused: {conflicts} events went to poison");
        }
        Ok(())
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
