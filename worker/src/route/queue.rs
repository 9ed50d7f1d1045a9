//! Route `queue`: Cloudflare Queues. One message an event; `hexlane_door::queue` says which
//! go together and how often a call is tried.

use super::UNCLEAR;
use crate::{bindings, clock};
use hexlane_core::Envelope;
use hexlane_door::queue::{Sending, Step};
use hexlane_door::{Enqueue, Enqueued, Unavailable};
use js_sys::futures::JsFuture;
use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, worker_sys};

pub(super) async fn send(enqueue: &Enqueue, env: &Env) -> Result<Vec<Enqueued>, Unavailable> {
    let messages: Vec<Vec<u8>> = enqueue.envelopes().map(Envelope::encode).collect();
    let Ok(producer) = bindings::producer(env) else {
        return Err(UNCLEAR);
    };
    let mut sending = Sending::new(messages.iter().map(Vec::len), clock::now_ms());
    loop {
        match sending.step(clock::now_ms()) {
            Step::Done => return Ok(vec![Enqueued::New; messages.len()]),
            Step::GiveUp => {
                worker::console_error!("queue.unconfirmed: the queue took not every message");
                return Err(UNCLEAR);
            }
            Step::Call {
                wait_ms,
                within_ms,
                messages: range,
            } => {
                if wait_ms > 0 {
                    clock::pause(wait_ms).await;
                }
                let call = call(&producer, messages.get(range).unwrap_or_default());
                let refused = match clock::within(within_ms, call).await {
                    Some(Ok(())) => None,
                    Some(Err(error)) => Some(bindings::told(&error)),
                    None => Some(format!("no answer within {within_ms} ms")),
                };
                if let Some(reason) = &refused {
                    worker::console_warn!("queue.call_failed: {reason}");
                }
                sending.called(refused.is_none());
            }
        }
    }
}

/// One call of `sendBatch`: all of its messages, or none.
async fn call(producer: &worker_sys::Queue, messages: &[Vec<u8>]) -> Result<(), JsValue> {
    let batch = messages.iter().map(|bytes| message(bytes));
    let batch = batch.collect::<Result<Array, JsValue>>()?;
    let sent = producer.send_batch(batch, JsValue::UNDEFINED)?;
    JsFuture::from(sent).await.map(drop)
}

/// The runtime takes a `Uint8Array` for `bytes`, and nothing else.
fn message(bytes: &[u8]) -> Result<JsValue, JsValue> {
    let message = Object::new();
    Reflect::set(&message, &"body".into(), &Uint8Array::from(bytes))?;
    Reflect::set(&message, &"contentType".into(), &"bytes".into())?;
    Ok(message.unchecked_into())
}
