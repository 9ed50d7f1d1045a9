//! The time, as an argument. Wall time is for what is stored and shown; monotonic time
//! is for deadlines. Nothing here reads a real clock: the program passes one in.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Tells the time.
pub trait Clock: Send + Sync + fmt::Debug + 'static {
    /// µs since 1970, as the world counts them; may jump.
    fn now_us(&self) -> i64;

    /// Time since a fixed moment of this process; never goes back.
    fn monotonic(&self) -> Duration;
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock {
    now_us: AtomicI64,
    monotonic_us: AtomicI64,
}

impl ManualClock {
    /// A clock at that wall time.
    #[must_use]
    pub const fn at_us(now_us: i64) -> Self {
        Self {
            now_us: AtomicI64::new(now_us),
            monotonic_us: AtomicI64::new(0),
        }
    }

    /// Lets time pass on both scales.
    pub fn advance(&self, by: Duration) {
        let by_us = i64::try_from(by.as_micros()).unwrap_or(i64::MAX);
        self.now_us.fetch_add(by_us, Ordering::SeqCst);
        self.monotonic_us.fetch_add(by_us, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_us(&self) -> i64 {
        self.now_us.load(Ordering::SeqCst)
    }

    fn monotonic(&self) -> Duration {
        let passed_us = self.monotonic_us.load(Ordering::SeqCst);
        Duration::from_micros(u64::try_from(passed_us).unwrap_or(0))
    }
}
