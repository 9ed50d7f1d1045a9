//! cargo-fuzz, built once into `.tools`: no wheel brings it.

use crate::{
    command::{cargo, run},
    failure::Failure,
    tools::has_cargo_tool,
    workspace::Workspace,
};

const VERSION: &str = "0.13.2";

/// Makes sure that `cargo fuzz` runs.
pub(crate) fn ensure(workspace: &Workspace) -> Result<(), Failure> {
    if has_cargo_tool(workspace, "fuzz") {
        return Ok(());
    }
    run(cargo(workspace)
        .args(["install", "cargo-fuzz", "--locked"])
        .args(["--version", VERSION, "--root", ".tools"]))
}
