//! The shape of the workspace: arrows, named packages, what the edge is made of, and
//! the rules of form that no lint knows.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "architecture/arrows.rs"]
mod arrows;
#[path = "architecture/edge.rs"]
mod edge;
#[path = "architecture/form.rs"]
mod form;
#[path = "architecture/packages.rs"]
mod packages;
#[path = "architecture/vendors.rs"]
mod vendors;
