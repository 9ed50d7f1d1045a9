//! The flags that `run` and `config` share: the strongest layer.

use super::name::SettingName;
use std::path::PathBuf;

/// Settings on the command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[allow(
    clippy::doc_markdown,
    reason = "these texts are the help of the command line"
)]
pub struct SettingsArgs {
    /// The settings file; else HEXLANE_SETTINGS, else ./hexlane.toml where it is.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Where to listen (run.listen).
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
    /// The data folder (run.data_dir).
    #[arg(long, value_name = "DIR")]
    pub data: Option<String>,
    /// What to log (log.filter).
    #[arg(long, value_name = "FILTER")]
    pub log: Option<String>,
    /// Any other setting, as in `--set delivery.base_ms=100`.
    #[arg(long, value_name = "SETTING=VALUE")]
    pub set: Vec<String>,
}

/// A value of a flag.
pub(super) struct Flag<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    pub(super) given_as: String,
}

impl SettingsArgs {
    /// The values, the general ones first.
    pub(super) fn flags(&self) -> impl Iterator<Item = Flag<'_>> {
        let general = self.set.iter().map(|given| {
            let (path, text) = given.split_once('=').unwrap_or((given, ""));
            let given_as = format!("--set {path}");
            Flag {
                path,
                text,
                given_as,
            }
        });
        let named = [
            (SettingName::RunListen, "--listen", &self.listen),
            (SettingName::RunDataDir, "--data", &self.data),
            (SettingName::LogFilter, "--log", &self.log),
        ];
        let named = named.into_iter().filter_map(|(name, flag, text)| {
            let text = text.as_deref()?;
            let given_as = flag.to_owned();
            Some(Flag {
                path: name.path(),
                text,
                given_as,
            })
        });
        general.chain(named)
    }
}
