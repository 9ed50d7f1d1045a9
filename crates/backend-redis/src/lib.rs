//! The queue in Redis Streams: one server, Sentinel, or a cluster of any size. Needs Redis
//! 6.2 or a server that speaks it (Valkey); nothing newer is used.
//!
//! | part | how |
//! |---|---|
//! | order | one stream a shard, read by the holder of the shard's lease alone |
//! | fence | every fetch, ack and deferral compares epochs in a script; a higher one is installed |
//! | takeover | one stable consumer a shard: what is pending is read first, then what is new |
//! | retry state | a hash beside the stream, written with the deferral |
//! | doorbell | a plain `XREAD BLOCK` on a connection of its own; it changes nothing |
//! | memory | acked entries stay for a replay window, and go before intake is refused |
//!
//! Names and the publishing script are in `hexlane-streams`, which the Worker shares.
//!
//! What Redis can lose, so can this queue: with `appendfsync everysec` a crash takes up to a
//! second, and a failover takes what had not reached the replica. [`RedisQueue::warnings`]
//! says what was found; a store that keeps nothing over a restart is refused.
//!
//! It issues no leases: the map does, and [`RedisQueue::bind`] holds the queue to one map.
//! It retries nothing, reads no settings file, environment or clock.

mod acl;
mod authority;
mod connection;
mod doorbell;
mod failure;
mod foreign;
mod opener;
mod probe;
mod queue;
mod retry_text;
mod scripts;
mod settings;
mod trim;

pub use acl::{consumer_rules, publisher_rules};
pub use hexlane_streams::{Layout, LayoutError};
pub use probe::Warning;
pub use queue::RedisQueue;
pub use settings::{Foreign, Login, Persistence, Replay, Settings, Tls, Topology};
