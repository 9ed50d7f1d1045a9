//! The PostGIS backend runs the conformance suite, each sentence on a real server of its
//! own. A crash is kill -9 of the server's whole process tree.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

hexlane_backend::conformance_suite!(super::support::Stores::new().await);
