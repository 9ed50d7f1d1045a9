//! `hexlane run`: intake, relay and delivery in one process, until it is told to stop.
//!
//! Wiring alone: settings become stores, stores an engine and a door. It decides nothing
//! about events, keeps no state of its own, and starts nothing when a setting is wrong.

mod bind;
mod map;
mod opening;
mod queue;
mod signals;
mod stores;
mod wiring;

pub use bind::{BindArgs, bind};

use crate::clock::SystemClock;
use crate::config;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::log;
use crate::output;
use crate::settings::{self, SettingsArgs};
use std::sync::Arc;

/// How to run.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The settings.
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Runs until a signal.
#[must_use]
pub fn run(args: &RunArgs, environment: &Environment) -> Exit {
    let settings = match settings::load(&args.settings, environment).settings {
        Ok(settings) => settings,
        Err(mistakes) => return config::complain(&mistakes),
    };
    log::start(&settings.log);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            output::complain(&format!("no threads to run on: {error}"));
            return Exit::Unable;
        }
    };
    let exit = runtime.block_on(wiring::run(settings, Arc::new(SystemClock::start())));
    // A judgement that is still running is not waited for: its sender has no answer yet.
    runtime.shutdown_background();
    exit
}
