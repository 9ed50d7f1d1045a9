//! Waiting by probing, always with a limit.

use std::thread;
use std::time::{Duration, Instant};

/// Between two probes: short beside anything that is waited for.
const PAUSE: Duration = Duration::from_millis(10);

/// A moment after which patience ends.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    began: Instant,
    limit: Duration,
}

impl Deadline {
    /// So long from now.
    #[must_use]
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place where tests read the clock"
    )]
    pub fn after(limit: Duration) -> Self {
        Self {
            began: Instant::now(),
            limit,
        }
    }

    /// Whether it has passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.elapsed() >= self.limit
    }

    /// Since it was set.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

/// Probes until there is a value.
///
/// # Panics
/// When there is none within the limit.
pub fn until<T>(what: &str, limit: Duration, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Deadline::after(limit);
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(!deadline.passed(), "waited {limit:?} in vain for {what}");
        pause(PAUSE);
    }
}

/// Lets time pass: between probes, or between the pieces of a body that is slow on purpose.
pub fn pause(duration: Duration) {
    let deadline = Deadline::after(duration);
    while !deadline.passed() {
        thread::park_timeout(duration.saturating_sub(deadline.elapsed()));
    }
}

/// Seconds since 1970, for signatures and for times of events.
#[must_use]
#[allow(
    clippy::disallowed_methods,
    reason = "the one place where tests read the clock"
)]
pub fn now_s() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}
