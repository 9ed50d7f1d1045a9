//! The program `hexlane`: settings, wiring, commands, HTTP.
//!
//! | command | job |
//! |---|---|
//! | `run` | intake, relay and delivery in one process |
//! | `check` | judges files |
//! | `send` | sends files to a door |
//! | `bind` | binds the queue in Redis to another map |
//! | `status` | counts what became of events |
//! | `config` | checks and shows settings |
//!
//! What an event means is decided in `hexlane-core`, how the door answers in
//! `hexlane-door`, when to try again in `hexlane-delivery`; here these are wired to
//! sockets, files and signals. Clock and environment are read here and handed down.

pub mod args;
mod chance;
pub mod check;
mod client;
pub mod clock;
pub mod config;
pub mod environment;
pub mod exit;
pub mod http;
mod log;
pub mod metrics;
pub mod output;
pub mod reference;
pub mod run;
pub mod send;
pub mod settings;
pub mod status;

pub use args::{Args, Command};

use environment::Environment;
use exit::Exit;

/// Half of what a drain costs outside its servers is memory taken and given back, and this
/// one is quicker at it than the system's: an eighth more events a second.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Does what the command line says.
#[must_use]
pub fn main(args: &Args) -> Exit {
    let environment = Environment::of_process();
    let ended = match &args.command {
        Command::Run(args) => Ok(run::run(args, &environment)),
        Command::Check(args) => check::check(args, &environment),
        Command::Send(args) => send::send(args, &environment),
        Command::Bind(args) => run::bind(args, &environment),
        Command::Status(args) => status::status(args, &environment),
        Command::Config(command) => config::config(command, &environment),
    };
    match ended {
        Ok(exit) => exit,
        // `hexlane check … | head` wanted no more.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Good,
        Err(error) => {
            output::complain(&format!("stdout: {error}"));
            Exit::Unable
        }
    }
}
