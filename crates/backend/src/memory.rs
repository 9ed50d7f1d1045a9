//! The in-memory backends: real ones that forget on exit. They hold every contract of the
//! seams but durability, and run the same conformance suite as the others.
//!
//! They never block, never fail by themselves, and keep everything under one mutex each:
//! right before fast.

mod dead_letters;
mod leases;
mod map;
mod queue;
mod sink;
mod tally;

pub use leases::MemoryLeases;
pub use map::{MemoryFeature, MemoryMap};
pub use queue::MemoryQueue;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The guarded value; a panic elsewhere while it was held does not spread.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
