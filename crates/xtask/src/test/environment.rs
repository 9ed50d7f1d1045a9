//! What a test may ask of its environment: where the built things and the tools are.
//!
//! Every variable has a repository-relative place that a test started by hand
//! falls back to; CONTRIBUTING.md lists both.

use std::process::Command;

use crate::{tools, workspace::Workspace};

/// Sets the variables for the tests of this run.
pub(crate) fn set<'a>(
    command: &'a mut Command,
    workspace: &Workspace,
    quick: bool,
) -> &'a mut Command {
    let profile = if quick { "debug" } else { "release" };
    command
        .env(
            "HEXLANE_BIN",
            workspace.target().join(profile).join("hexlane"),
        )
        .env("HEXLANE_EDGE_DIR", workspace.edge_bundle())
        .env("HEXLANE_WORKERD", workspace.npm_bin("workerd"))
        .env("HEXLANE_NODE", workspace.npm_bin("node"))
        .env("HEXLANE_WRANGLER", workspace.npm_bin("wrangler"))
        .env("HEXLANE_PYTHON", tools::interpreter(workspace))
}
