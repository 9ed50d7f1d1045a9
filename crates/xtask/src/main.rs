//! `cargo xtask`: every command of a developer and of CI.
//!
//! Depends on no crate of the workspace, so that it builds first and alone. It
//! installs what is missing where it may, starts programs, and stops what it
//! started. It holds no rule about events; those live in `core` and `door`.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a developer's tool: the environment, the clock and the terminal are its business"
)]

mod bench;
mod command;
mod consumer;
mod edge;
mod failure;
mod fuzz;
mod http;
mod interrupt;
mod oracle;
mod ports;
mod process;
mod secret;
mod servers;
mod size;
mod test;
mod tools;
mod up;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{failure::Failure, workspace::Workspace};

/// Every command of a developer and of CI.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Build and run everything: the consumer and, on port 8787, the Worker
    Up(up::UpArgs),
    /// Build the Worker into worker/build (the [build] command of wrangler.toml)
    EdgeBuild,
    /// Check and test everything, as CI does
    Test {
        /// At most ten minutes: no slow end-to-end tests, no release build
        #[arg(long)]
        quick: bool,
    },
    /// Hold ours to programs that are known to be right, on seeded inputs
    Oracle {
        #[command(subcommand)]
        oracle: oracle::Oracle,
    },
    /// Run the fuzz targets, each for some seconds
    Fuzz(fuzz::FuzzArgs),
    /// Weigh the gzipped bundle of the Worker against its budget
    Size,
    /// Measure ours beside a peer; tables and target/bench/*.json
    Bench {
        #[command(subcommand)]
        bench: Bench,
    },
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Requests a second of the Worker under workerd, beside hello-world ones
    Edge,
    /// Events a second from Redis to nothing, to a GeoPackage and to PostGIS
    Drain,
    /// The geometry judge beside GEOS, microseconds a shape
    Validity,
    /// From bytes to envelopes beside parsers and Python, microseconds a body
    Intake,
}

fn main() -> ExitCode {
    match perform(&Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task) -> Result<(), Failure> {
    let workspace = Workspace::find();
    match task {
        Task::Up(args) => up::up(&workspace, args),
        Task::EdgeBuild => edge::build(&workspace),
        Task::Test { quick } => test::test(&workspace, *quick),
        Task::Oracle { oracle } => oracle::oracle(&workspace, *oracle),
        Task::Fuzz(args) => fuzz::fuzz(&workspace, args),
        Task::Size => size::size(&workspace),
        Task::Bench { bench: Bench::Edge } => bench::edge(&workspace),
        Task::Bench {
            bench: Bench::Drain,
        } => bench::drain(&workspace),
        Task::Bench {
            bench: Bench::Validity,
        } => bench::validity(&workspace),
        Task::Bench {
            bench: Bench::Intake,
        } => bench::intake(&workspace),
    }
}
