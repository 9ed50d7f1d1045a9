//! The one place where the program reads a real clock; everything else gets it handed in.

use hexlane_backend::Clock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Wall and monotonic time of this machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic scale starts now.
    #[must_use]
    #[allow(
        clippy::disallowed_methods,
        reason = "the clock is read here, so that it is read nowhere else"
    )]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "the clock is read here, so that it is read nowhere else"
    )]
    fn now_us(&self) -> i64 {
        let now = SystemTime::now();
        let since_us = |passed: Duration| i64::try_from(passed.as_micros()).unwrap_or(i64::MAX);
        match now.duration_since(UNIX_EPOCH) {
            Ok(passed) => since_us(passed),
            Err(before) => -since_us(before.duration()),
        }
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}
