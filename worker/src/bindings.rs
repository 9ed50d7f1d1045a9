//! The Worker's settings from its bindings, resolved once in an isolate.
//!
//! | binding | what it is | needed by |
//! |---|---|---|
//! | `DOOR` | sources, limits, shards: an object of `[vars]`, the tables of `hexlane.toml` | every route |
//! | `ROUTE` | where accepted events go: `relay` (default), `queue`, `redis` | |
//! | `ENVELOPE_BYTES_MAX` | the largest envelope of the route; each route has a default | |
//! | `RELAY_URL` | base URL of the native intake | route `relay`, the bridge |
//! | `HEXLANE_RELAY_SECRET` | secret, `whsec_…`; signs what is relayed | route `relay`, the bridge |
//! | `EVENTS` | producer of a queue of Cloudflare Queues | route `queue` |
//! | `REDIS_URL` | secret, `redis://` or `rediss://` with user and password | route `redis` |
//! | `REDIS_NAMESPACE` | prefix of every key, `spatial.events` unless set | |
//! | `PAYLOADS` | R2 bucket for payloads too large for a message; without it they are refused | route `queue`, the bridge |
//!
//! A source's secrets are bindings of the names that its `auth` gives.

use crate::redis_url;
use hexlane_core::lane::ShardMap;
use hexlane_core::signature::Secret;
use hexlane_door::{Budget, Door, DoorSettings, queue};
use hexlane_streams::names::NAMESPACE_DEFAULT;
use hexlane_streams::{Layout, Publish, Server};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Bucket, Env, worker_sys};

/// Bytes of bodies in flight in one isolate: it has 128 MB, and a body costs about
/// three times its size until it is answered. A cap of one body above it makes room for one
/// such body: else every one of them would be told for ever to come again.
const IN_FLIGHT_BYTES_MAX: u64 = 24 << 20;

/// The largest envelope of route `redis` unless a setting says otherwise: what waits there
/// is in memory.
const REDIS_ENVELOPE_BYTES_DEFAULT: u64 = 256 * 1024;

const EVENTS: &str = "EVENTS";
const PAYLOADS: &str = "PAYLOADS";

/// What a request needs of the Worker.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) door: Door,
    pub(crate) budget: Budget,
    pub(crate) route: Route,
    /// The largest envelope that the route carries; a larger one leaves its payload in R2.
    pub(crate) envelope_bytes_max: u64,
    /// Whether it can.
    pub(crate) stores_payloads: bool,
}

/// Where accepted events go.
#[derive(Debug)]
pub(crate) enum Route {
    /// The native intake.
    Relay(Rc<Relay>),
    /// Cloudflare Queues.
    Queue,
    /// Redis Streams.
    Redis(Box<Redis>),
}

/// Where the streams are, and how they lie there.
#[derive(Debug)]
pub(crate) struct Redis {
    pub(crate) server: Server,
    pub(crate) layout: Layout,
    pub(crate) publish: Publish,
}

/// Where the native intake is.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) url: String,
    pub(crate) secret: Option<Secret>,
}

/// Resolved, or the reason why not: either stands for the life of the isolate.
type Once<T> = RefCell<Option<Result<Rc<T>, String>>>;

thread_local! {
    static EDGE: Once<Edge> = const { RefCell::new(None) };
    static BRIDGE: Once<Relay> = const { RefCell::new(None) };
}

/// The isolate's settings.
pub(crate) fn resolve(env: &Env) -> Result<Rc<Edge>, String> {
    EDGE.with_borrow_mut(|edge| {
        let resolved = edge.get_or_insert_with(|| read(env).map(Rc::new));
        resolved.clone()
    })
}

/// What the bridge needs.
pub(crate) fn bridge(env: &Env) -> Result<Rc<Relay>, String> {
    BRIDGE.with_borrow_mut(|bridge| {
        let resolved = bridge.get_or_insert_with(|| relay(env).map(Rc::new));
        resolved.clone()
    })
}

fn read(env: &Env) -> Result<Edge, String> {
    let mut settings = door_settings(env)?;
    let (route, carries) = route(env, settings.shards)?;
    let most = carries.most;
    let asked = number(env, "ENVELOPE_BYTES_MAX")?;
    if asked.is_some_and(|asked| asked > most) {
        return Err(format!(
            "ENVELOPE_BYTES_MAX is over {most}, which this route cannot carry"
        ));
    }
    let limit = &mut settings.limits.envelope_bytes_max;
    let envelope_bytes_max = asked.unwrap_or(carries.usual).min(*limit);
    let has_bucket = value(env, PAYLOADS).is_some();
    if has_bucket {
        bucket(env)?;
    }
    // Where a larger one cannot go by pointer, the judge refuses it.
    let stores_payloads = has_bucket && carries.pointers;
    if !stores_payloads {
        *limit = envelope_bytes_max;
    }
    let in_flight_bytes_max = settings.limits.body_bytes_max.max(IN_FLIGHT_BYTES_MAX);
    let door = settings
        .resolve(|name| text(env, name))
        .map_err(|error| error.to_string())?;
    Ok(Edge {
        door,
        budget: Budget::new(in_flight_bytes_max),
        route,
        envelope_bytes_max,
        stores_payloads,
    })
}

