//! Structure cases and quirks that nobody here wrote, read from the folder that
//! `HEXLANE_CASES` names. Where ours differs from theirs, the reason stands here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test stops where it is surprised"
)]
#![allow(clippy::too_many_lines, reason = "a table is read from top to bottom")]
#![allow(clippy::print_stdout, reason = "a test says plainly what it left out")]
#![allow(
    clippy::disallowed_methods,
    reason = "the cases come by the environment"
)]

use hexlane_core::code::{Code, Severity};
use hexlane_core::judge::{Terms, survey};
use hexlane_core::limits::Limits;
use serde_json::Value;
use std::path::PathBuf;

/// Theirs against ours, by the end of the source's name, with the reason for ours.
const DIFFERENCES: [(&str, &str); 9] = [
    (
        "nested-collection.geojson",
        "RFC 7946 3.1.8: nesting SHOULD be avoided: a warning",
    ),
    (
        "geometrycollection_nested.geojson",
        "RFC 7946 3.1.8: nesting SHOULD be avoided: a warning",
    ),
    (
        "geometrycollection_single.geojson",
        "RFC 7946 3.1.8: a single member SHOULD be avoided: read as it is",
    ),
    (
        "bad-polygon-interiorring-rhr.geojson",
        "RFC 7946 3.1.6: readers SHOULD NOT refuse by winding: a warning",
    ),
    (
        "polygon_winding_order.geojson",
        "RFC 7946 3.1.6: readers SHOULD NOT refuse by winding: a warning",
    ),
    (
        "invalid_interior_not_cw.geojson",
        "RFC 7946 3.1.6: readers SHOULD NOT refuse by winding: a warning",
    ),
    (
        "invalid_exterior_not_ccw.geojson",
        "RFC 7946 3.1.6: readers SHOULD NOT refuse by winding: a warning",
    ),
    (
        "valid_geometry_geometrycollection_empty_geometries.geojson",
        "an empty geometry has no place on the map",
    ),
    (
        "problematic_geometries",
        "theirs asks for a warning, which their expectation does not express",
    ),
];

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("HEXLANE_CASES").map(PathBuf::from);
    if folder.is_none() {
        println!("left out: HEXLANE_CASES is not set");
    }
    folder
}

fn codes(body: &str) -> Vec<Code> {
    let mut codes = Vec::new();
    let report = survey(body.as_bytes(), &Terms::plain(&Limits::default()), |each| {
        codes.extend(each.report.violations().iter().map(|each| each.code));
    });
    codes.extend(report.violations().iter().map(|each| each.code));
    codes
}

#[test]
fn structure_cases_get_their_verdict_or_a_reason() {
    let Some(folder) = folder() else { return };
    let lines = std::fs::read_to_string(folder.join("structure.jsonl")).unwrap();
    let mut judged = 0;
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let source = case["source"].as_str().unwrap();
        let found = codes(case["body"].as_str().unwrap());
        let ok = !found.iter().any(|code| code.severity() == Severity::Error);
        let reason = DIFFERENCES.iter().find(|(end, _)| source.contains(end));
        let agrees = case["expected_ok"].as_bool() == Some(ok);
        assert!(
            agrees || reason.is_some(),
            "{source}: ok is {ok}, found {found:?}"
        );
        judged += 1;
    }
    assert!(judged > 50, "only {judged} cases");
}

/// Each quirk, by its name, and the code of our verdict; none when it is accepted.
const QUIRKS: [(&str, Option<&str>); 59] = [
    ("antimeridian polygon (-179..179 ring)", None),
    ("lon 190 (unwrapped)", Some("crs.longitude_out_of_range")),
    ("pole-enclosing ring", Some("geometry.collapsed")),
    ("swapped axes point", Some("crs.latitude_out_of_range")),
    ("lat out of range", Some("crs.latitude_out_of_range")),
    ("3D mixed dims", None),
    ("4D position", Some("geometry.position_size")),
    ("1-element position", Some("geometry.position_size")),
    ("empty Point coords", Some("geometry.empty")),
    ("empty Polygon coords", Some("geometry.empty")),
    ("polygon with empty ring", Some("geometry.empty")),
    ("null in position", Some("geometry.number_expected")),
    ("string number", Some("geometry.number_expected")),
    ("not nested enough", Some("geometry.nesting")),
    ("huge int id", None),
    ("int beyond u64 in props", None),
    ("float ulp", Some("crs.latitude_out_of_range")),
    ("1e400", Some("geometry.number_range")),
    ("NaN literal", Some("parse.syntax")),
    ("null geometry", None),
    ("missing geometry member", Some("schema.member_missing")),
    ("missing properties member", Some("schema.member_missing")),
    ("duplicate key type", Some("parse.duplicate_member")),
    ("duplicate key coordinates", Some("parse.duplicate_member")),
    (
        "duplicate key in properties",
        Some("parse.duplicate_member"),
    ),
    ("BOM", Some("parse.bom")),
    ("trailing garbage", Some("parse.trailing_bytes")),
    ("two docs concatenated", Some("parse.trailing_bytes")),
    ("RS text sequence", Some("parse.syntax")),
    ("single quotes", Some("parse.syntax")),
    ("crs legacy 3857", Some("crs.mismatch")),
    ("crs null", Some("crs.unknown")),
    ("type lower case", Some("schema.type_unknown")),
    ("type last member", None),
    ("id null", Some("schema.id_type")),
    ("id object", Some("schema.id_type")),
    ("geometry is string", Some("schema.member_type")),
    ("features contains null", Some("schema.feature_expected")),
    (
        "features contains bare geometry",
        Some("schema.feature_expected"),
    ),
    ("bbox 3 numbers", Some("schema.bbox")),
    ("bbox antimeridian", None),
    ("bbox mismatch", None),
    ("cw exterior", None),
    ("unclosed ring", Some("geometry.not_closed")),
    ("3-pos ring", Some("geometry.too_few_points")),
    ("ring closed in XY not Z", Some("geometry.not_closed")),
    ("nested GC x60", None),
    ("nested GC x2000", Some("limit.depth")),
    ("nested arrays x100000", Some("limit.depth")),
    ("nested arrays in coords x200", Some("limit.depth")),
    ("deep properties x300", Some("limit.depth")),
    ("lone surrogate in string", Some("parse.lone_surrogate")),
    ("control char in string", Some("parse.syntax")),
    ("leading zero / plus", Some("parse.syntax")),
    ("trailing comma", Some("parse.syntax")),
    ("negative zero", None),
    ("topology object", Some("schema.type_unknown")),
    ("array root", Some("schema.not_object")),
    ("empty body", Some("parse.empty")),
];

#[test]
fn every_quirk_has_its_documented_verdict() {
    let Some(folder) = folder() else { return };
    let text = std::fs::read_to_string(folder.join("quirks.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let found = codes(case["body"].as_str().unwrap());
        let errors: Vec<&str> = found
            .iter()
            .filter(|code| code.severity() == Severity::Error)
            .map(|code| code.as_str())
            .collect();
        let (_, expected) = QUIRKS
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("no documented verdict for `{name}`: found {errors:?}"));
        match expected {
            Some(code) => assert!(errors.contains(code), "{name}: {errors:?}"),
            None => assert_eq!(errors, Vec::<&str>::new(), "{name}"),
        }
    }
}
