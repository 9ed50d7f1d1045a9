//! What the scripts ask: the judge, the core as a program, the core in wasm.

use std::path::PathBuf;

use crate::{
    command::{cargo, run},
    edge,
    failure::Failure,
    tools,
    workspace::Workspace,
};

/// Debug in a quick run, where it shares its dependencies with the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Debug,
    Release,
}

impl Profile {
    fn build(
        self,
        workspace: &Workspace,
        package: &str,
        target: [&str; 2],
    ) -> Result<PathBuf, Failure> {
        let mut build = cargo(workspace);
        build.args(["build", "--package", package]).args(target);
        let folder = match self {
            Self::Debug => "debug",
            Self::Release => {
                build.arg("--release");
                "release"
            }
        };
        run(&mut build)?;
        Ok(workspace.target().join(folder))
    }
}

/// The example that judges a geometry a line.
pub(super) fn judge(workspace: &Workspace, profile: Profile) -> Result<PathBuf, Failure> {
    let folder = profile.build(workspace, "ogc-validity", ["--example", "judge_lines"])?;
    Ok(folder.join("examples/judge_lines"))
}

/// The program `oracle`.
pub(super) fn native(workspace: &Workspace, profile: Profile) -> Result<PathBuf, Failure> {
    let folder = profile.build(workspace, "hexlane-oracle", ["--bin", "oracle"])?;
    Ok(folder.join("oracle"))
}

/// The folder with the same in wasm, by the Worker's profile, and its glue for Node.
pub(crate) fn wasm(workspace: &Workspace) -> Result<PathBuf, Failure> {
    tools::ensure_node(workspace)?;
    tools::ensure_wasm_target(workspace)?;
    run(cargo(workspace)
        .args(["build", "--package", "hexlane-oracle", "--lib"])
        .args(["--profile", "edge", "--target", tools::WASM_TARGET]))?;
    let built = workspace.target().join(tools::WASM_TARGET).join("edge");
    let out = workspace.target().join("oracle");
    edge::for_node(&built.join("hexlane_oracle.wasm"), &out)?;
    Ok(out)
}
