//! Logs: text on a terminal, else JSON, one line an event, to stderr. Lower case, values
//! as fields; what is logged is the filter's choice.

use crate::output;
use crate::settings::{LogFormat, LogSettings};
use std::io;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

/// Of libraries that tell every connection that ends: sixteen lines an outage, which the
/// stores tell in one. A filter that names them is stronger.
const QUIET: &str = "deadpool=error,deadpool_postgres=error,tokio_postgres=error";

/// Starts logging. A second call changes nothing.
pub(crate) fn start(settings: &LogSettings) {
    let written = format!("{QUIET},{}", settings.filter);
    let filter = EnvFilter::try_new(written).unwrap_or_else(|_| EnvFilter::new("info"));
    let text = match settings.format {
        LogFormat::Auto => output::stderr_is_terminal(),
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let lines = fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = if text {
        lines.with_ansi(output::stderr_is_terminal()).try_init()
    } else {
        lines.json().flatten_event(true).try_init()
    };
    drop(started);
}
