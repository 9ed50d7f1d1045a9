//! The embedded backend runs the conformance suite. A crash is what the files are at that
//! moment, copied without closing them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

hexlane_backend::conformance_suite!(super::support::Folder::new());
