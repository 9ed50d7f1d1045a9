//! The command line.

use crate::check::CheckArgs;
use crate::config::ConfigCommand;
use crate::run::{BindArgs, RunArgs};
use crate::send::SendArgs;
use crate::status::StatusArgs;

/// Moves geospatial events from webhook senders to map state, each applied once.
#[derive(Debug, clap::Parser)]
#[command(name = "hexlane", version)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Takes events and delivers them, in one process.
    ///
    /// Ends 0 after a graceful stop, 1 on mistakes in settings, 2 when it cannot start or a
    /// store fails for good, 3 when the drain limit passed, 130 on a second signal.
    Run(RunArgs),
    /// Judges files, with every fault and its place.
    ///
    /// Ends 0 when every feature is valid, 1 when one is not, 2 when a file cannot be read
    /// or is not JSON.
    Check(CheckArgs),
    /// Sends a file to a door, in batches.
    ///
    /// Ends 0 when every feature was accepted, 1 when some were refused, 2 when some could
    /// not be sent.
    Send(SendArgs),
    /// Binds the queue in Redis to the map of the settings, once the map before is gone.
    ///
    /// Ends 0 when it is bound, 1 on mistakes in settings, 2 when it could not be.
    Bind(BindArgs),
    /// Counts what became of events.
    Status(StatusArgs),
    /// Checks and shows settings.
    #[command(subcommand)]
    Config(ConfigCommand),
}