/// What a route carries, in bytes of an envelope.
struct Carries {
    /// Unless a setting says otherwise.
    usual: u64,
    /// At all.
    most: u64,
    /// Whether who is behind it resolves pointers. The bridge does; a consumer of Redis
    /// does not read R2, and what it cannot apply must not be accepted.
    pointers: bool,
}

fn route(env: &Env, shards: u16) -> Result<(Route, Carries), String> {
    let carries = |usual, most, pointers| Carries {
        usual,
        most,
        pointers,
    };
    match text(env, "ROUTE").as_deref() {
        None | Some("relay") => {
            let route = Route::Relay(bridge(env)?);
            Ok((route, carries(u64::MAX, u64::MAX, false)))
        }
        Some("queue") => {
            producer(env)?;
            let (usual, most) = (queue::ENVELOPE_BYTES_DEFAULT, queue::ENVELOPE_BYTES_MAX);
            Ok((Route::Queue, carries(usual, most, true)))
        }
        Some("redis") => {
            let redis = redis(env, shards)?;
            let route = Route::Redis(Box::new(redis));
            let usual = REDIS_ENVELOPE_BYTES_DEFAULT;
            Ok((route, carries(usual, u64::MAX, false)))
        }
        Some(other) => Err(format!(
            "ROUTE is `{other}`, not `relay`, `queue` or `redis`"
        )),
    }
}

fn redis(env: &Env, shards: u16) -> Result<Redis, String> {
    let url = text(env, "REDIS_URL").ok_or("REDIS_URL is not set; route `redis` needs it")?;
    let namespace = text(env, "REDIS_NAMESPACE");
    let namespace = namespace.as_deref().unwrap_or(NAMESPACE_DEFAULT);
    let shard_map = ShardMap::new(shards).ok_or("`shards` is not 1 to 999")?;
    Ok(Redis {
        server: redis_url::server(&url).map_err(|reason| format!("REDIS_URL is {reason}"))?,
        layout: Layout::new(namespace, shard_map).map_err(|reason| reason.to_string())?,
        publish: Publish::new(),
    })
}

fn relay(env: &Env) -> Result<Relay, String> {
    let url = text(env, "RELAY_URL").ok_or("RELAY_URL is not set")?;
    let secret = match text(env, "HEXLANE_RELAY_SECRET") {
        Some(value) => Some(
            Secret::from_whsec(&value)
                .map_err(|reason| format!("HEXLANE_RELAY_SECRET {reason}"))?,
        ),
        None => None,
    };
    Ok(Relay {
        url: format!("{}{}", url.trim_end_matches('/'), hexlane_door::relay::PATH),
        secret,
    })
}

/// The producer of the queue.
pub(crate) fn producer(env: &Env) -> Result<worker_sys::Queue, String> {
    let binding = value(env, EVENTS).ok_or("EVENTS is not bound; route `queue` needs it")?;
    if has_method(&binding, "sendBatch") {
        Ok(binding.unchecked_into())
    } else {
        Err("EVENTS is no producer of a queue".to_owned())
    }
}

/// The bucket of large payloads.
pub(crate) fn bucket(env: &Env) -> Result<Bucket, String> {
    let binding = value(env, PAYLOADS).ok_or("PAYLOADS is not bound")?;
    if has_method(&binding, "createMultipartUpload") {
        Ok(binding.unchecked_into())
    } else {
        Err("PAYLOADS is no R2 bucket".to_owned())
    }
}

fn has_method(binding: &JsValue, name: &str) -> bool {
    js_sys::Reflect::get(binding, &name.into()).is_ok_and(|member| member.is_function())
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
    value(env, name)?.as_string()
}

/// A variable that is a whole number, written as one or as text.
fn number(env: &Env, name: &str) -> Result<Option<u64>, String> {
    let Some(value) = value(env, name) else {
        return Ok(None);
    };
    let written = match (value.as_string(), value.as_f64()) {
        (Some(text), _) => text,
        (None, Some(number)) => number.to_string(),
        (None, None) => String::new(),
    };
    let number = written.parse().ok().filter(|number| *number > 0);
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(format!("{name} is no whole number above zero")),
    }
}

fn value(env: &Env, name: &str) -> Option<JsValue> {
    let found = js_sys::Reflect::get(env, &JsValue::from_str(name)).ok()?;
    (!found.is_undefined() && !found.is_null()).then_some(found)
}

/// An exception of the runtime, in words.
pub(crate) fn told(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.to_string()),
        None => format!("{error:?}"),
    }
}
