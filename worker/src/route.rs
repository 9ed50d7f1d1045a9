//! Where accepted events go. Route `relay`: one signed POST to the native intake, whose
//! answer is read before any 202.

use crate::bindings::Relay;
use hexlane_door::relay::{Parcel, pack, read_answer};
use hexlane_door::{Enqueue, Enqueued, Unavailable};
use js_sys::Uint8Array;
use worker::{
    AbortSignal, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, Response,
};

/// How long the relay may take. A sender waits about 30 s; it gets a 503 well before.
const RELAY_TIMEOUT_MS: u32 = 15_000;

/// When a sender may come again after an unclear relay.
const UNCLEAR: Unavailable = Unavailable::Unclear { retry_after_s: 1 };

pub(crate) async fn relay(
    enqueue: &Enqueue,
    relay: &Relay,
    now_us: i64,
) -> Result<Vec<Enqueued>, Unavailable> {
    let parcel = pack(enqueue.envelopes(), relay.secret.as_ref(), now_us);
    match post(&relay.url, &parcel).await {
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

async fn post(url: &str, parcel: &Parcel) -> worker::Result<(u16, Option<String>, Vec<u8>)> {
    let headers = Headers::new();
    for (name, value) in &parcel.headers {
        headers.set(name, value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(Uint8Array::from(parcel.body.as_slice()).into()));
    let request = Request::new_with_init(url, &init)?;
    let signal = AbortSignal::from(web_sys::AbortSignal::timeout_with_u32(RELAY_TIMEOUT_MS));
    let mut response: Response = Fetch::Request(request).send_with_signal(&signal).await?;
    let retry_after = response.headers().get("retry-after")?;
    let body = response.bytes().await?;
    Ok((response.status_code(), retry_after, body))
}
