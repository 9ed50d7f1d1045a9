//! What the reader says of bodies: every violation, with its code, pointer and offset.

use super::*;
use crate::crs::OtherCrs;
use crate::geometry::Primitive;
use crate::json::Sieve;
use crate::violation::Place;

fn told(body: &str) -> Vec<(Code, String, Option<u64>)> {
    report(body)
        .into_iter()
        .map(|each| (each.code, each.pointer, each.byte_offset))
        .collect()
}

fn report(body: &str) -> Vec<Violation> {
    let limits = Limits::default();
    let ask = Ask {
        limits: &limits,
        content_crs: None,
        crs: OtherCrs::Refuse.rule(),
        judge: true,
        repair: &[],
        edits: Edits::NOT_TOLD,
    };
    let mut all = Vec::new();
    let document = read(body.as_bytes(), ask, |feature| {
        all.extend(feature.report.violations().to_vec());
    });
    all.extend(document.violations().to_vec());
    all
}

fn codes(body: &str) -> Vec<Code> {
    told(body).into_iter().map(|(code, _, _)| code).collect()
}

#[test]
fn a_good_point_has_no_violation() {
    assert_eq!(told(r#"{"type":"Point","coordinates":[1,2]}"#), vec![]);
    assert_eq!(
        told(r#"{"type":"Point","coordinates":[-180,90,5]}"#),
        vec![]
    );
}

#[test]
fn a_bowtie_is_told_with_its_place_in_the_document() {
    let body = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
    let found = report(body);
    let crossing = found
        .iter()
        .find(|each| each.code == Code::SelfIntersection)
        .unwrap();
    assert_eq!(crossing.pointer, "/coordinates/0/0");
    assert_eq!(crossing.location, Some([1.0, 1.0]));
    assert_eq!(
        crossing.place,
        Some(Place {
            part: 0,
            ring: 0,
            vertex: 0
        })
    );
    let other = crossing.other.as_ref().unwrap();
    assert_eq!(other.pointer, "/coordinates/0/2");
    assert!(body[usize::try_from(other.byte_offset).unwrap()..].starts_with("[2,0]"));
    assert_eq!(crossing.reason().unwrap(), "Self-intersection[1 1]");
}

#[test]
fn every_violation_of_every_feature_is_told() {
    let body = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[1,95]}},
        {"type":"Feature","properties":[],"id":{},"geometry":{"type":"Point","coordinates":["1",2,3,4]}},
        null,
        {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1]]]},"properties":null}
    ]}"#;
    let found = told(body);
    let expected = [
        (Code::CrsLatitudeRange, "/features/0/geometry/coordinates"),
        (Code::SchemaMemberType, "/features/1/properties"),
        (Code::SchemaIdType, "/features/1/id"),
        (
            Code::GeometryPositionSize,
            "/features/1/geometry/coordinates",
        ),
        (
            Code::GeometryNumberExpected,
            "/features/1/geometry/coordinates/0",
        ),
        (Code::SchemaFeatureExpected, "/features/2"),
    ];
    for (code, pointer) in expected {
        assert!(
            found.iter().any(|(c, p, _)| *c == code && p == pointer),
            "{code:?} {pointer} in {found:?}"
        );
    }
    assert!(
        found
            .iter()
            .any(|(_, pointer, _)| pointer.starts_with("/features/3/geometry/coordinates/0"))
    );
}

