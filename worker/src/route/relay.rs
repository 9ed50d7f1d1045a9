//! Route `relay`: one signed POST to the native intake, whose answer is read before any 202.

use super::UNCLEAR;
use crate::bindings::Relay;
use crate::clock;
use hexlane_door::relay::{Parcel, pack, read_answer};
use hexlane_door::{Enqueue, Enqueued, Unavailable};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use worker::{
    AbortSignal, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, Response,
};

/// How long the relay may take. A sender waits about 30 s; it gets a 503 well before.
const TIMEOUT_MS: u32 = 15_000;

/// An answer of the relay: status, `Retry-After`, body.
pub(crate) type Said = (u16, Option<String>, Vec<u8>);

pub(super) async fn send(enqueue: &Enqueue, relay: &Relay) -> Result<Vec<Enqueued>, Unavailable> {
    let parcel = pack(enqueue.envelopes(), relay.secret.as_ref(), clock::now_us());
    match post(&relay.url, parcel, TIMEOUT_MS).await {
        Ok((status, retry_after, body)) => {
            let said = read_answer(status, retry_after.as_deref(), &body);
            if said.is_err() {
                worker::console_error!("relay.unconfirmed: the relay answered {status}");
            }
            said
        }
        Err(error) => {
            worker::console_warn!("relay.unreachable: {error}");
            Err(UNCLEAR)
        }
    }
}

/// Posts a parcel.
pub(crate) async fn post(url: &str, parcel: Parcel, timeout_ms: u32) -> worker::Result<Said> {
    let Parcel { headers, body } = parcel;
    let copy = Uint8Array::from(body.as_slice());
    // The runtime has its copy now; a parcel may be large.
    drop(body);
    post_body(url, &headers, copy.into(), timeout_ms).await
}

/// Posts a body of the runtime.
pub(crate) async fn post_body(
    url: &str,
    names_and_values: &[(&'static str, String)],
    body: JsValue,
    timeout_ms: u32,
) -> worker::Result<Said> {
    let headers = Headers::new();
    for (name, value) in names_and_values {
        headers.set(name, value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(body));
    let request = Request::new_with_init(url, &init)?;
    let signal = AbortSignal::from(web_sys::AbortSignal::timeout_with_u32(timeout_ms));
    let mut response: Response = Fetch::Request(request).send_with_signal(&signal).await?;
    let retry_after = response.headers().get("retry-after")?;
    let body = response.bytes().await?;
    Ok((response.status_code(), retry_after, body))
}
