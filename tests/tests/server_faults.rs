//! Faults of Redis and PostgreSQL, each made on a real server under the real `hexlane run`.
//!
//! While one lasts: the process lives, what the queue cannot take is 503 and never 202,
//! `/readyz` names the part that takes no events or the one that is waited for, and the log
//! says so once. Once it is lifted everything drains by itself, each event once.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "server_faults/deployment.rs"]
mod deployment;
#[path = "server_faults/postgis.rs"]
mod postgis;
#[path = "server_faults/redis.rs"]
mod redis;
