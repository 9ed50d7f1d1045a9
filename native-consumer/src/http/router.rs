//! Which path is whose.

use super::answer::response;
use super::app::App;
use super::body;
use super::health::{livez, readyz};
use super::intake::intake;
use super::relay::relay;
use super::status::status;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Response, header};
use axum::routing::{any, get};
use hexlane_backend::Tally;
use hexlane_door::Problem;
use hexlane_engine::Backends;
use std::sync::Arc;

/// Where status is answered.
pub(crate) const STATUS_PATH: &str = "/v1/status";
/// What a path that only tells is asked by.
const TOLD_BY: &str = "GET, HEAD";
/// Prometheus text exposition format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The router; what no route takes is the door's to answer.
pub fn router<B: Backends>(app: Arc<App<B>>) -> Router
where
    B::Sink: Tally,
{
    Router::new()
        .route("/livez", get(livez))
        .route("/readyz", get(readyz::<B>))
        .route("/metrics", get(metrics::<B>))
        .route(STATUS_PATH, get(status::<B>))
        .route(hexlane_door::relay::PATH, any(relay::<B>))
        .method_not_allowed_fallback(told_only)
        .fallback(intake::<B>)
        .with_state(app)
}

async fn metrics<B: Backends>(State(app): State<Arc<App<B>>>) -> Response<Body> {
    let text = app
        .metrics
        .scrape(app.stores.queue(), app.stores.dead_letters())
        .await;
    let mut response = Response::new(Body::from(text));
    let kind = header::HeaderValue::from_static(METRICS_TYPE);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Answers another method at a path that only tells.
async fn told_only(request: Request) -> Response<Body> {
    let (parts, mut body) = request.into_parts();
    body::discard_rest(&parts, &mut body).await;
    response(Problem::MethodNotAllowed { allow: TOLD_BY }.answer())
}
