//! `hexlane bind`: takes the queue in Redis from a map that is gone to the one that the
//! settings name. It delivers nothing.

use super::stores::Opened;
use crate::clock::SystemClock;
use crate::config;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::output;
use crate::settings::{self, Settings, SettingsArgs};
use hexlane_backend::{Authority, Clock};
use std::io::{self, Write};
use std::sync::Arc;

/// From where to where.
#[derive(Debug, clap::Args)]
pub struct BindArgs {
    /// The settings, with the queue in Redis and the new map.
    #[command(flatten)]
    pub settings: SettingsArgs,
    /// The map that the queue is bound to, as `run` told it.
    #[arg(long, value_name = "MAP", value_parser = authority)]
    pub from: Authority,
}

fn authority(text: &str) -> Result<Authority, String> {
    let digits = Authority::DIGITS;
    Authority::parse(text).ok_or_else(|| format!("a map has a name of {digits} digits, 0-9, a-f"))
}

/// Binds, and says to which map.
///
/// # Errors
/// When stdout cannot be written.
pub fn bind(args: &BindArgs, environment: &Environment) -> io::Result<Exit> {
    let settings = match settings::load(&args.settings, environment).settings {
        Ok(settings) => settings,
        Err(mistakes) => return Ok(config::complain(&mistakes)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let bound = match runtime {
        Ok(runtime) => runtime.block_on(rebind(&settings, &args.from)),
        Err(error) => Err(format!("no threads to run on: {error}")),
    };
    match bound {
        Ok(map) => {
            let mut out = output::stdout();
            writeln!(out, "the queue is bound to the map {map}")?;
            out.flush()?;
            Ok(Exit::Good)
        }
        Err(reason) => {
            output::complain(&reason);
            Ok(Exit::Unable)
        }
    }
}

async fn rebind(settings: &Settings, from: &Authority) -> Result<Authority, String> {
    if settings.redis.is_none() {
        let reason = "the queue is embedded: it belongs to its folder, and nothing is to be bound";
        return Err(reason.to_owned());
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let opened = Opened::open(settings, &clock).await;
    let opened = opened.map_err(|error| error.to_string())?;
    let bound = opened.rebind(from).await;
    let bound = bound.map_err(|error| error.to_string());
    let stopped = opened.stop().await.map_err(|failure| failure.to_string());
    bound.and_then(|map| stopped.map(|()| map))
}
