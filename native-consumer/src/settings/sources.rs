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
    for name in layers.named("sources") {
        let path = format!("sources.{name}");
        let mut table = layers.table(&path);
        // A source without `auth` is a mistake that was noted where the source stands; the
        // rest of it is looked at all the same.
        table.entry("auth").or_insert_with(|| "none".into());
        let source = toml::Value::Table(table).try_into::<SourceSettings>();
        let Ok(settings) = source else {
            continue;
        };
        let resolve = |settings: &SourceSettings| settings.resolve(&name, secret).err();
        for error in errors(settings.clone(), resolve) {
            let path = format!("{path}.{}", member(&error));
            mistakes.push(Mistake::new(layers.origin(&path), told(&error)));
        }
        door.sources.insert(name, settings);
    }
    door
}

/// Resolving stops at the first mistake: it is noted, mended and resolved again. Mending
/// only sets members to what they are by default, so that it comes to an end.
fn errors(
    mut settings: SourceSettings,
    resolve: impl Fn(&SourceSettings) -> Option<SourceError>,
) -> Vec<SourceError> {
    let mut errors = Vec::new();
    while let Some(error) = resolve(&settings) {
        let mended = mended(&settings, &error);
        errors.push(error);
        if mended == settings {
            break;
        }
        settings = mended;
    }
    errors
}

/// The settings with the member that is wrong as it is by default; as they are when the
/// mistake is in no member known here.
fn mended(settings: &SourceSettings, error: &SourceError) -> SourceSettings {
    let mut settings = settings.clone();
    let whole = SourceSettings::new(AuthSettings::None);
    match error {
        SourceError::Name(_) => {}
        SourceError::Resolution { .. } => settings.resolution = whole.resolution,
        SourceError::Pointer { member, .. } => match *member {
            "entity" => settings.entity = whole.entity,
            "event_id" => settings.event_id = whole.event_id,
            "op" => settings.op = whole.op,
            "required" => settings.required = whole.required,
            "version.pointer" => settings.version = whole.version,
            _ => {}
        },
        SourceError::TwoVersions(_) => settings.cloud_events = whole.cloud_events,
        SourceError::Reproject(_) => settings.crs = whole.crs,
        SourceError::Accuracy(_) => settings.crs_accuracy_mm_max = whole.crs_accuracy_mm_max,
        SourceError::Repair { .. } => settings.repair = whole.repair,
        SourceError::QuarantineOpen(_) => settings.on_refusal = whole.on_refusal,
        SourceError::SecretMissing { .. }
        | SourceError::SecretUnusable { .. }
        | SourceError::PublicKey { .. }
        | SourceError::NoSecret(_) => settings.auth = whole.auth,
    }
    settings
}

/// The member that a mistake is shown at; `auth`, which every source has, when it is the
/// name itself.
fn member(error: &SourceError) -> &'static str {
    match error {
        SourceError::Resolution { .. } => "resolution",
        SourceError::Pointer { member, .. } => member.split('.').next().unwrap_or(member),
        SourceError::TwoVersions(_) => "cloud_events",
        SourceError::Reproject(_) => "crs",
        SourceError::Accuracy(_) => "crs_accuracy_mm_max",
        SourceError::Repair { .. } => "repair",
        SourceError::QuarantineOpen(_) => "on_refusal",
        SourceError::Name(_)
        | SourceError::SecretMissing { .. }
        | SourceError::SecretUnusable { .. }
        | SourceError::PublicKey { .. }
        | SourceError::NoSecret(_) => "auth",
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
        | SourceError::Resolution { .. }
        | SourceError::Pointer { .. }
        | SourceError::SecretMissing { .. }
        | SourceError::SecretUnusable { .. }
        | SourceError::PublicKey { .. }
        | SourceError::TwoVersions(_)
        | SourceError::Reproject(_)
        | SourceError::Accuracy(_)
        | SourceError::Repair { .. }
        | SourceError::QuarantineOpen(_)
        | SourceError::NoSecret(_) => error.to_string(),
    }
}

/// Whether a text has the form of a variable's name.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_core::source::{MemberType, OnRefusal, VersionForm, VersionSettings};

    #[test]
    fn every_mistake_of_a_source_is_told_once() {
        let mut settings = SourceSettings::new(AuthSettings::Bearer { secrets: vec![] });
        settings.resolution = Some(99);
        settings.entity = vec!["id".to_owned()];
        settings.event_id = "id".to_owned();
        settings.op = "op".to_owned();
        settings.version = Some(VersionSettings {
            pointer: "v".to_owned(),
            form: VersionForm::Sequence,
        });
        settings.required = [("speed".to_owned(), MemberType::Number)].into();
        settings.cloud_events.time_is_version = true;
        settings.repair = vec!["glue".to_owned()];
        let errors = errors(settings, |settings| settings.resolve("a", |_| None).err());
        let members: Vec<_> = errors.iter().map(member).collect();
        assert_eq!(
            members,
            [
                "resolution",
                "entity",
                "event_id",
                "op",
                "version",
                "required",
                "auth",
                "repair"
            ]
        );
    }

    #[test]
    fn what_excludes_another_setting_is_told_where_it_stands() {
        let mut settings = SourceSettings::new(AuthSettings::None);
        settings.on_refusal = OnRefusal::Quarantine;
        settings.crs_accuracy_mm_max = Some(10);
        settings.cloud_events.time_is_version = true;
        settings.version = Some(VersionSettings {
            pointer: "/id".to_owned(),
            form: VersionForm::Sequence,
        });
        let errors = errors(settings, |settings| settings.resolve("a", |_| None).err());
        let members: Vec<_> = errors.iter().map(member).collect();
        let expected = ["cloud_events", "crs_accuracy_mm_max", "on_refusal"];
        assert_eq!(members, expected);
    }

    #[test]
    fn a_mistake_in_a_member_unknown_here_is_told_and_ends_the_search() {
        let unknown = SourceError::Pointer {
            source_name: "a".to_owned(),
            member: "region",
            pointer: "x".to_owned(),
        };
        let settings = SourceSettings::new(AuthSettings::None);
        assert_eq!(errors(settings, |_| Some(unknown.clone())), [unknown]);
    }
}
