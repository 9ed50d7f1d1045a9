//! Real servers in folders of their own, on free ports, ended by process id when the test
//! ends, also when it panics.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and no test uses everything"
)]

pub mod cluster {
    pub use hexlane_servers::cluster::Cluster;
}
pub mod drain;
pub mod fixture;
pub mod monitor;
pub mod server {
    pub use hexlane_servers::redis::*;
}
