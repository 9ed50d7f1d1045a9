//! The tables of settings that have fixed keys, and how one value in them is checked:
//! alone, over the defaults, so that each mistake is found beside all the others.

use super::DEFAULT_TOML;
use super::written::{
    DeliveryWritten, LogWritten, PostgisWritten, RedisWritten, RelayWritten, RunWritten,
    SqliteWritten,
};
use hexlane_core::limits::Limits;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

/// A table with fixed keys; the first holds what stands before every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Root,
    Run,
    Limits,
    Relay,
    Delivery,
    Sqlite,
    Redis,
    Postgis,
    Log,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RootWritten {
    #[serde(rename = "shards")]
    _shards: u16,
}

impl Section {
    pub(super) const ALL: [Self; 9] = [
        Self::Root,
        Self::Run,
        Self::Limits,
        Self::Relay,
        Self::Delivery,
        Self::Sqlite,
        Self::Redis,
        Self::Postgis,
        Self::Log,
    ];

    /// The table's name; empty for the root.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Root => "",
            Self::Run => "run",
            Self::Limits => "limits",
            Self::Relay => "relay",
            Self::Delivery => "delivery",
            Self::Sqlite => "sqlite",
            Self::Redis => "redis",
            Self::Postgis => "postgis",
            Self::Log => "log",
        }
    }

    /// The section of that table.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }

    /// The path of a key in it.
    pub(super) fn path(self, key: &str) -> String {
        match self {
            Self::Root => key.to_owned(),
            Self::Run
            | Self::Limits
            | Self::Relay
            | Self::Delivery
            | Self::Sqlite
            | Self::Redis
            | Self::Postgis
            | Self::Log => format!("{}.{key}", self.name()),
        }
    }

    /// Checks one key with its value.
    pub(super) fn check(
        self,
        key: Spanned<&str>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<(), Error> {
        let mut table = self.defaults();
        let (span, name) = (key.span(), key.into_inner().to_owned());
        table.remove(name.as_str());
        table.insert(Spanned::new(span.clone(), name.into()), value);
        let table = Spanned::new(span, DeValue::Table(table));
        match self {
            Self::Root => strict::<RootWritten>(table),
            Self::Run => strict::<RunWritten>(table),
            Self::Limits => strict::<Limits>(table),
            Self::Relay => strict::<RelayWritten>(table),
            Self::Delivery => strict::<DeliveryWritten>(table),
            Self::Sqlite => strict::<SqliteWritten>(table),
            Self::Redis => strict::<RedisWritten>(table),
            Self::Postgis => strict::<PostgisWritten>(table),
            Self::Log => strict::<LogWritten>(table),
        }
    }

    /// Its table of the default file.
    fn defaults(self) -> DeTable<'static> {
        let (root, _) = DeTable::parse_recoverable(DEFAULT_TOML);
        let mut root = root.into_inner();
        if self == Self::Root {
            let settings = root
                .into_iter()
                .filter(|(_, value)| !value.get_ref().is_table());
            return settings.collect();
        }
        match root.remove(self.name()).map(Spanned::into_inner) {
            Some(DeValue::Table(table)) => table,
            _ => DeTable::new(),
        }
    }
}

/// What is wrong with the value of a key. A secret written where its name belongs is not
/// repeated.
pub(super) fn told(key: &str, error: &Error) -> String {
    match key {
        "secrets" => "`secrets` is a list of names of environment variables".to_owned(),
        "auth" => AUTH_FORMS.to_owned(),
        _ => error.message().to_owned(),
    }
}

const AUTH_FORMS: &str = "`auth` is \"none\", { standard_webhooks = { secrets = [\"NAME\"] } } \
    or { bearer = { secrets = [\"NAME\"] } }";

/// Whether a table has the form of a type.
pub(super) fn strict<T: DeserializeOwned>(table: Spanned<DeValue<'_>>) -> Result<(), Error> {
    T::deserialize(ValueDeserializer::from(table)).map(drop)
}
