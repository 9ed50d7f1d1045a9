//! The wasm32 target of the toolchain in use.
//!
//! `rust-toolchain.toml` asks rustup for it already; this catches toolchains
//! that came another way and says what to do.

use std::path::Path;

use crate::{
    command::{program, read, run},
    failure::Failure,
    workspace::Workspace,
};

/// The one target the Worker is built for.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Makes sure the toolchain can build for wasm.
pub(crate) fn ensure_wasm_target(workspace: &Workspace) -> Result<(), Failure> {
    if installed(workspace)? {
        return Ok(());
    }
    // A failure here is told better by the check below.
    let _ = run(program(workspace, "rustup").args(["target", "add", WASM_TARGET]));
    if installed(workspace)? {
        return Ok(());
    }
    Err(Failure::Missing {
        tool: "the wasm32-unknown-unknown target of Rust",
        remedy: format!("rustup target add {WASM_TARGET}"),
    })
}

fn installed(workspace: &Workspace) -> Result<bool, Failure> {
    let sysroot = read(program(workspace, "rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(WASM_TARGET)
        .is_dir())
}
