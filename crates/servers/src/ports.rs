//! Ports for servers of tests.

use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the range from which systems give out ports of their own: a port in it may be
/// taken while its server is restarted, even by a client that connects to itself.
const PORTS: Range<u32> = 20_000..32_000;

/// A port on which nothing listens at this moment, and which nobody gets by chance.
///
/// # Panics
/// When all are taken.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let length = PORTS.end - PORTS.start;
    // Tests run in processes of their own: each starts elsewhere in the range.
    let first = std::process::id().wrapping_mul(97) % length;
    let mut ports = (0..length).map(|_| {
        let step = NEXT.fetch_add(1, Ordering::Relaxed);
        u16::try_from(PORTS.start + (first + step) % length).expect("a port")
    });
    let free = ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    free.expect("a free port")
}
