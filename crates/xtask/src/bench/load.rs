//! A bounded load: a few kept connections, each asking as fast as it is answered.
//!
//! One thread serves them all: several would take turns on the core that the program
//! under test runs on, and be measured with it. Closed loop, loopback only, ends at its
//! time limit. Any status but the expected one fails the run: a benchmark of wrong
//! answers says nothing.

use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::payload::Request;
use crate::{failure::Failure, http::Connection};

/// Enough to keep workerd's one thread busy.
const CONNECTIONS: usize = 8;

/// No answer of a program under test takes longer than this, or it counts as none.
const ANSWER_LIMIT: Timespec = Timespec {
    tv_sec: 10,
    tv_nsec: 0,
};

/// Event ids are never used twice in a run of xtask, whatever the row.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Who is asked what, and what the answer must be.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) port: u16,
    pub(crate) path: &'a str,
    pub(crate) body: &'a str,
    pub(crate) expected: u16,
}

impl Target<'_> {
    /// Requests a second over `duration`.
    pub(crate) fn load(&self, duration: Duration) -> Result<f64, Failure> {
        let began = Instant::now();
        let answered = self.ask_until(began + duration)?;
        Ok(f64::from(answered) / began.elapsed().as_secs_f64())
    }

    /// How many requests were answered; those in flight at the end are not waited for.
    fn ask_until(&self, end: Instant) -> Result<u32, Failure> {
        let failed = |error: io::Error| self.failed(&error);
        let mut request = Request::new(self.port, self.path, self.body);
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut connection = Connection::open(self.port).map_err(failed)?;
            connection
                .send(request.numbered(next_id()))
                .map_err(failed)?;
            connections.push(connection);
        }
        let mut answered = 0;
        while Instant::now() < end {
            for ready in ready(&connections).map_err(failed)? {
                let connection = &mut connections[ready];
                let status = connection.receive().map_err(failed)?;
                if status != self.expected {
                    let expected = self.expected;
                    return Err(
                        self.failed(&format!("status {status} where {expected} was expected"))
                    );
                }
                answered += 1;
                connection
                    .send(request.numbered(next_id()))
                    .map_err(failed)?;
            }
        }
        Ok(answered)
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> Failure {
        Failure::Refused(format!(
            "load on http://127.0.0.1:{}{}: {why}",
            self.port, self.path
        ))
    }
}

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// The connections whose answers begin to arrive, by index; waits for the first.
fn ready(connections: &[Connection]) -> io::Result<Vec<usize>> {
    let mut waiting: Vec<PollFd<'_>> = connections
        .iter()
        .map(|connection| PollFd::new(connection.socket(), PollFlags::IN))
        .collect();
    if poll(&mut waiting, Some(&ANSWER_LIMIT))? == 0 {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let is_ready =
        |(index, one): (usize, &PollFd<'_>)| (!one.revents().is_empty()).then_some(index);
    Ok(waiting.iter().enumerate().filter_map(is_ready).collect())
}
