//! Reference layers, and which sources are joined with them: each key checked as it is
//! written, then each layer resolved, every mistake told beside the others.

use super::layers::Layers;
use super::origin::Mistake;
use super::section::strict;
use hexlane_backend_postgis::TableName;
use hexlane_join::{Faulty, LayerRules, MATCHES_MAX, Predicate};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// What the name of a layer may be.
pub(super) const NAME_RULE: &str = "a name is 1 to 64 of a-z, 0-9, `-`, `_`, a letter first";
/// How often a layer is looked at when nothing is said.
const RELOAD_MS: u64 = 5_000;

/// Layers and joins.
#[derive(Clone, Debug, Default)]
pub struct ReferenceSettings {
    /// The layers.
    pub layers: Vec<LayerSettings>,
    /// The server of those that are tables; none when none is.
    pub server: Option<hexlane_backend_postgis::Settings>,
    /// By source, the names of its layers, in the order of the join.
    pub joins: BTreeMap<String, Vec<String>>,
}

/// A reference layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerSettings {
    /// Its name.
    pub name: String,
    /// Where it is kept.
    pub place: LayerPlace,
    /// How it is read and asked.
    pub rules: LayerRules,
    /// How often it is looked at for a change.
    pub reload: Duration,
}

/// Where a layer is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerPlace {
    /// A GeoJSON feature collection.
    GeoJson(PathBuf),
    /// A feature table of a GeoPackage; the only one where none is named.
    GeoPackage(PathBuf, Option<String>),
    /// A table on the server of `[postgis]` with its geometry column; the only one where
    /// none is named.
    Table(TableName, Option<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerWritten {
    file: Option<PathBuf>,
    layer: Option<String>,
    table: Option<String>,
    geometry: Option<String>,
    properties: Option<Vec<String>>,
    predicate: Option<Chosen<Predicate>>,
    faulty: Option<Chosen<Faulty>>,
    matches_max: Option<NonZeroUsize>,
    reload_ms: Option<NonZeroU64>,
}

/// A choice by its name.
#[derive(Debug)]
struct Chosen<T>(T);

trait Choice: Sized {
    fn of_name(name: &str) -> Result<Self, String>;
}

impl LayerPlace {
    const fn is_table(&self) -> bool {
        matches!(self, Self::Table(..))
    }
}

impl Choice for Predicate {
    fn of_name(name: &str) -> Result<Self, String> {
        Self::from_name(name).ok_or_else(|| none_of(name, &Self::ALL.map(Self::as_str)))
    }
}

impl Choice for Faulty {
    fn of_name(name: &str) -> Result<Self, String> {
        Self::from_name(name).ok_or_else(|| none_of(name, &Self::ALL.map(Self::as_str)))
    }
}

fn none_of(name: &str, known: &[&str]) -> String {
    format!("`{name}` is none of `{}`", known.join("`, `"))
}

impl<'de, T: Choice> Deserialize<'de> for Chosen<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        T::of_name(&name)
            .map(Self)
            .map_err(serde::de::Error::custom)
    }
}

/// Checks one key of a layer with its value.
pub(super) fn check(
    key: &Spanned<&std::borrow::Cow<'_, str>>,
    value: Spanned<DeValue<'_>>,
) -> Result<(), Error> {
    let (span, name) = (key.span(), key.get_ref().to_string());
    let mut table = DeTable::new();
    table.insert(Spanned::new(span.clone(), name.into()), value);
    strict::<LayerWritten>(Spanned::new(span, DeValue::Table(table)))
}

/// Every layer and join, with what no single value shows. Tables are on that server.
pub(super) fn read(
    layers: &Layers,
    server: Option<hexlane_backend_postgis::Settings>,
    mistakes: &mut Vec<Mistake>,
) -> ReferenceSettings {
    let names = layers.named("layers");
    let read = names
        .iter()
        .filter_map(|name| layer(name, layers, mistakes));
    let read: Vec<LayerSettings> = read.collect();
    let tables = read.iter().filter(|layer| layer.place.is_table());
    if server.is_none() {
        mistakes.extend(tables.clone().map(|table| without_server(table, layers)));
    }
    ReferenceSettings {
        server: server.filter(|_| tables.count() > 0),
        layers: read,
        joins: joins(&names, layers, mistakes),
    }
}

fn without_server(table: &LayerSettings, layers: &Layers) -> Mistake {
    let origin = layers.origin(&format!("layers.{}.table", table.name));
    let message = "no server is set for it: tables are read from that of [postgis], so set \
                   `postgis.url`, or `run.map = \"postgis\"`";
    Mistake::new(origin, message)
}

