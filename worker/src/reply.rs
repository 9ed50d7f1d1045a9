//! The door's answer as a response of the runtime.

use hexlane_door::Answer;
use worker::{Headers, Response, ResponseBody, Result};

pub(crate) fn response(answer: Answer) -> Result<Response> {
    let headers = Headers::new();
    for (name, value) in &answer.headers {
        headers.set(name, value)?;
    }
    let response = Response::from_body(ResponseBody::Body(answer.body))?;
    Ok(response.with_status(answer.status).with_headers(headers))
}
