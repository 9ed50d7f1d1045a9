//! The Cloudflare Worker: a request to the door, the door's envelopes to the route, the
//! route's word to the answer.
//!
//! Glue only: no validation rule, no lane arithmetic, no retry. It never panics by
//! intent: a panic would end every request in flight in the isolate. No borrow of shared
//! state is held across an await.
//!
//! A request comes by one of two ways, which `js/entry.js` chooses between: [`take`], one
//! synchronous call with the whole body, or [`fetch`], which meters the body as it
//! arrives. Both end in the same functions of `intake`. What a queue hands over comes by
//! [`queue`] to the bridge.

mod bindings;
mod bridge;
mod clock;
mod intake;
mod payloads;
mod redis_url;
mod reply;
mod route;

use js_sys::Promise;
use js_sys::futures::future_to_promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::worker_sys::MessageBatch;
use worker::{Context, Env, Request, event};

/// A POST with a whole body: a response, or a promise of one. The head is its URL, then
/// lines of header name, tab, value.
///
#[wasm_bindgen]
#[must_use]
#[allow(
    clippy::needless_pass_by_value,
    reason = "what comes over from JavaScript is owned"
)]
pub fn take(head_lines: &str, body: Vec<u8>, env: Env) -> JsValue {
    match bindings::resolve(&env) {
        Ok(edge) => intake::whole(head_lines, &body, &edge, env),
        Err(reason) => reply::response(&misconfigured(&reason)),
    }
}

/// Any request, its body as a stream.
///
/// # Errors
/// When the runtime cannot make a response of an answer.
#[event(fetch)]
pub async fn fetch(
    request: Request,
    env: Env,
    _context: Context,
) -> worker::Result<web_sys::Response> {
    let answer = match bindings::resolve(&env) {
        Ok(edge) => intake::streamed(request, &edge, &env).await,
        Err(reason) => misconfigured(&reason),
    };
    Ok(reply::response(&answer).into())
}

/// A batch of messages that a queue hands over: a promise that resolves once every message
/// is settled by itself.
#[wasm_bindgen]
pub fn queue(batch: MessageBatch, env: Env) -> Promise {
    future_to_promise(async move {
        bridge::carry(&batch, &env).await;
        Ok(JsValue::UNDEFINED)
    })
}

/// The headers that the door reads, one a line; after an empty line those that it reads
/// only where `ce-specversion` is there.
#[wasm_bindgen]
#[must_use]
#[allow(
    clippy::needless_pass_by_value,
    reason = "what comes over from JavaScript is owned"
)]
pub fn header_names(env: Env) -> String {
    let names = bindings::resolve(&env).map_or_else(
        |_| hexlane_door::HEADERS.join("\n"),
        |edge| edge.door.headers().join("\n"),
    );
    format!("{names}\n\n{}", hexlane_door::EVENT_HEADERS.join("\n"))
}

fn misconfigured(reason: &str) -> hexlane_door::Answer {
    worker::console_error!("settings.invalid: {reason}");
    hexlane_door::Problem::Misconfigured.answer()
}
