//! HTTP/1.1 as plain as it goes, so that a test can send what a good client would not:
//! a body in pieces, without a length, or shorter than it says.

mod message;
mod wire;

pub use message::{Framing, Request, Response};
pub use wire::{Connection, Slow, read_request, write_response};

use std::io;

/// One request on a connection of its own.
///
/// # Errors
/// When nothing listens, or no whole answer comes.
pub fn send(port: u16, request: &Request) -> io::Result<Response> {
    Connection::open(port)?.send(request)
}
