//! The runtime's clock, which stands still while wasm runs, and its timers.

use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;
use worker::{Date, Delay};

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    Date::now().as_millis()
}

/// Microseconds since 1970.
pub(crate) fn now_us() -> i64 {
    i64::try_from(now_ms())
        .unwrap_or(i64::MAX)
        .saturating_mul(1_000)
}

/// Waits.
pub(crate) async fn pause(ms: u32) {
    Delay::from(Duration::from_millis(u64::from(ms))).await;
}

/// What comes of the work; none when it takes longer. It is dropped then, and what it
/// asked of the runtime may still happen.
pub(crate) async fn within<T>(ms: u32, work: impl Future<Output = T>) -> Option<T> {
    let end = Delay::from(Duration::from_millis(u64::from(ms)));
    match select(pin!(work), pin!(end)).await {
        Either::Left((value, _)) => Some(value),
        Either::Right(((), _)) => None,
    }
}
