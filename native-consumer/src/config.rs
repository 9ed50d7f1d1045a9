//! `hexlane config`: whether the settings are right, and where each came from. It starts
//! nothing and never shows a secret, only whether it is set.

use crate::environment::Environment;
use crate::exit::Exit;
use crate::output::{self, Format};
use crate::settings::{self, Layered, Layers, Mistake, SettingName, SettingsArgs};
use std::io::{self, Write};

/// What to do with the settings.
#[derive(Debug, clap::Subcommand)]
pub enum ConfigCommand {
    /// Names every mistake with its place. Ends 0 when there is none, else 1.
    Check {
        /// The settings to check.
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Shows every setting.
    Show {
        /// The settings to show.
        #[command(flatten)]
        settings: SettingsArgs,
        /// With where each value came from.
        #[arg(long)]
        origin: bool,
        /// `json` writes one object, by path.
        #[arg(long, value_enum, default_value_t)]
        output: Format,
    },
}

/// Checks or shows.
///
/// # Errors
/// When stdout cannot be written.
pub fn config(command: &ConfigCommand, environment: &Environment) -> io::Result<Exit> {
    let mut out = output::stdout();
    let exit = match command {
        ConfigCommand::Check { settings } => {
            let loaded = settings::load(settings, environment);
            check(&loaded.settings.err().unwrap_or_default(), &mut out)?
        }
        ConfigCommand::Show {
            settings,
            origin,
            output,
        } => {
            let loaded = settings::load(settings, environment);
            match output {
                Format::Text => show_text(&loaded.layers, *origin, environment, &mut out)?,
                Format::Json => show_json(&loaded.layers, environment, &mut out)?,
            }
            complain(&loaded.settings.err().unwrap_or_default())
        }
    };
    out.flush()?;
    Ok(exit)
}

/// Each mistake on a line of stderr.
pub(crate) fn complain(mistakes: &[Mistake]) -> Exit {
    for mistake in mistakes {
        output::complain(&mistake.to_string());
    }
    if mistakes.is_empty() {
        Exit::Good
    } else {
        Exit::Faults
    }
}

fn check(mistakes: &[Mistake], out: &mut impl Write) -> io::Result<Exit> {
    for mistake in mistakes {
        writeln!(out, "{mistake}")?;
    }
    if mistakes.is_empty() {
        writeln!(out, "the settings are right")?;
        return Ok(Exit::Good);
    }
    Ok(Exit::Faults)
}

fn show_text(
    layers: &Layers,
    origin: bool,
    environment: &Environment,
    out: &mut impl Write,
) -> io::Result<()> {
    for (path, layered) in layers.iter() {
        write!(out, "{path} = {}", layered.shown(path))?;
        if origin {
            write!(out, "  # {}", layered.origin)?;
        }
        writeln!(out)?;
    }
    for name in secret_names(layers) {
        let state = if environment.get(&name).is_some() {
            "set, masked"
        } else {
            "not set"
        };
        writeln!(out, "# secret {name}: {state}")?;
    }
    Ok(())
}

fn show_json(layers: &Layers, environment: &Environment, out: &mut impl Write) -> io::Result<()> {
    let settings: serde_json::Map<String, serde_json::Value> = layers
        .iter()
        .map(|(path, layered)| (path.to_owned(), shown(path, layered)))
        .collect();
    let secrets: serde_json::Map<String, serde_json::Value> = secret_names(layers)
        .into_iter()
        .map(|name| {
            (
                name.clone(),
                serde_json::json!({ "set": environment.get(&name).is_some() }),
            )
        })
        .collect();
    let document = serde_json::json!({ "settings": settings, "secrets": secrets });
    writeln!(out, "{document}")
}

fn shown(path: &str, layered: &Layered) -> serde_json::Value {
    serde_json::json!({ "value": layered.shown(path), "origin": layered.origin.to_string() })
}

/// The names under every `secrets`, of the relay and of the sources. What is no name may be
/// a secret, and is left out.
fn secret_names(layers: &Layers) -> Vec<String> {
    let mut names = Vec::new();
    for (path, layered) in layers.iter() {
        if path == SettingName::RelaySecrets.path() {
            names.extend(texts(&layered.value));
        } else if path.starts_with("sources.") && key_of(path) == "auth" {
            let schemes = layered
                .value
                .as_table()
                .into_iter()
                .flat_map(toml::Table::values);
            names.extend(
                schemes
                    .filter_map(|scheme| scheme.get("secrets"))
                    .flat_map(texts),
            );
        }
    }
    names.sort();
    names.dedup();
    names
}

fn key_of(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn texts(value: &toml::Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    let names = items.filter_map(toml::Value::as_str);
    let names = names.filter(|name| settings::is_variable(name));
    names.map(str::to_owned).collect()
}
