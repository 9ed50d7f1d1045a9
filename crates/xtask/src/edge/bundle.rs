//! The bundle as wrangler would upload it, without an account.
//!
//! `wrangler deploy --dry-run` runs the `[build]` command itself, so a bundle is
//! never older than the sources.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    command::{program, run},
    failure::Failure,
    tools,
    workspace::Workspace,
};

/// Writes the bundle and gives its folder.
pub(crate) fn bundle(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let out = workspace.edge_bundle();
    if out.exists() {
        fs::remove_dir_all(&out).map_err(Failure::file("remove", &out))?;
    }
    run(wrangler(workspace)?
        .args(["deploy", "--env=", "--dry-run", "--outdir"])
        .arg(&out))?;
    Ok(out)
}

/// wrangler under the pinned Node, installed if need be.
pub(crate) fn wrangler(workspace: &Workspace) -> Result<Command, Failure> {
    tools::ensure_node(workspace)?;
    let mut command = program(workspace, workspace.npm_bin("node"));
    command.arg(workspace.npm_bin("wrangler"));
    Ok(command)
}
