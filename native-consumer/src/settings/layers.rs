//! The layers laid over each other: of each setting the strongest value, and its origin.

use super::name::SettingName;
use super::origin::{Mistake, Origin};
use super::section::{Section, told};
use super::servers::holds_password;
use super::sources::is_variable;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeValue, ValueDeserializer};

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Layered {
    /// The value.
    pub value: toml::Value,
    /// Where it came from.
    pub origin: Origin,
}

/// Every setting by its path, as in `run.listen` and `sources.demo.auth`.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    settings: BTreeMap<String, Layered>,
}

impl Layered {
    /// The value as it may be shown: what is no name of a variable, where one belongs, may
    /// be a secret.
    #[must_use]
    pub fn shown(&self, path: &str) -> toml::Value {
        let secret = path == SettingName::RelaySecrets.path()
            || path.ends_with("_variable")
            || self.value.as_str().is_some_and(holds_password);
        masked(self.value.clone(), secret)
    }
}

fn masked(mut value: toml::Value, secret: bool) -> toml::Value {
    if let toml::Value::Table(table) = &mut value {
        for (key, value) in table.iter_mut() {
            *value = masked(value.clone(), key == "secrets");
        }
    } else if let toml::Value::Array(items) = &mut value {
        for item in items {
            *item = masked(item.clone(), secret);
        }
    } else if secret && !value.as_str().is_some_and(is_variable) {
        return "(masked)".into();
    }
    value
}

impl Layers {
    /// Every setting in the order of its path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Layered)> {
        self.settings
            .iter()
            .map(|(path, layered)| (path.as_str(), layered))
    }

    /// Where a setting came from.
    #[must_use]
    pub fn origin(&self, path: &str) -> Origin {
        let layered = self.settings.get(path);
        layered.map_or(Origin::Default, |layered| layered.origin.clone())
    }

    /// Lays a value over what was there.
    pub(super) fn lay(&mut self, path: String, value: toml::Value, origin: Origin) {
        self.settings.insert(path, Layered { value, origin });
    }

    /// Forgets every setting under a table.
    pub(super) fn forget(&mut self, table: &str) {
        let prefix = format!("{table}.");
        self.settings.retain(|path, _| !path.starts_with(&prefix));
    }

    /// The values directly under a table; of the root for the empty name.
    pub(super) fn table(&self, name: &str) -> toml::Table {
        let key_of = |path: &str| -> Option<String> {
            let key = match name {
                "" => path,
                name => path.strip_prefix(name)?.strip_prefix('.')?,
            };
            (!key.contains('.')).then(|| key.to_owned())
        };
        let values = self.settings.iter();
        values
            .filter_map(|(path, layered)| Some((key_of(path)?, layered.value.clone())))
            .collect()
    }

    /// The names under `sources` or `layers`.
    pub(super) fn named(&self, table: &str) -> Vec<String> {
        let named = |path: &String| {
            let rest = path.strip_prefix(table)?.strip_prefix('.')?;
            rest.split_once('.').map(|(name, _)| name.to_owned())
        };
        let mut names: Vec<String> = self.settings.keys().filter_map(named).collect();
        names.dedup();
        names
    }

    /// Lays a value given as text, from the environment or a flag.
    pub(super) fn lay_text(
        &mut self,
        name: SettingName,
        text: &str,
        origin: Origin,
    ) -> Result<(), Mistake> {
        let (table, key) = name.path().split_once('.').unwrap_or(("", name.path()));
        let mistake = |error: &toml::de::Error| Mistake::new(origin.clone(), told(key, error));
        let value = self.value_of(name, text).map_err(|error| mistake(&error))?;
        if let Some(section) = Section::from_name(table) {
            let key = Spanned::new(0..0, key);
            section
                .check(key, value.clone())
                .map_err(|error| mistake(&error))?;
        }
        let value = toml::Value::deserialize(ValueDeserializer::from(value));
        let value = value.map_err(|error| mistake(&error))?;
        self.lay(name.path().to_owned(), value, origin);
        Ok(())
    }

    /// Text stands for itself where text is asked for; else it is a TOML value.
    fn value_of<'t>(
        &self,
        name: SettingName,
        text: &'t str,
    ) -> Result<Spanned<DeValue<'t>>, toml::de::Error> {
        let present = self.settings.get(name.path());
        if present.is_some_and(|layered| layered.value.is_str()) {
            return Ok(Spanned::new(0..text.len(), DeValue::String(text.into())));
        }
        DeValue::parse(text)
    }
}
