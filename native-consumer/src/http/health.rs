//! `/livez`: the process answers. `/readyz`: it takes events; if not, the reason.

use super::answer::json;
use super::app::App;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use hexlane_backend::Queue;
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
        Some(reason) => json(503, &json!({ "ready": false, "reason": reason })),
    }
}

async fn reason<B: Backends>(app: &App<B>) -> Option<&'static str> {
    if app.readiness.is_stopping() {
        return Some("stopping");
    }
    match tokio::time::timeout(STORE_WAIT_MAX, app.stores.queue().backlog()).await {
        Ok(Ok(_)) => None,
        Ok(Err(failure)) => Some(failure.code.as_str()),
        Err(_) => Some("store.slow"),
    }
}
