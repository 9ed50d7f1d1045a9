//! `cargo xtask test`: what CI runs, on a clean clone and again warm.
//!
//! Installs what is missing, then runs every step even after one has failed, so
//! that one run tells everything. The last lines name the failed steps and the
//! count of tests. `--quick` leaves out what takes long: the end-to-end tests
//! named slow, the release build, doc tests, each package alone, cargo-deny.
//! `HEXLANE_CASES` and the rest of the environment pass through to the tests.

mod environment;
mod steps;
mod tally;

use std::time::Instant;

use self::{steps::Step, tally::Tally};
use crate::{failure::Failure, workspace::Workspace};

/// Runs the steps; fails when any of them did.
pub(crate) fn test(workspace: &Workspace, quick: bool) -> Result<(), Failure> {
    steps::install(workspace)?;
    let mut tally = Tally::default();
    let mut failed = Vec::new();
    let mut lines = Vec::new();
    for step in Step::ALL
        .into_iter()
        .filter(|step| !quick || step.is_quick())
    {
        eprintln!("\n== {}", step.name());
        let began = Instant::now();
        let result = step.perform(workspace, quick, &mut tally);
        lines.push(closing_line(step, began, result.as_ref()));
        if let Err(failure) = result {
            eprintln!("xtask: {failure}");
            failed.push(step.name());
        }
    }
    println!("\n{}", lines.join("\n"));
    println!("{tally}");
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Refused(format!("failed: {}", failed.join(", "))))
    }
}

fn closing_line(step: Step, began: Instant, result: Result<&(), &Failure>) -> String {
    let word = if result.is_ok() { "ok" } else { "FAILED" };
    let took = began.elapsed().as_secs_f64();
    format!("{word:>6}  {took:>7.1} s  {}", step.name())
}
