//! The edge's tools from npm: wrangler (with workerd and esbuild), wasm-opt, Node 24.
//!
//! `npm ci` runs once per lock file; the stamp beside the packages says for
//! which. The machine's own Node only has to run npm: wrangler and wasm-opt
//! are started with the pinned one.

use std::fs;

use super::apt::{self, Package};
use crate::{
    command::{program, run, works},
    failure::Failure,
    workspace::Workspace,
};

const NPM: Package = Package {
    tool: "npm",
    probe: &["npm", "--version"],
    packages: &["nodejs", "npm"],
};

/// Installs what `package-lock.json` pins, unless it already stands.
pub(crate) fn ensure(workspace: &Workspace) -> Result<(), Failure> {
    let lock_path = workspace.root().join("package-lock.json");
    let lock = fs::read(&lock_path).map_err(Failure::file("read", &lock_path))?;
    let stamp = workspace.root().join("node_modules/.hexlane-lock");
    if fs::read(&stamp).is_ok_and(|done| done == lock) {
        return Ok(());
    }
    apt::ensure(workspace, NPM)?;
    run(program(workspace, "npm").arg("ci"))?;
    if !works(program(workspace, workspace.npm_bin("node")).arg("--version")) {
        return Err(Failure::Missing {
            tool: "Node 24 of package.json",
            remedy: "npm skipped its install script; run: npm rebuild node".to_owned(),
        });
    }
    fs::write(&stamp, &lock).map_err(Failure::file("write", &stamp))
}
