//! What must be on the machine, and how it gets there.
//!
//! One tool family a file. Each installs what it may: npm packages into
//! `node_modules`, Python packages into `.tools/venv`, cargo-fuzz into `.tools`, a rustup
//! target, and apt packages only as root on a system that has apt. Otherwise it says what
//! to type.

mod apt;
mod fuzz;
mod node;
mod python;
mod rust;

pub(crate) use self::{
    apt::{Package, ensure as ensure_apt},
    fuzz::ensure as ensure_fuzz,
    node::ensure as ensure_node,
    python::{ensure as ensure_python, has as has_cargo_tool, interpreter},
    rust::{WASM_TARGET, ensure_wasm_target},
};
