//! The Cloudflare Worker: a request to the door, the door's envelopes to the route, the
//! route's word to the answer.
//!
//! Glue only: no validation rule, no lane arithmetic, no retry. It never panics by
//! intent: a panic would end every request in flight in the isolate. No borrow of shared
//! state is held across an await.

mod bindings;
mod intake;
mod reply;
mod route;

use worker::{Context, Env, Request, Response, Result, event};

/// Every request to the Worker.
///
/// # Errors
/// When the runtime cannot make a response of an answer.
#[event(fetch)]
pub async fn fetch(request: Request, env: Env, _context: Context) -> Result<Response> {
    let answer = match bindings::resolve(&env) {
        Ok(edge) => intake::take(request, &edge).await,
        Err(reason) => {
            worker::console_error!("settings.invalid: {reason}");
            hexlane_door::Problem::Misconfigured.answer()
        }
    };
    reply::response(answer)
}
