//! How Hexlane lies in Redis Streams: the names of streams, groups and keys, what stands in
//! an entry, and the script that publishes. Pure code, and one place of agreement: the
//! Worker writes these bytes over a socket, the native backend over its own connection, and
//! neither can differ from the other.
//!
//! | key | type | holds |
//! |---|---|---|
//! | `spatial.events:{017}` | stream | the entries of shard 17, in order |
//! | `spatial.events:{017}:own` | hash | epoch and position of the owner, counts, the shard map |
//! | `spatial.events:{017}:retry` | hash | what was tried, by entry id |
//! | `spatial.events:{017}:keys`, `:keys:old` | hash | idempotency keys with payload digests, in two generations |
//! | `spatial.events:meta` | hash | the shard map of the whole |
//! | `spatial.events` | stream | entries of other producers: `h3_cell`, `device_id`, `geometry`, `observed_at` |
//!
//! The keys of one shard share a hash tag, so one call touches one slot of a cluster. The
//! base is Redis 6.2: nothing newer is needed, by any script.
//!
//! No socket, no clock, no runtime: commands are built here and answers are read here; who
//! sends and waits is the caller's affair.

pub mod answer;
pub mod entry;
pub mod names;
pub mod publish;
pub mod refusal;
pub mod rounds;
pub mod script;
pub mod server;

pub use answer::{Published, Reply, Unread, first_refusal, read_answer, read_replies};
pub use names::{Layout, LayoutError, ShardKeys};
pub use publish::{Batch, Publish, Terms};
pub use refusal::Refusal;
pub use rounds::{Moved, Rounds, Visit};
pub use script::{Call, Script};
pub use server::{Address, Login, Server};
