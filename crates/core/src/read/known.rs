//! The members of an object that the reader asks for, found in one walk over it.

use crate::json::{Kind, Value};

/// What an object of GeoJSON may hold that means something here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Type,
    Features,
    Geometry,
    Properties,
    Id,
    Coordinates,
    Geometries,
    Bbox,
    Crs,
    CoordRefSys,
}

const NAMES: usize = Name::CoordRefSys as usize + 1;

impl Name {
    fn of(text: &str) -> Option<Self> {
        Some(match text {
            "type" => Self::Type,
            "features" => Self::Features,
            "geometry" => Self::Geometry,
            "properties" => Self::Properties,
            "id" => Self::Id,
            "coordinates" => Self::Coordinates,
            "geometries" => Self::Geometries,
            "bbox" => Self::Bbox,
            "crs" => Self::Crs,
            "coordRefSys" => Self::CoordRefSys,
            _ => return None,
        })
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Features => "features",
            Self::Geometry => "geometry",
            Self::Properties => "properties",
            Self::Id => "id",
            Self::Coordinates => "coordinates",
            Self::Geometries => "geometries",
            Self::Bbox => "bbox",
            Self::Crs => "crs",
            Self::CoordRefSys => "coordRefSys",
        }
    }
}

/// An object and those of its members that have a [`Name`].
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) object: Value<'a>,
    /// Which of its members has each name; [`NONE`] where none has.
    members: [u32; NAMES],
}

const NONE: u32 = u32::MAX;

impl<'a> Known<'a> {
    /// Of an object; of anything else, none. Of a name that stands twice, the first.
    pub(super) fn of(object: Value<'a>) -> Self {
        let mut known = Self {
            object,
            members: [NONE; NAMES],
        };
        for (number, (name, _)) in (0..).zip(object.members()) {
            if let Some(name) = Name::of(&name)
                && known.members[name as usize] == NONE
            {
                known.members[name as usize] = number;
            }
        }
        known
    }

    /// The member of that name.
    pub(super) fn get(&self, name: Name) -> Option<Value<'a>> {
        self.object.member_at(self.members[name as usize])
    }

    /// Whether it has any of them.
    pub(super) fn has_any(&self, names: &[Name]) -> bool {
        let has = |name: &Name| self.members[*name as usize] != NONE;
        names.iter().any(has)
    }

    /// The members of those names in document order, each time that they stand there.
    pub(super) fn all(&self, names: &[Name]) -> impl Iterator<Item = (Name, Value<'a>)> {
        let members = self.has_any(names).then(|| self.object.members());
        members.into_iter().flatten().filter_map(|(name, value)| {
            let name = Name::of(&name).filter(|name| names.contains(name))?;
            Some((name, value))
        })
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        self.object.kind() == Kind::Object
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::validate;

    #[test]
    fn a_name_is_found_however_it_is_written_and_the_first_counts() {
        let text = r#"{"x":{"id":0},"t\u0079pe":1,"id":2,"type":3,"bbox":null,"id":4}"#;
        let index = validate(text, 8).unwrap();
        let known = Known::of(Value::root(text, &index));
        let raw = |name| known.get(name).map(|value| value.raw());
        assert_eq!(
            [Name::Type, Name::Id, Name::Bbox, Name::Crs].map(raw),
            [Some("1"), Some("2"), Some("null"), None]
        );
        let all: Vec<_> = known.all(&[Name::Id, Name::Crs]).collect();
        let all: Vec<_> = all.iter().map(|(_, value)| value.raw()).collect();
        assert_eq!(all, ["2", "4"]);
        assert!(!known.has_any(&[Name::Crs, Name::Features]));
    }

    #[test]
    fn every_name_is_its_own() {
        for text in [
            "type",
            "features",
            "geometry",
            "properties",
            "id",
            "coordinates",
            "geometries",
            "bbox",
            "crs",
            "coordRefSys",
        ] {
            assert_eq!(Name::of(text).map(Name::as_str), Some(text));
        }
    }
}
