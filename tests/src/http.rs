//! HTTP/1.1 as plain as it goes, so that a test can send what a good client would not:
//! a body in pieces, without a length, or shorter than it says.

mod message;
mod wire;

pub use message::{Framing, Request, Response};
pub use wire::{Connection, Slow, read_request, write_response};

use std::io;
use std::net::{Ipv4Addr, TcpListener};

/// A port on which nothing listens at this moment.
#[must_use]
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
    listener.local_addr().expect("a bound socket").port()
}

/// One request on a connection of its own.
///
/// # Errors
/// When nothing listens, or no whole answer comes.
pub fn send(port: u16, request: &Request) -> io::Result<Response> {
    Connection::open(port)?.send(request)
}
