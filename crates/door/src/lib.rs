//! How the door answers: a request's head, its bytes and the source's policy become a
//! status, headers and a document, or envelopes to put on the queue.
//!
//! Pure. The Worker and the native intake both use it and so cannot differ. It knows no
//! network, no storage, no runtime, no clock: bytes, time and the queue's answer are
//! arguments.
//!
//! A request passes [`Door::open`] (head alone), [`Meter`] (bytes, as they arrive),
//! [`Opened::judge`] (signature and verdict) and, when there is something to enqueue,
//! [`Enqueue::settle`] with what the queue said. No 202 exists before that.
//!
//! Routes to the queue: [`relay`] (to the native intake), [`queue`] (Cloudflare Queues) and
//! the [`bridge`] that brings what lay there to the relay.

mod answer;
pub mod bridge;
mod coding;
mod document;
mod enqueue;
mod head;
mod large;
mod leading;
mod media;
mod meter;
mod open;
mod prefer;
mod problem;
mod proof;
pub mod queue;
pub mod relay;
mod settings;
mod verdict;

pub use answer::Answer;
pub use coding::CodingFault;
pub use enqueue::{Decision, Enqueue, Enqueued, Unavailable};
pub use head::{EVENT_HEADERS, EVENT_MARK, HEADERS, Head};
pub use large::LargePayload;
pub use meter::{Budget, Meter};
pub use open::{Door, Opened};
pub use problem::Problem;
pub use settings::{DoorSettings, SettingsError};
