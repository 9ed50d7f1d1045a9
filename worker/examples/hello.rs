//! A peer of `cargo xtask bench edge`: the least a Worker of the `worker` crate can do
//! with a body. It reads all of it, as ours must, and answers a constant.

use worker::{Context, Env, Request, Response, event};

#[event(fetch)]
async fn fetch(mut request: Request, _env: Env, _context: Context) -> worker::Result<Response> {
    request.bytes().await?;
    Response::ok("ok")
}
