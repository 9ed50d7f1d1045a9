//! A bounded load: a few kept connections, each asking as fast as it is answered.
//!
//! Closed loop, loopback only, ends at its time limit. Any status but the expected
//! one fails the run: a benchmark of wrong answers says nothing.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use super::payload::Request;
use crate::{failure::Failure, http::Connection};

/// Enough to keep workerd's one thread busy, few enough not to crowd it out.
const CONNECTIONS: usize = 8;

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
        let answered = thread::scope(|scope| {
            let workers: Vec<_> = (0..CONNECTIONS)
                .map(|_| scope.spawn(|| self.ask_until(began + duration)))
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker
                        .join()
                        .unwrap_or_else(|_| Err(self.failed(&"a load thread panicked")))
                })
                .sum::<Result<u32, Failure>>()
        })?;
        Ok(f64::from(answered) / began.elapsed().as_secs_f64())
    }

    fn ask_until(&self, end: Instant) -> Result<u32, Failure> {
        let mut request = Request::new(self.port, self.path, self.body);
        let mut connection = Connection::open(self.port).map_err(|error| self.failed(&error))?;
        let mut answered = 0;
        while Instant::now() < end {
            let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
            let status = connection
                .ask(request.numbered(id))
                .map_err(|error| self.failed(&error))?;
            if status != self.expected {
                return Err(self.failed(&format!(
                    "status {status} where {} was expected",
                    self.expected
                )));
            }
            answered += 1;
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
