//! `cargo xtask fuzz`: every fuzz target for so many seconds, on the stable toolchain.
//!
//! The targets are the `[[bin]]` tables of `fuzz/Cargo.toml`; each starts from its committed
//! seeds and from what earlier runs kept in `fuzz/corpus`. What breaks a target is kept in
//! `fuzz/artifacts`, and its output says how to run it again. No sanitizer: our code has no
//! `unsafe`, and sanitizers want another toolchain.

use std::{fs, process::Command};

use crate::{
    command::{cargo, run},
    failure::Failure,
    tools,
    workspace::Workspace,
};

/// A single input over this is a fault: each takes well under a second.
const INPUT_S_MAX: u32 = 20;

/// How long, and which.
#[derive(Debug, clap::Args)]
pub(crate) struct FuzzArgs {
    /// Seconds of each target
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Only these targets
    targets: Vec<String>,
}

/// Runs them by hand; the first that fails ends it.
pub(crate) fn fuzz(workspace: &Workspace, args: &FuzzArgs) -> Result<(), Failure> {
    let all = targets(workspace)?;
    if let Some(unknown) = args.targets.iter().find(|name| !all.contains(name)) {
        let known = all.join(", ");
        return Err(Failure::Refused(format!(
            "no fuzz target is called `{unknown}`: {known}"
        )));
    }
    tools::ensure_fuzz(workspace)?;
    let chosen = if args.targets.is_empty() {
        &all
    } else {
        &args.targets
    };
    for target in chosen {
        run(&mut command(workspace, target, args.seconds)?)?;
    }
    Ok(())
}

/// The names of the targets.
pub(crate) fn targets(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let path = workspace.root().join("fuzz/Cargo.toml");
    let text = fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
    let manifest: toml::Table = text
        .parse()
        .map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))?;
    let bins = manifest.get("bin").and_then(toml::Value::as_array);
    let names = bins
        .into_iter()
        .flatten()
        .filter_map(|bin| bin.get("name")?.as_str());
    Ok(names.map(str::to_owned).collect())
}

/// The command that builds a target and runs it for so long.
pub(crate) fn command(
    workspace: &Workspace,
    target: &str,
    seconds: u32,
) -> Result<Command, Failure> {
    let corpus = workspace.root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).map_err(Failure::file("create", &corpus))?;
    let mut fuzz = cargo(workspace);
    fuzz.args(["fuzz", "run", "--sanitizer", "none", target])
        .arg(corpus);
    let seeds = workspace.root().join("fuzz/seeds").join(target);
    if seeds.is_dir() {
        fuzz.arg(seeds);
    }
    fuzz.arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={INPUT_S_MAX}"))
        .arg("-print_final_stats=1");
    Ok(fuzz)
}
