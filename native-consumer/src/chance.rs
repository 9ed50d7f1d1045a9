//! The one place where the program finds a seed; everything else gets its chance handed in.

use hexlane_backend::Clock;
use hexlane_engine::SeededChance;

/// Chance by time and process id: retries of processes that start together must not come
/// together. It keeps no secret.
pub(crate) fn seeded(clock: &dyn Clock) -> SeededChance {
    let process = u64::from(std::process::id()).rotate_left(40);
    SeededChance::new(clock.now_us().unsigned_abs() ^ process)
}