#[test]
fn syntax_faults_stop_the_reading_at_their_byte() {
    assert_eq!(
        told(r#"{"type":}"#),
        vec![(Code::ParseSyntax, String::new(), Some(8))]
    );
    assert_eq!(told(""), vec![(Code::ParseEmpty, String::new(), Some(0))]);
    assert_eq!(codes("{} x"), vec![Code::ParseTrailingBytes]);
    assert_eq!(codes("\u{feff}{}"), vec![Code::ParseBom]);
    assert_eq!(
        codes(r#"{"type":"Point","coordinates":[NaN,0]}"#),
        vec![Code::ParseSyntax]
    );
    assert_eq!(
        codes(r#"{"type":"Point","coordinates":[+1,02]}"#),
        vec![Code::ParseSyntax]
    );
    assert_eq!(codes(r#"{"a":"\ud800"}"#), vec![Code::ParseLoneSurrogate]);
    assert_eq!(codes(&"[".repeat(100_000)), vec![Code::LimitDepth]);
}

#[test]
fn duplicate_members_are_told_wherever_they_are() {
    let body = r#"{"type":"Feature","geometry":null,"properties":{"a":{"b":1,"\u0062":2}}}"#;
    assert_eq!(
        told(body)
            .first()
            .map(|(code, pointer, _)| (*code, pointer.as_str())),
        Some((Code::ParseDuplicateMember, "/properties/a/b"))
    );
    let wide: Vec<String> = (0..40).map(|n| format!("\"k{n}\":0,")).collect();
    let wide = wide.concat();
    assert_eq!(
        codes(&format!(
            "{{{wide}\"k39\":1,\"type\":\"Point\",\"coordinates\":[0,0]}}"
        )),
        vec![Code::ParseDuplicateMember]
    );
}

#[test]
fn wrong_nesting_is_told_at_the_element() {
    let flat = r#"{"type":"Polygon","coordinates":[[0,0],[0,5],[5,5],[0,0]]}"#;
    assert!(
        told(flat)
            .iter()
            .all(|(code, _, _)| *code == Code::GeometryNesting)
    );
    assert_eq!(told(flat)[0].1, "/coordinates/0/0");
    let deep = r#"{"type":"LineString","coordinates":[[[0,0]],[1,1]]}"#;
    assert_eq!(
        told(deep)[0],
        (
            Code::GeometryNesting,
            "/coordinates/0/0".to_owned(),
            Some(37)
        )
    );
    let mixed = r#"{"type":"MultiPolygon","coordinates":[[[139.1,35.1],5842.4]]}"#;
    assert!(
        codes(mixed)
            .iter()
            .all(|code| *code == Code::GeometryNesting)
    );
}

#[test]
fn numbers_beyond_a_double_and_empty_coordinates_are_refused() {
    assert_eq!(
        codes(r#"{"type":"Point","coordinates":[1e400,0]}"#),
        vec![Code::GeometryNumberRange]
    );
    assert_eq!(
        codes(r#"{"type":"Point","coordinates":[]}"#),
        vec![Code::GeometryEmpty]
    );
    assert_eq!(
        codes(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]],[]]}"#),
        vec![Code::GeometryEmpty]
    );
    assert_eq!(
        codes(r#"{"type":"Polygon","coordinates":[[]]}"#),
        vec![Code::GeometryEmpty]
    );
    assert_eq!(
        codes(r#"{"type":"GeometryCollection","geometries":[]}"#),
        vec![Code::GeometryEmpty]
    );
}

#[test]
fn a_declared_crs_is_found_on_every_level() {
    let named = r#""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#;
    let body = format!(r#"{{"type":"Point",{named},"coordinates":[-8238354.76,4970277.18]}}"#);
    let found = report(&body);
    assert_eq!(
        found.iter().map(|each| each.code).collect::<Vec<_>>(),
        vec![Code::CrsMismatch]
    );
    assert_eq!(found[0].epsg, Some(3857));
    let link =
        r#"{"type":"Point","crs":{"type":"link","properties":{"href":"x"}},"coordinates":[0,0]}"#;
    assert_eq!(codes(link), vec![Code::CrsUnsupported]);
    assert_eq!(
        codes(r#"{"type":"Point","crs":null,"coordinates":[0,0]}"#),
        vec![Code::CrsUnknown]
    );
    assert_eq!(
        codes(r#"{"type":"Point","coordRefSys":"EPSG:4326","coordinates":[0,0]}"#),
        vec![]
    );
    let metres = r#"{"type":"Point","coordinates":[-8238354.76,4970277.18]}"#;
    assert_eq!(codes(metres).last(), Some(&Code::CrsLooksProjected));
}

#[test]
fn a_nested_collection_keeps_document_order() {
    let body = r#"{"type":"GeometryCollection","geometries":[
        {"type":"Point","coordinates":[1,1]},
        {"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[2,2]}]},
        {"type":"Point","coordinates":[3,3]}]}"#;
    let limits = Limits::default();
    let ask = Ask {
        limits: &limits,
        content_crs: None,
        crs: OtherCrs::Refuse.rule(),
        judge: true,
        repair: &[],
        edits: Edits::NOT_TOLD,
    };
    let mut xs = Vec::new();
    let _ = read(body.as_bytes(), ask, |feature| {
        let geometry = feature.geometry.unwrap();
        xs = geometry
            .primitives
            .iter()
            .flat_map(Primitive::positions)
            .map(|[x, _]| x)
            .collect();
    });
    assert_eq!(xs, vec![1.0, 2.0, 3.0]);
}

/// What is told of a body, feature by feature and of the whole; none when it comes in chunks
/// and must be read whole.
fn all_told(body: &str, chunk: Option<usize>) -> Option<Vec<String>> {
    let limits = Limits::default();
    let ask = Ask {
        limits: &limits,
        content_crs: None,
        crs: OtherCrs::Refuse.rule(),
        judge: true,
        repair: &[],
        edits: Edits::NOT_TOLD,
    };
    let mut told = Vec::new();
    let mut tell = |report: &Report| {
        for violation in report.violations() {
            let mut json = crate::json_text::JsonText::default();
            violation.tell(&mut json);
            told.push(json.into_text());
        }
        told.push(format!("{:?}", report.totals()));
    };
    let mut visit = |feature: Feature<'_>| {
        tell(&feature.report);
        let geometry = feature.geometry.as_ref().map(Geometry::to_wkb);
        tell(&Report::of(crate::violation::Violation::new(
            Code::SchemaBbox,
            format!("{} {geometry:?}", feature.index),
        )));
    };
    let report = match chunk {
        None => read(body.as_bytes(), ask, &mut visit),
        Some(chunk) => {
            let mut sieve = Sieve::new(Some(body.len() as u64));
            for chunk in body.as_bytes().chunks(chunk) {
                sieve.push(chunk);
            }
            read_sieved(sieve.finish()?, ask, &mut visit)?
        }
    };
    tell(&report);
    Some(told)
}

#[test]
fn a_body_in_chunks_is_told_like_the_whole() {
    let ring = |corners: &str| format!(r#"{{"type":"Polygon","coordinates":[[{corners}]]}}"#);
    let feature = |geometry: &str| {
        format!(
            r#"{{"type":"Feature","id":1,"properties":{{"t":[[1,2],[3,4]]}},"geometry":{geometry}}}"#
        )
    };
    let bow = ring("[0,0],[4,4],[4,0],[0,4],[0,0]");
    let bodies = [
        feature(&ring("[0,0],[4,0],[4,4],[0,0]")),
        feature(&bow),
        format!(r#" {{"features":[{},{}],"type":"FeatureCollection","bbox":[1,2,3]}} "#, feature(&bow), feature("null")),
        ring("[0,0,1],[4,0,2],[4,400,3],[0,0,1]"),
        r#"{"type":"MultiPolygon","coordinates":[[[[0,0],[4,0],[4,4],[0,0]],[[9,9],[8,8],[9,8],[9,9]]],[[[0,0],[4,0],[4,4],[0,0]]]]}"#.to_owned(),
        r#"{"type":"LineString","coordinates":[[0,95],[200,0]],"coordinates":[[1,2],[3,4]]}"#.to_owned(),
        r#"{"type":"MultiPoint","coordinates":[[0,95],[200,0]]"#.to_owned(),
        r#"{"type":"Point","coordinates":[1,2]}"#.to_owned(),
        format!("{}{}", "[".repeat(126), "[[1,2],[3,4]]"),
        format!("{}{}", "[".repeat(127), "[[1,2],[3,4]]"),
        format!("{}{}", "[".repeat(128), "[[1,2],[3,4]]"),
    ];
    for body in &bodies {
        let whole = all_told(body, None);
        for chunk in [1, 2, 3, 7, 64, 1_000] {
            assert_eq!(all_told(body, Some(chunk)), whole, "{chunk}: {body}");
        }
    }
}

#[test]
fn what_must_be_seen_as_it_was_sent_is_not_told_from_chunks() {
    for body in [
        r#"{"type":"MultiPoint","coordinates":[[0,0],[1,2,3]]}"#,
        r#"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#,
        r#"{"type":"MultiLineString","coordinates":[[[0,0],[1,1]],[[0,0],[1,"1"]]]}"#,
    ] {
        assert_eq!(all_told(body, Some(5)), None, "{body}");
    }
}
