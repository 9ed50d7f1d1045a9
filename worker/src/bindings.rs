//! The Worker's settings from its bindings, resolved once in an isolate.
//!
//! | binding | what it is |
//! |---|---|
//! | `DOOR` | sources, limits, shards: an object of `[vars]`, the tables of `hexlane.toml` |
//! | `ROUTE` | where accepted events go: `relay` |
//! | `RELAY_URL` | base URL of the native intake |
//! | `HEXLANE_RELAY_SECRET` | secret, `whsec_…`; signs what is relayed |
//!
//! A source's secrets are bindings of the names that its `auth` gives.

use hexlane_core::signature::Secret;
use hexlane_door::{Budget, Door, DoorSettings};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use worker::Env;

/// Bytes of bodies in flight in one isolate: it has 128 MB, and a body costs about
/// three times its size until it is answered.
const IN_FLIGHT_BYTES_MAX: u64 = 24 << 20;

/// What a request needs of the Worker.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) door: Door,
    pub(crate) budget: Budget,
    pub(crate) relay: Relay,
}

/// Route `relay`: where the native intake is.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) url: String,
    pub(crate) secret: Option<Secret>,
}

thread_local! {
    static EDGE: RefCell<Option<Rc<Edge>>> = const { RefCell::new(None) };
}

/// The isolate's settings.
pub(crate) fn resolve(env: &Env) -> Result<Rc<Edge>, String> {
    if let Some(edge) = EDGE.with_borrow(Clone::clone) {
        return Ok(edge);
    }
    let edge = Rc::new(read(env)?);
    EDGE.set(Some(Rc::clone(&edge)));
    Ok(edge)
}

fn read(env: &Env) -> Result<Edge, String> {
    let settings = door_settings(env)?;
    let door = settings
        .resolve(|name| text(env, name))
        .map_err(|error| error.to_string())?;
    match text(env, "ROUTE").as_deref() {
        None | Some("relay") => {}
        Some(other) => return Err(format!("ROUTE is `{other}`; this build has `relay`")),
    }
    let url = text(env, "RELAY_URL").ok_or("RELAY_URL is not set")?;
    let secret = match text(env, "HEXLANE_RELAY_SECRET") {
        Some(value) => Some(
            Secret::from_whsec(&value)
                .map_err(|reason| format!("HEXLANE_RELAY_SECRET {reason}"))?,
        ),
        None => None,
    };
    let relay = Relay {
        url: format!("{}{}", url.trim_end_matches('/'), hexlane_door::relay::PATH),
        secret,
    };
    Ok(Edge {
        door,
        budget: Budget::new(IN_FLIGHT_BYTES_MAX),
        relay,
    })
}

/// Through JSON text and not by the members that are known, so that a member that is
/// unknown is an error.
fn door_settings(env: &Env) -> Result<DoorSettings, String> {
    let value =
        js_sys::Reflect::get(env, &JsValue::from_str("DOOR")).map_err(|_| "DOOR cannot be read")?;
    if value.is_undefined() {
        return Err("DOOR is not set".to_owned());
    }
    let json = match value.as_string() {
        Some(text) => text,
        None => js_sys::JSON::stringify(&value)
            .map_err(|_| "DOOR is not JSON")?
            .into(),
    };
    serde_json::from_str(&json).map_err(|error| format!("DOOR: {error}"))
}

/// A text binding: a variable or a secret.
fn text(env: &Env, name: &str) -> Option<String> {
    js_sys::Reflect::get(env, &JsValue::from_str(name))
        .ok()?
        .as_string()
}
