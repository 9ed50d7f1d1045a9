//! The effects of delivery, in the order the rules dictate.
//!
//! Per shard: lease → pending entries → new ones → key lanes → one micro-batch at a time,
//! joined with reference layers where its source says so → the sink → settle. Acked only with the proof of a commit; dead letters are durable
//! before their ack; a failing key stops itself alone; an outage of the sink spends
//! nothing. What is decided is decided in `hexlane-delivery`; here it is done.
//!
//! Everything in memory may be lost at any moment: the queue, the claims and the dead
//! letters are the whole state. A dropped engine is a crashed one.
//!
//! It never knows which backend it runs on, reads no clock, no randomness and no
//! environment ([`Clock`](hexlane_backend::Clock), [`Chance`] and [`EngineSettings`] are
//! arguments), speaks no SQL and no HTTP. A call that changes a store is never inside a
//! `select!`: it ends, or the whole shard is dropped with it.

mod apply;
mod attempt;
mod bury;
mod cause;
mod chance;
mod closing;
mod context;
mod core_reader;
mod doorbell;
mod end;
mod engine;
mod fetch;
mod join;
mod joining;
mod observer;
mod outages;
mod ownership;
mod pause;
mod reader;
mod row;
mod settings;
mod settle;
mod shard;
mod stop;
mod stores;
mod tenure;

pub use chance::{Chance, SeededChance};
pub use core_reader::CoreReader;
pub use engine::{Engine, EngineError, Stopped};
pub use join::{Join, JoinFailure, Unjoined};
pub use observer::{Observation, Observer, PauseReason, Unobserved};
pub use reader::{Reader, Refusal};
pub use settings::EngineSettings;
pub use stop::{StopHandle, StopSignal, stop_pair};
pub use stores::{Backends, Stores};
pub use tenure::check_lease;
