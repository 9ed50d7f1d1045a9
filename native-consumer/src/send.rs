//! `hexlane send FILE --to URL`: a file as requests to a door.
//!
//! Features travel as they stand in the file, byte for byte, in order, some hundred to a
//! request. It does not judge them, changes none, and keeps no state: sending a file again
//! is safe, since the door knows the events by their keys. When a request waits and when it
//! is given up is the schedule of `hexlane-delivery`.

mod answer;
mod batch;
mod courier;
mod cut;
mod progress;
mod session;
mod summary;

use crate::check;
use crate::clock::SystemClock;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::output::{self, Format};
use courier::{Courier, Target};
use hexlane_backend::Clock;
use hexlane_core::signature::Secret;
use session::Session;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use summary::Summary;

/// What to send, and where.
#[derive(Debug, clap::Args)]
#[allow(
    clippy::doc_markdown,
    reason = "these texts are the help of the command line"
)]
pub struct SendArgs {
    /// A FeatureCollection, a Feature, a geometry, or one of them a line; `-` is stdin.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The door, as in http://127.0.0.1:8788/v1/events/demo.
    #[arg(long, value_name = "URL")]
    to: String,
    /// Features in one request.
    #[arg(long, default_value = "500")]
    batch: NonZeroUsize,
    /// Bytes in one request; a larger feature goes alone.
    #[arg(long, default_value = "4194304")]
    batch_bytes: NonZeroUsize,
    /// Requests at once; more than one gives up the order.
    #[arg(long, default_value = "1")]
    concurrency: NonZeroUsize,
    /// How often one request is tried.
    #[arg(long, default_value = "8")]
    attempts: NonZeroU32,
    /// Environment variable with a Standard Webhooks secret to sign with.
    #[arg(long, value_name = "NAME")]
    secret_env: Option<String>,
    /// Environment variable with a bearer token.
    #[arg(long, value_name = "NAME")]
    bearer_env: Option<String>,
    /// `json` writes one object.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Sends a file.
///
/// # Errors
/// When stdout cannot be written.
pub fn send(args: &SendArgs, environment: &Environment) -> io::Result<Exit> {
    let summary = match prepare(args, environment) {
        Ok((session, pieces)) => session.run(pieces),
        Err(reason) => Err(reason),
    };
    match summary {
        Ok(summary) => {
            let mut out = output::stdout();
            write(&summary, args.output, &mut out)?;
            out.flush()?;
            Ok(summary.exit())
        }
        Err(reason) => {
            output::complain(&reason);
            Ok(Exit::Unable)
        }
    }
}

fn write(summary: &Summary, format: Format, out: &mut impl Write) -> io::Result<()> {
    match format {
        Format::Text => summary.write_text(out),
        Format::Json => writeln!(out, "{}", serde_json::to_string(summary)?),
    }
}

/// Everything that can be wrong before the first request.
fn prepare(
    args: &SendArgs,
    environment: &Environment,
) -> Result<(Session, Vec<batch::Batch>), String> {
    let name = args.file.display();
    let body = check::read(&args.file).map_err(|error| format!("{name}: {error}"))?;
    let text = std::str::from_utf8(&body).map_err(|error| format!("{name}: not UTF-8: {error}"))?;
    let document = cut::cut(text).map_err(|error| format!("{name}: {error}"))?;
    let batches = batch::pack(&document, args.batch.get(), args.batch_bytes.get());
    let url = reqwest::Url::parse(&args.to).map_err(|error| format!("{}: {error}", args.to))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
    let target = Target {
        url,
        secret: secret(args.secret_env.as_deref(), environment)?,
        bearer: bearer(args.bearer_env.as_deref(), environment)?,
        attempts_max: args.attempts.get(),
    };
    let courier = Courier::new(target, clock).map_err(|error| error.to_string())?;
    Ok((Session::new(courier, args.concurrency.get()), batches))
}

fn secret(name: Option<&str>, environment: &Environment) -> Result<Option<Secret>, String> {
    let Some(name) = name else { return Ok(None) };
    let text = environment
        .get(name)
        .ok_or_else(|| format!("{name} is not set"))?;
    let secret = Secret::from_whsec(text).map_err(|reason| format!("{name} {reason}"))?;
    Ok(Some(secret))
}

fn bearer(name: Option<&str>, environment: &Environment) -> Result<Option<String>, String> {
    let Some(name) = name else { return Ok(None) };
    let text = environment
        .get(name)
        .ok_or_else(|| format!("{name} is not set"))?;
    Ok(Some(text.trim().to_owned()))
}
