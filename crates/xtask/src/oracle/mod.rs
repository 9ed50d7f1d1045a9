//! `cargo xtask oracle`: ours beside programs that are known to be right, on seeded inputs.
//!
//! GEOS judges the same geometries, Python reads the same numbers, H3's C library finds the
//! same cells, and wasm gives the same bytes. `cargo xtask test` runs each with the counts of
//! a CI run; by hand the counts and the seed are arguments. The scripts in
//! `crates/xtask/oracle` draw the inputs and compare; here is built what they ask.

mod build;

use std::{
    env,
    path::PathBuf,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    command::{program, run},
    failure::Failure,
    tools,
    workspace::Workspace,
};

/// The ways of the judge that are forced over all geometries.
const MODES: &str = "auto,tree,sweep";

/// A comparison with one other program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Subcommand)]
pub(crate) enum Oracle {
    /// Verdicts, kinds and places beside GEOS
    Geos(Draw),
    /// Numbers beside Python's float
    Numbers(Draw),
    /// Lane cells beside H3's C library, and whole verdicts in wasm beside native ones
    Lanes(Draw),
}

/// How much is drawn, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct Draw {
    /// Inputs; of lanes the points, a tenth as many shapes come on top
    #[arg(long, default_value_t = 200_000)]
    pub(crate) count: u32,
    /// Draws the same again; without it `HEXLANE_SEED`, else another each second
    #[arg(long)]
    pub(crate) seed: Option<u64>,
}

impl Draw {
    /// So many, of the seed of the environment or of the clock.
    pub(crate) const fn of(count: u32) -> Self {
        Self { count, seed: None }
    }

    fn seed(self) -> Result<u64, Failure> {
        let given = match (self.seed, env::var("HEXLANE_SEED")) {
            (Some(seed), _) => return Ok(seed),
            (None, Ok(text)) if !text.is_empty() => text,
            (None, _) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                return Ok(now.map_or(0, |since| since.as_secs()));
            }
        };
        let refuse = |_| Failure::Refused(format!("HEXLANE_SEED is no number: `{given}`"));
        given.parse().map_err(refuse)
    }
}

/// Builds and compares, by hand.
pub(crate) fn oracle(workspace: &Workspace, oracle: Oracle) -> Result<(), Failure> {
    tools::ensure_python(workspace)?;
    run(&mut oracle.command(workspace, build::Profile::Release)?)
}

impl Oracle {
    /// Builds what is compared and gives the command that compares; it ends with a line that
    /// the tally of tests reads.
    pub(crate) fn command(
        self,
        workspace: &Workspace,
        profile: build::Profile,
    ) -> Result<Command, Failure> {
        let command = match self {
            Self::Geos(draw) => {
                let mut command = script(workspace, "geos.py", draw)?;
                command.arg(build::judge(workspace, profile)?);
                command.args(["--modes", MODES]).args(count(draw.count));
                command
            }
            Self::Numbers(draw) => {
                let mut command = script(workspace, "decimals.py", draw)?;
                command.arg(build::native(workspace, profile)?);
                command.args(count(draw.count));
                command
            }
            Self::Lanes(draw) => {
                let mut command = script(workspace, "lanes.py", draw)?;
                command
                    .arg(build::native(workspace, profile)?)
                    .arg(workspace.npm_bin("node"))
                    .arg(build::wasm(workspace)?)
                    .args(["--points".to_owned(), draw.count.to_string()])
                    .args(["--shapes".to_owned(), (draw.count / 10).to_string()]);
                command
            }
        };
        Ok(command)
    }
}

pub(crate) use build::{Profile, wasm as in_wasm};

fn count(count: u32) -> [String; 2] {
    ["--count".to_owned(), count.to_string()]
}

fn script(workspace: &Workspace, name: &str, draw: Draw) -> Result<Command, Failure> {
    let folder: PathBuf = workspace.root().join("crates/xtask/oracle");
    let mut command = program(workspace, tools::interpreter(workspace));
    // Nothing is written beside the scripts.
    command.arg("-B").arg(folder.join(name));
    command.args(["--seed".to_owned(), draw.seed()?.to_string()]);
    Ok(command)
}
