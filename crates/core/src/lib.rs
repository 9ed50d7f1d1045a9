//! From bytes to verdict: accepted events with lane and shard, or every violation.
//!
//! The one place where the edge (wasm) and the consumer (native) agree: what is judged
//! here is judged alike in both. It never reads a clock, draws randomness, opens a
//! socket or speaks HTTP; those are arguments. Everything in it is bounded by
//! [`Limits`](crate::limits), iterative, and free of panics.

pub mod cloud_event;
pub mod code;
mod contract;
pub mod crs;
mod decimal;
pub mod digest;
pub mod effect;
pub mod envelope;
pub mod failure;
pub mod geometry;
mod json;
pub mod json_text;
pub mod judge;
pub mod lane;
pub mod limits;
pub mod outcome;
mod pointer;
mod read;
pub mod repair;
pub mod signature;
pub mod source;
pub mod version;
pub mod violation;

pub use envelope::Envelope;
pub use failure::{Destination, FailureClass, Stage};
pub use outcome::Outcome;
