//! Golden vectors: what any build, in wasm or native, and any language must repeat.
//!
//! They are added, never edited. A vector without its result fails; started once with
//! `HEXLANE_GOLDEN=add`, the tests of `rules` and `verdicts` write the results that are
//! absent and touch no other.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "golden/rules.rs"]
mod rules;
#[path = "golden/vectors.rs"]
mod vectors;
#[path = "golden/verdicts.rs"]
mod verdicts;
