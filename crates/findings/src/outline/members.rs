//! The members of a GeoJSON object that lead to coordinates. Everything else is passed over,
//! and of a member that stands twice the last counts.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The coordinates of one geometry, as they stand.
#[derive(Debug)]
pub(super) struct Geometry<'a> {
    /// The value of `type`, as it stands.
    pub(super) kind: &'a str,
    pub(super) coordinates: &'a str,
    /// Where they start in the file.
    pub(super) offset: usize,
}

/// What an object leads to.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    pub(super) geometry: Option<Geometry<'a>>,
    pub(super) inner: Vec<&'a RawValue>,
}

/// Reads an object; of another value, nothing. `body` is what it is a slice of.
pub(super) fn read<'a>(value: &'a RawValue, body: &[u8]) -> Object<'a> {
    let members: Members<'a> = serde_json::from_str(value.get()).unwrap_or_default();
    let coordinates = members.coordinates.map(RawValue::get);
    let geometry = coordinates.map(|coordinates| Geometry {
        kind: members.kind.map_or("", RawValue::get).trim_matches('"'),
        coordinates,
        offset: coordinates.as_ptr().addr() - body.as_ptr().addr(),
    });
    let mut inner: Vec<&RawValue> = members.geometry.into_iter().collect();
    for list in members.lists {
        let elements: Vec<&RawValue> = serde_json::from_str(list.get()).unwrap_or_default();
        inner.extend(elements);
    }
    Object { geometry, inner }
}

#[derive(Default)]
struct Members<'a> {
    kind: Option<&'a RawValue>,
    coordinates: Option<&'a RawValue>,
    geometry: Option<&'a RawValue>,
    /// `geometries` and `features`.
    lists: Vec<&'a RawValue>,
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    Type,
    Coordinates,
    Geometry,
    Geometries,
    Features,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(name) = map.next_key()? {
            match name {
                Name::Type => members.kind = Some(map.next_value()?),
                Name::Coordinates => members.coordinates = Some(map.next_value()?),
                Name::Geometry => members.geometry = Some(map.next_value()?),
                Name::Geometries | Name::Features => members.lists.push(map.next_value()?),
                Name::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(members)
    }
}
