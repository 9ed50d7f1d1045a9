//! The four layers read, and what they come to.

use super::args::SettingsArgs;
use super::file::File;
use super::layers::Layers;
use super::name::{OwnEnvironment, SettingName};
use super::origin::{Mistake, Origin};
use super::resolve::resolve;
use super::resolved::Settings;
use crate::environment::Environment;
use std::path::PathBuf;

/// The settings file that is looked for when none is named.
const FILE_DEFAULT: &str = "hexlane.toml";

/// Every layer, and what they come to.
#[derive(Debug)]
pub struct Loaded {
    /// Of each setting the strongest value.
    pub layers: Layers,
    /// The settings, or every mistake in them.
    pub settings: Result<Settings, Vec<Mistake>>,
}

/// Reads every layer. Mistakes of all of them are told together.
#[must_use]
pub fn load(args: &SettingsArgs, environment: &Environment) -> Loaded {
    let mut layers = Layers::default();
    let mut mistakes = File::lay_defaults(super::DEFAULT_TOML, &mut layers);
    if let Some(path) = file(args, environment) {
        let name = path.display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => mistakes.extend(File::lay_over(&name, &text, &mut layers)),
            Err(error) => {
                let (file, line, column) = (name, 1, 1);
                let origin = Origin::File { file, line, column };
                mistakes.push(Mistake::new(origin, error.to_string()));
            }
        }
    }
    lay_environment(environment, &mut layers, &mut mistakes);
    lay_flags(args, &mut layers, &mut mistakes);
    let settings = match resolve(&layers, environment) {
        Ok(settings) if mistakes.is_empty() => Ok(settings),
        Ok(_) => Err(mistakes),
        Err(more) => {
            mistakes.extend(more);
            mistakes.sort_by_key(|mistake| mistake.origin.line());
            Err(mistakes)
        }
    };
    Loaded { layers, settings }
}

fn file(args: &SettingsArgs, environment: &Environment) -> Option<PathBuf> {
    let named = || {
        environment
            .get(OwnEnvironment::Settings.as_str())
            .map(PathBuf::from)
    };
    let usual = || Some(PathBuf::from(FILE_DEFAULT)).filter(|path| path.exists());
    args.settings.clone().or_else(named).or_else(usual)
}

fn lay_environment(environment: &Environment, layers: &mut Layers, mistakes: &mut Vec<Mistake>) {
    let short = (OwnEnvironment::Log.as_str(), SettingName::LogFilter);
    let settings = SettingName::ALL
        .iter()
        .map(|name| (name.environment(), *name));
    for (variable, name) in std::iter::once(short).chain(settings) {
        if let Some(text) = environment.get(variable) {
            let origin = Origin::Environment(variable.to_owned());
            mistakes.extend(layers.lay_text(name, text, origin).err());
        }
    }
}

fn lay_flags(args: &SettingsArgs, layers: &mut Layers, mistakes: &mut Vec<Mistake>) {
    for flag in args.flags() {
        let origin = Origin::Flag(flag.given_as);
        match SettingName::from_path(flag.path) {
            Some(name) => mistakes.extend(layers.lay_text(name, flag.text, origin).err()),
            None => mistakes.push(Mistake::new(origin, "there is no such setting")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_backend::QueueLimits;
    use hexlane_backend_sqlite::Settings as Sqlite;
    use hexlane_core::limits::Limits;
    use hexlane_delivery::{BatchLimits, CreditLimits, RetryPolicy};

    #[test]
    fn the_default_file_says_what_the_crates_take_for_usual() {
        let loaded = load(&SettingsArgs::default(), &Environment::default());
        let settings = loaded.settings.unwrap();
        assert_eq!(settings.door.limits(), &Limits::default());
        assert_eq!(
            settings.door.shard_map(),
            hexlane_core::lane::ShardMap::default()
        );
        assert_eq!(settings.delivery.retry, RetryPolicy::default());
        assert_eq!(settings.delivery.batch, BatchLimits::default());
        assert_eq!(settings.delivery.credits, CreditLimits::default());
        let (ours, usual) = (settings.sqlite, Sqlite::in_folder(""));
        assert_eq!(ours.lease_ms, usual.lease_ms);
        assert_eq!(ours.group_commit_ms, usual.group_commit_ms);
        assert_eq!(ours.group_calls_max, usual.group_calls_max);
        assert_eq!(ours.waiting_calls_max, usual.waiting_calls_max);
        assert_eq!(
            ours.key_retention_ms,
            QueueLimits::default().key_retention_ms
        );
    }
}
