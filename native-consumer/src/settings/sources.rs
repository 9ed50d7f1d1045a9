//! Sources: each key checked as it is written, then each source resolved, every mistake
//! told beside the others.

use super::layers::Layers;
use super::origin::Mistake;
use super::section::strict;
use hexlane_core::source::{AuthSettings, SourceError, SourceSettings};
use hexlane_door::DoorSettings;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Checks one key of a source with its value.
pub(super) fn check(
    key: &Spanned<&std::borrow::Cow<'_, str>>,
    value: Spanned<DeValue<'_>>,
) -> Result<(), Error> {
    let (span, name) = (key.span(), key.get_ref().to_string());
    let mut table = DeTable::new();
    if name != "auth" {
        let none = DeValue::String("none".into());
        table.insert(Spanned::new(0..0, "auth".into()), Spanned::new(0..0, none));
    }
    table.insert(Spanned::new(span.clone(), name.into()), value);
    strict::<SourceSettings>(Spanned::new(span, DeValue::Table(table)))
}

/// The sources as written, with every mistake that resolving one of them shows.
pub(super) fn read(
    layers: &Layers,
    secret: &impl Fn(&str) -> Option<String>,
    mistakes: &mut Vec<Mistake>,
) -> DoorSettings {
    let mut door = DoorSettings::default();
    for name in layers.sources() {
        let path = format!("sources.{name}");
        let mut table = layers.table(&path);
        // A source without `auth` is a mistake that was noted where the source stands; the
        // rest of it is looked at all the same.
        table.entry("auth").or_insert_with(|| "none".into());
        let source = toml::Value::Table(table).try_into::<SourceSettings>();
        let Ok(settings) = source else {
            continue;
        };
        note_all(&name, settings.clone(), layers, secret, mistakes);
        door.sources.insert(name, settings);
    }
    door
}

/// Resolving stops at the first mistake: it is noted, mended and resolved again.
fn note_all(
    name: &str,
    mut settings: SourceSettings,
    layers: &Layers,
    secret: &impl Fn(&str) -> Option<String>,
    mistakes: &mut Vec<Mistake>,
) {
    while let Err(error) = settings.resolve(name, secret) {
        let member = mend(&mut settings, &error);
        let path = format!("sources.{name}.{}", member.unwrap_or("auth"));
        mistakes.push(Mistake::new(layers.origin(&path), told(&error)));
        if member.is_none() {
            return;
        }
    }
}

/// Sets the member that is wrong to one that is not; none when it is the name itself.
fn mend(settings: &mut SourceSettings, error: &SourceError) -> Option<&'static str> {
    let whole = SourceSettings::new(AuthSettings::None);
    match error {
        SourceError::Name(_) => None,
        SourceError::Resolution(..) => {
            settings.resolution = whole.resolution;
            Some("resolution")
        }
        SourceError::Pointer { member, .. } => {
            match *member {
                "entity" => settings.entity = whole.entity,
                "event_id" => settings.event_id = whole.event_id,
                "op" => settings.op = whole.op,
                _ => settings.version = None,
            }
            Some(member.split('.').next().unwrap_or(member))
        }
        SourceError::SecretMissing { .. }
        | SourceError::SecretUnusable { .. }
        | SourceError::NoSecret(_) => {
            settings.auth = AuthSettings::None;
            Some("auth")
        }
    }
}

/// The sentence; a secret written where its name belongs is not repeated.
fn told(error: &SourceError) -> String {
    match error {
        SourceError::SecretMissing {
            source_name,
            secret,
        } if !is_variable(secret) => {
            format!("source `{source_name}`: `secrets` holds names of environment variables")
        }
        SourceError::Name(_)
        | SourceError::Resolution(..)
        | SourceError::Pointer { .. }
        | SourceError::SecretMissing { .. }
        | SourceError::SecretUnusable { .. }
        | SourceError::NoSecret(_) => error.to_string(),
    }
}

/// Whether a text has the form of a variable's name.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(plain)
}
