//! System packages: installed by apt when root, else named for the person.
//!
//! It never upgrades anything and never asks; without apt or without root it
//! refuses with the command to type.

use crate::{
    command::{program, run, works},
    failure::Failure,
    workspace::Workspace,
};

/// A program and the Debian package that brings it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package {
    /// What the failure calls it.
    pub(crate) tool: &'static str,
    /// A command line that succeeds where it is installed.
    pub(crate) probe: &'static [&'static str],
    /// The packages to install.
    pub(crate) packages: &'static [&'static str],
}

/// Makes sure that the package's probe succeeds.
pub(crate) fn ensure(workspace: &Workspace, package: Package) -> Result<(), Failure> {
    if present(workspace, package) {
        return Ok(());
    }
    if !(rustix::process::geteuid().is_root() && works(program(workspace, "apt-get").arg("-v"))) {
        return Err(missing(package));
    }
    install(workspace, package)?;
    if present(workspace, package) {
        Ok(())
    } else {
        Err(missing(package))
    }
}

fn present(workspace: &Workspace, package: Package) -> bool {
    let Some((name, arguments)) = package.probe.split_first() else {
        return false;
    };
    works(program(workspace, name).args(arguments))
}

fn install(workspace: &Workspace, package: Package) -> Result<(), Failure> {
    let apt = || {
        let mut apt = program(workspace, "apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive").arg("-qq");
        apt
    };
    run(apt().arg("update"))?;
    run(apt()
        .args(["install", "-y", "--no-install-recommends"])
        .args(package.packages))
}

fn missing(package: Package) -> Failure {
    Failure::Missing {
        tool: package.tool,
        remedy: format!(
            "On Debian or Ubuntu: sudo apt-get install {}",
            package.packages.join(" ")
        ),
    }
}
