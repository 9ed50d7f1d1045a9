//! Real servers for tests: Redis alone or as a cluster, and PostgreSQL with PostGIS. Each has
//! a folder of its own and a free port, and is ended by its process ids, also when the test
//! panics. What a crash could lose stays on disk as in production; sizes are small.
//!
//! A test that cannot have its server fails and names the Debian package. It knows nothing
//! of Hexlane.
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test says what failed by panicking"
)]

pub mod cluster;
mod ports;
pub mod postgres;
pub mod redis;
mod template;

pub use ports::free_port;
pub use template::PASSWORD;
