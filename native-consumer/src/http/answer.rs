//! From the door's vocabulary to the HTTP library's and back.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, request};
use hexlane_door::{Answer, Head};
use serde::Serialize;

/// The head of a request, as the door reads it.
pub(super) fn head(parts: &request::Parts) -> Head {
    let mut head = Head::new(parts.method.as_str(), parts.uri.path());
    for (name, value) in &parts.headers {
        head = head.with(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
    }
    head
}

/// The door's answer as a response.
pub(super) fn response(answer: Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() =
        StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// A JSON document as a response.
pub(super) fn json(status: u16, document: &impl Serialize) -> Response<Body> {
    let body = serde_json::to_vec(document).unwrap_or_default();
    response(Answer::json(status, "application/json", body))
}
