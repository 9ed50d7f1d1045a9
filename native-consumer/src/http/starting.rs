//! What is answered before the stores are open: alive, not ready, and come again.

use super::answer::response;
use super::body;
use super::health::{Unready, livez, not_ready};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::routing::get;
use hexlane_backend::{Failure, Part};
use hexlane_door::Problem;
use std::sync::{Arc, Mutex, PoisonError};

/// When to come again.
const RETRY_AFTER_S: u32 = 2;

/// What is waited for. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starting(Arc<Mutex<Option<(Part, &'static str)>>>);

impl Starting {
    /// A store did not open and is tried again.
    pub(crate) fn wait_for(&self, failure: &Failure) {
        let waited = (failure.part, failure.code.as_str());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(waited);
    }

    fn unready(&self) -> Unready {
        let waited = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Unready {
            part: waited.map(|(part, _)| part),
            reason: waited.map_or("starting", |(_, code)| code),
        }
    }
}

/// The router of a process that is not there yet.
pub(crate) fn starting(starting: Starting) -> Router {
    Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(unready))
        .fallback(come_again)
        .with_state(starting)
}

async fn unready(State(starting): State<Starting>) -> Response<Body> {
    not_ready(starting.unready())
}

async fn come_again(request: Request) -> Response<Body> {
    let (parts, mut body) = request.into_parts();
    body::discard_rest(&parts, &mut body).await;
    let problem = Problem::QueueUnavailable {
        retry_after_s: RETRY_AFTER_S,
    };
    response(problem.answer())
}
