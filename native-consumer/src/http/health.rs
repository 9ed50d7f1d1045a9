//! `/livez`: the process answers. `/readyz`: it takes events; if not, the reason.

use super::answer::json;
use super::app::App;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use hexlane_backend::{Part, Queue};
use hexlane_engine::Backends;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A store that does not answer for so long is away.
const STORE_WAIT_MAX: Duration = Duration::from_secs(2);

/// Whether the process is on its way out. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    stopping: Arc<AtomicBool>,
}

impl Readiness {
    /// From now on the process is not ready.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }
}

/// It answers, as the Worker does.
pub(super) async fn livez() -> Response<Body> {
    json(200, &json!({ "status": "live" }))
}

/// It takes events, or says why not.
pub(super) async fn readyz<B: Backends>(State(app): State<Arc<App<B>>>) -> Response<Body> {
    match reason(&app).await {
        None => json(
            200,
            &json!({ "ready": true, "paused": app.metrics.paused() }),
        ),
        Some(unready) => not_ready(unready),
    }
}

/// Why it takes no events.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unready {
    /// What is at fault; none when nothing is.
    pub(super) part: Option<Part>,
    /// A stable code.
    pub(super) reason: &'static str,
}

/// The answer of a process that takes no events.
pub(super) fn not_ready(unready: Unready) -> Response<Body> {
    let Unready { part, reason } = unready;
    let document = match part {
        Some(part) => {
            json!({ "ready": false, "part": part.to_string(), "reason": reason })
        }
        None => json!({ "ready": false, "reason": reason }),
    };
    json(503, &document)
}

/// A map that is away is no reason: the queue keeps what is sent meanwhile, and a process
/// that says it is not ready is sent nothing. `paused` tells it.
async fn reason<B: Backends>(app: &App<B>) -> Option<Unready> {
    if app.readiness.is_stopping() {
        return Some(Unready {
            part: None,
            reason: "stopping",
        });
    }
    let reason = match tokio::time::timeout(STORE_WAIT_MAX, app.stores.queue().writable()).await {
        Ok(Ok(())) => return None,
        Ok(Err(failure)) => failure.code.as_str(),
        Err(_) => "store.slow",
    };
    Some(Unready {
        part: Some(Part::Queue),
        reason,
    })
}
