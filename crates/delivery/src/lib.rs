//! The decisions of delivery, without their effects.
//!
//! When to try again, what a failure means, where an event goes, which events may run
//! now: functions from values to values. `now` and randomness ([`Draw`]) are arguments,
//! so a run can be repeated to the byte. It never awaits, reads no clock, knows no
//! backend and no sink; the engine performs what is decided here.
//!
//! Limits: every bound is a field of [`RetryPolicy`], [`BatchLimits`] or [`CreditLimits`],
//! named with its unit last.

pub mod bisection;
pub mod cause;
pub mod credits;
pub mod draw;
pub mod lanes;
pub mod limits;
pub mod retry_after;
pub mod schedule;
pub mod settlement;

pub use bisection::{Bisection, Step};
pub use cause::{Cause, Code, Destination, Scope};
pub use credits::{Credits, Load};
pub use draw::Draw;
pub use lanes::Lanes;
pub use limits::{BatchLimits, CreditLimits};
pub use retry_after::RetryAfter;
pub use schedule::{Jitter, RetryPolicy, Wait};
pub use settlement::{Attempted, Hold, RetryState, Settlement, settle};
