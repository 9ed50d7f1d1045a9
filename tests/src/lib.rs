//! What the end-to-end and architecture tests stand on: the two front ends and the servers
//! as real processes, a relay that can be broken, an HTTP client that can misbehave, and
//! readers of the workspace and of a `GeoPackage`.
//!
//! It sees Hexlane from outside only: HTTP, files, processes, `cargo metadata`.
//! Everything waits by probing, with a limit; a process that fails shows its log. A
//! tool that is absent fails the test with the command that brings it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking, and so does what it stands on"
)]

pub mod chance;
pub mod consumer;
pub mod deployment;
pub mod dev;
pub mod edge;
pub mod flood;
pub mod geopackage;
pub mod http;
pub mod postgis;
pub mod process;
pub mod relay;
pub mod settings;
pub mod signature;
pub mod streams;
pub mod tools;
pub mod wait;
pub mod workspace;
