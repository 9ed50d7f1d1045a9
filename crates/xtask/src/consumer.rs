//! The native consumer as a program: built for release, run embedded, awaited.
//!
//! It gets the relay's secret by environment, and what is not the default of its
//! settings too; it keeps its data in a folder under the one it is started in. No flags, so
//! that this is what a new user runs.

use std::{path::Path, time::Duration};

use crate::{
    command::{cargo, program, run},
    failure::Failure,
    http::answers,
    interrupt::Interrupt,
    process::{Echo, Process},
    secret,
    workspace::Workspace,
};

/// Where it answers by default: intake and relay.
pub(crate) const PORT: u16 = 8788;

/// Opening the queue and the map takes a second; a slow disk some more.
const READY_LIMIT: Duration = Duration::from_mins(1);

/// Builds the binary that is shipped.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Failure> {
    run(cargo(workspace)
        .args(["build", "--release", "--bins"])
        .args(["--package", "hexlane-native-consumer"]))
}

/// Starts `hexlane run` in `folder`, with settings by environment, and waits until it is
/// ready.
pub(crate) fn start(
    workspace: &Workspace,
    folder: &Path,
    secret: &str,
    settings: &[(&str, String)],
    echo: Echo,
    interrupt: &Interrupt,
) -> Result<Process, Failure> {
    let mut command = program(workspace, workspace.target().join("release/hexlane"));
    command
        .arg("run")
        .current_dir(folder)
        .env(secret::NAME, secret)
        .envs(settings.iter().map(|(name, value)| (name, value)));
    let mut process = Process::start("consumer", &mut command, echo)?;
    process.until("an answer of the consumer", READY_LIMIT, interrupt, || {
        answers(PORT, "/readyz", |status| status == 200)
    })?;
    Ok(process)
}
