//! The binary `hexlane`: command line to command to exit code.

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = hexlane_native_consumer::Args::parse();
    hexlane_native_consumer::main(&args).into()
}