/// Whether any layer is written as a table.
pub(super) fn names_tables(layers: &Layers) -> bool {
    let names = layers.named("layers");
    let mut tables = names
        .iter()
        .map(|name| layers.table(&format!("layers.{name}")));
    tables.any(|table| table.contains_key("table"))
}

fn layer(name: &str, layers: &Layers, mistakes: &mut Vec<Mistake>) -> Option<LayerSettings> {
    let path = format!("layers.{name}");
    // What is wrong with one key was told where it stands.
    let written = toml::Value::Table(layers.table(&path)).try_into();
    let written: LayerWritten = written.ok()?;
    let mut mistake = |key: &str, message: String| {
        let origin = layers.origin(&format!("{path}.{key}"));
        mistakes.push(Mistake::new(origin, message));
    };
    if !is_name(name) {
        let key = written.table.as_ref().map_or("file", |_| "table");
        mistake(key, format!("layer `{name}`: {NAME_RULE}"));
    }
    let matches_max = written.matches_max.map(NonZeroUsize::get);
    if matches_max.is_some_and(|matches| matches > MATCHES_MAX) {
        mistake(
            "matches_max",
            format!("at most {MATCHES_MAX} matches are kept of an event"),
        );
    }
    let place = place(&written).map_err(|(key, message)| mistake(key, message));
    let usual = LayerRules::default();
    let reload_ms = written.reload_ms.map_or(RELOAD_MS, NonZeroU64::get);
    Some(LayerSettings {
        name: name.to_owned(),
        place: place.ok()??,
        rules: LayerRules {
            predicate: written.predicate.map_or(usual.predicate, |chosen| chosen.0),
            properties: written.properties,
            matches_max: matches_max.unwrap_or(usual.matches_max),
            faulty: written.faulty.map_or(usual.faulty, |chosen| chosen.0),
        },
        reload: Duration::from_millis(reload_ms),
    })
}

fn is_name(name: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    name.len() <= 64
        && name.bytes().all(plain)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
}

/// A mistake goes with the key that it is shown at.
type Misplaced = (&'static str, String);

/// None where neither is said, which was told where the layer stands.
fn place(written: &LayerWritten) -> Result<Option<LayerPlace>, Misplaced> {
    let wrong = |key, message: &str| Err((key, message.to_owned()));
    match (&written.file, &written.table) {
        (Some(_), Some(_)) => wrong("table", "a layer is either a `file` or a `table`"),
        (Some(_), None) if written.geometry.is_some() => {
            wrong("geometry", "only a `table` has geometry columns to name")
        }
        (_, Some(_)) if written.layer.is_some() => wrong("layer", "a table has no layers to name"),
        (Some(path), None) => file(path.clone(), written.layer.clone()).map(Some),
        (None, Some(name)) => table(name, written.geometry.clone()).map(Some),
        (None, None) => Ok(None),
    }
}

fn table(name: &str, geometry: Option<String>) -> Result<LayerPlace, Misplaced> {
    let form = "is `table` or `schema.table`, each name of 1 to 63 bytes";
    let name = TableName::parse(name).ok_or_else(|| ("table", form.to_owned()))?;
    Ok(LayerPlace::Table(name, geometry))
}

/// The kind of a file is told by its name.
fn file(path: PathBuf, layer: Option<String>) -> Result<LayerPlace, Misplaced> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match (extension, layer) {
        (Some("gpkg"), layer) => Ok(LayerPlace::GeoPackage(path, layer)),
        (Some("geojson" | "json"), None) => Ok(LayerPlace::GeoJson(path)),
        (Some("geojson" | "json"), Some(_)) => {
            Err(("layer", "a GeoJSON file has no layers to name".to_owned()))
        }
        (_, _) => Err((
            "file",
            "is neither `.gpkg` nor `.geojson` or `.json`".to_owned(),
        )),
    }
}

/// What each source names, where it names something.
fn joins(
    names: &[String],
    layers: &Layers,
    mistakes: &mut Vec<Mistake>,
) -> BTreeMap<String, Vec<String>> {
    let mut joins = BTreeMap::new();
    for source in layers.named("sources") {
        let path = format!("sources.{source}");
        let mut table = layers.table(&path);
        let named = table.remove("join").and_then(|join| join.try_into().ok());
        let named: Vec<String> = named.unwrap_or_default();
        let unknown = named.iter().filter(|name| !names.contains(name));
        for name in unknown {
            let origin = layers.origin(&format!("{path}.join"));
            let message = format!("there is no layer `{name}`: [layers.{name}] is missing");
            mistakes.push(Mistake::new(origin, message));
        }
        if !named.is_empty() {
            joins.insert(source, named);
        }
    }
    joins
}
