//! What a body may be besides one plain GeoJSON document, row by row.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it is surprised"
)]

#[path = "support/mod.rs"]
mod support;

#[path = "input/cloud_events.rs"]
mod cloud_events;
#[path = "input/coded.rs"]
mod coded;
#[path = "input/policies.rs"]
mod policies;
#[path = "input/proofs.rs"]
mod proofs;
#[path = "input/repair.rs"]
mod repair;
#[path = "input/sequences.rs"]
mod sequences;
