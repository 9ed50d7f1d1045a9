//! `hexlane status`: what became of events, asked of a running process or read from a data
//! folder. It changes nothing.

mod folder;
mod text;
mod url;

use crate::config;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::http::StatusDocument;
use crate::output::{self, Format};
use crate::settings::{self, SettingName, SettingsArgs};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Whom to ask.
#[derive(Debug, clap::Args)]
#[allow(
    clippy::doc_markdown,
    reason = "these texts are the help of the command line"
)]
pub struct StatusArgs {
    /// A running process, as in http://127.0.0.1:8788; the default, at run.listen.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    url: Option<String>,
    /// A data folder, stopped or running; it is only read.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The settings file whose run.listen is asked.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "url"])]
    settings: Option<PathBuf>,
    /// `json` writes one object.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Asks and writes.
///
/// # Errors
/// When stdout cannot be written.
pub fn status(args: &StatusArgs, environment: &Environment) -> io::Result<Exit> {
    let document = match (&args.data, &args.url) {
        (Some(data), _) => folder::ask(data),
        (None, Some(url)) => url::ask(url),
        (None, None) => ask_by_settings(args.settings.as_deref(), environment),
    };
    match document {
        Ok(document) => {
            let mut out = output::stdout();
            match args.output {
                Format::Text => text::write(&document, &mut out)?,
                Format::Json => writeln!(out, "{}", serde_json::to_string(&document)?)?,
            }
            out.flush()?;
            Ok(Exit::Good)
        }
        Err(reason) => {
            output::complain(&reason);
            Ok(Exit::Unable)
        }
    }
}

/// Asks where `run` listens with the settings of this folder. Other settings may be wrong
/// and secrets unset in this shell: that is told only when nobody answers.
fn ask_by_settings(
    settings: Option<&Path>,
    environment: &Environment,
) -> Result<StatusDocument, String> {
    let args = SettingsArgs {
        settings: settings.map(Path::to_path_buf),
        ..SettingsArgs::default()
    };
    let loaded = settings::load(&args, environment);
    let name = SettingName::RunListen.path();
    let mut layers = loaded.layers.iter();
    let listen = layers.find_map(|(path, layered)| {
        let listen = (path == name).then_some(&layered.value);
        listen.and_then(toml::Value::as_str)
    });
    let listen = listen.ok_or_else(|| format!("{name} is not an address"))?;
    url::ask(&format!("http://{listen}")).inspect_err(|_| {
        if let Err(mistakes) = &loaded.settings {
            config::complain(mistakes);
        }
    })
}
