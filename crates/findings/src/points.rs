//! The GeoJSON form: each violation a point at its place, for a map. One that has no place is a
//! feature without geometry (RFC 7946 section 3.2), so that none is missing.

use crate::file::File;
use geojson::{Feature, Geometry, JsonObject, JsonValue};
use hexlane_core::violation::Violation;
use std::io::{self, Write};

/// What stands before the first feature and behind the last.
pub(crate) const HEAD: &str = r#"{"type":"FeatureCollection","features":["#;
pub(crate) const TAIL: &str = "\n]}\n";

/// Writes the violations of a file as features, each on a line, with commas between them.
pub(crate) fn write(file: &File<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut separator = "\n";
    for violation in file.survey.violations() {
        out.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut *out, &feature(file, violation))?;
        separator = ",\n";
    }
    Ok(())
}

fn feature(file: &File<'_>, violation: &Violation) -> Feature {
    let place = file.position(violation);
    Feature {
        bbox: None,
        geometry: place.map(Geometry::new_point),
        id: None,
        properties: Some(properties(file, violation)),
        foreign_members: None,
    }
}

/// Members that do not apply are left out: most programs make a column of each.
fn properties(file: &File<'_>, violation: &Violation) -> JsonObject {
    let code = violation.code;
    let place = violation.byte_offset.map(|offset| file.place(offset));
    let mut properties = JsonObject::new();
    let mut put = |name: &str, value: Option<JsonValue>| {
        if let Some(value) = value {
            properties.insert(name.to_owned(), value);
        }
    };
    put("file", Some(file.name.into()));
    put("feature", violation.feature.map(JsonValue::from));
    put("record", violation.record.map(JsonValue::from));
    put("code", Some(code.as_str().into()));
    put("severity", Some(code.severity().as_str().into()));
    put("message", Some(violation.message.as_str().into()));
    put("hint", Some(code.hint().into()));
    put("clause", Some(code.clause().into()));
    put("pointer", Some(violation.pointer.as_str().into()));
    let other = violation.other.as_ref();
    put(
        "other_pointer",
        other.map(|other| other.pointer.as_str().into()),
    );
    put("byte_offset", violation.byte_offset.map(JsonValue::from));
    put("line", place.map(|(line, _)| line.into()));
    put("column", place.map(|(_, column)| column.into()));
    put("part", violation.place.map(|place| place.part.into()));
    put("ring", violation.place.map(|place| place.ring.into()));
    put("vertex", violation.place.map(|place| place.vertex.into()));
    let end = violation.location_end;
    put("end", end.map(|end| JsonValue::from(end.to_vec())));
    properties
}

#[cfg(test)]
mod tests {
    use crate::sample::{BOWTIE, CLOCKWISE, OPEN, told};
    use crate::telling::Format;
    use geojson::{FeatureCollection, GeoJson, JsonValue};

    fn features(text: &str) -> FeatureCollection {
        let parsed: GeoJson = text.parse().unwrap();
        FeatureCollection::try_from(parsed).unwrap()
    }

    #[test]
    fn each_violation_is_a_point_with_what_is_known_of_it() {
        let files = [
            ("bow.json", BOWTIE),
            ("good.json", "{\"type\":\"Point\",\"coordinates\":[1,2]}"),
            ("open.json", OPEN),
        ];
        insta::assert_snapshot!(told(Format::Points, &files));
    }

    #[test]
    fn what_has_no_location_lies_at_the_position_that_it_names_or_nowhere() {
        let collection = features(&told(Format::Points, &[("a.json", CLOCKWISE), ("b", "{")]));
        let [winding, syntax] = collection.features.as_slice() else {
            panic!("{collection:?}");
        };
        assert_eq!(
            winding.property("code"),
            Some(&JsonValue::from("geometry.winding"))
        );
        assert_eq!(
            winding.geometry,
            Some(geojson::Geometry::new_point([3.0, 4.0]))
        );
        assert_eq!(syntax.geometry, None);
    }

    #[test]
    fn nothing_found_is_a_collection_of_nothing() {
        assert!(features(&told(Format::Points, &[])).features.is_empty());
        let valid = "{\"type\":\"Point\",\"coordinates\":[1,2]}";
        assert!(
            features(&told(Format::Points, &[("a", valid), ("b", valid)]))
                .features
                .is_empty()
        );
    }
}
