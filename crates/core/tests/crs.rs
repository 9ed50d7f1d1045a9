//! Where a CRS may be declared, which declaration counts, and how the others are refused.
#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use hexlane_core::code::Code;
use hexlane_core::judge::{Entry, Format, Judged, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, CrsPolicy, SourceSettings};

fn judged(header: Option<&str>, body: &str) -> Judged {
    judged_by(CrsPolicy::Reject, header, body)
}

fn judged_by(policy: CrsPolicy, header: Option<&str>, body: &str) -> Judged {
    let mut settings = SourceSettings::new(AuthSettings::None);
    settings.crs = policy;
    let source = settings.resolve("fleet", |_| None).unwrap();
    let request = Request {
        source: &source,
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: header,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    judge(&request, &Limits::default(), ShardMap::default())
}

/// Code, pointer and EPSG code of each violation.
fn told(header: Option<&str>, body: &str) -> Vec<(Code, String, Option<u32>)> {
    let judged = judged(header, body);
    let violations = judged.report.violations().iter();
    violations
        .map(|each| (each.code, each.pointer.clone(), each.epsg))
        .collect()
}

fn named(name: &str) -> String {
    format!(r#""crs":{{"type":"name","properties":{{"name":"{name}"}}}},"#)
}

/// A collection of one feature; each level with members of its own before the others.
fn levels(collection: &str, feature: &str, geometry: &str) -> String {
    format!(
        r#"{{"type":"FeatureCollection",{collection}"features":[{{"type":"Feature",{feature}
        "id":1,"properties":{{"observed_at":"2026-01-01T00:00:00Z"}},
        "geometry":{{"type":"Point",{geometry}"coordinates":[9,48]}}}}]}}"#
    )
}

const CRS84: &str = "urn:ogc:def:crs:OGC:1.3:CRS84";
const UTM: &str = "urn:ogc:def:crs:EPSG::25832";

fn mismatch(pointer: &str) -> Vec<(Code, String, Option<u32>)> {
    vec![(Code::CrsMismatch, pointer.to_owned(), Some(25832))]
}

#[test]
fn a_declaration_counts_on_every_level() {
    let utm = named(UTM);
    assert_eq!(told(None, &levels(&utm, "", "")), mismatch("/crs"));
    assert_eq!(
        told(None, &levels("", &utm, "")),
        mismatch("/features/0/crs")
    );
    assert_eq!(
        told(None, &levels("", "", &utm)),
        mismatch("/features/0/geometry/crs")
    );
    assert_eq!(told(Some("EPSG:25832"), &levels("", "", "")), mismatch(""));
}

#[test]
fn the_nearest_declaration_is_the_one_in_force() {
    let (crs84, utm) = (named(CRS84), named(UTM));
    assert_eq!(told(None, &levels(&crs84, "", "")), vec![]);
    assert_eq!(
        told(None, &levels(&crs84, &utm, "")),
        mismatch("/features/0/crs")
    );
    assert_eq!(
        told(None, &levels(&crs84, &crs84, &utm)),
        mismatch("/features/0/geometry/crs")
    );
    let judged = judged(None, &levels(&crs84, &named("EPSG:4326"), ""));
    let declared = judged.entries.iter().find_map(|entry| match entry {
        Entry::Event(envelope) => envelope.declared_crs.clone(),
        Entry::Refused | Entry::DuplicateOf(_) => None,
    });
    assert_eq!(declared.as_deref(), Some("EPSG:4326"));
}

#[test]
fn a_header_and_a_body_that_disagree_are_a_conflict() {
    let conflict = |pointer: &str| vec![(Code::CrsConflict, pointer.to_owned(), None)];
    let utm = named(UTM);
    assert_eq!(told(Some(CRS84), &levels(&utm, "", "")), conflict("/crs"));
    assert_eq!(
        told(Some(CRS84), &levels("", "", &utm)),
        conflict("/features/0/geometry/crs")
    );
    assert_eq!(
        told(Some(CRS84), &levels(r#""crs":null,"#, "", "")),
        conflict("/crs")
    );
    assert_eq!(
        told(Some("OGC:CRS84"), &levels(&named("EPSG:4326"), "", "")),
        vec![]
    );
    let both = format!(r#"{utm}"coordRefSys":"EPSG:4326","#);
    let found = told(None, &levels(&both, "", ""));
    assert_eq!(found[0].0, Code::CrsConflict);
}

#[test]
fn null_is_unknown_and_not_wgs_84() {
    let unknown = vec![(Code::CrsUnknown, "/crs".to_owned(), None)];
    assert_eq!(told(None, &levels(r#""crs":null,"#, "", "")), unknown);
    let unknown = vec![(Code::CrsUnknown, "/features/0/coordRefSys".to_owned(), None)];
    assert_eq!(
        told(None, &levels("", r#""coordRefSys":null,"#, "")),
        unknown
    );
}

#[test]
fn the_form_of_2008_with_an_epsg_code_is_understood() {
    for (code, expected) in [
        ("4326", vec![]),
        ("\"4326\"", vec![]),
        ("25832", mismatch("/crs")),
    ] {
        let crs = format!(r#""crs":{{"type":"EPSG","properties":{{"code":{code}}}}},"#);
        assert_eq!(told(None, &levels(&crs, "", "")), expected, "{code}");
    }
}

#[test]
fn what_is_no_name_is_refused_and_a_link_is_never_fetched() {
    let wkt = named(r#"GEOGCRS[\"WGS 84\",DATUM[\"World Geodetic System 1984\"]]"#);
    for (crs, reason) in [
        (
            r#""crs":{"type":"link","properties":{"href":"http://192.0.2.1/4326","type":"proj4"}},"#,
            "is a link, and links are not fetched",
        ),
        (
            r#""coordRefSys":{"type":"GeographicCRS","name":"WGS 84","datum":{"type":"x"}},"#,
            "is PROJJSON, which is not read",
        ),
        (wkt.as_str(), "is well-known text, which is not read"),
        (
            r#""crs":{"type":"name","properties":{"name":"ESRI:54009"}},"#,
            "is not understood",
        ),
        (r#""crs":{"type":"name"},"#, "is not understood"),
        (r#""crs":4326,"#, "is not understood"),
        (
            r#""crs":{"type":"EPSG","properties":{"code":{}}},"#,
            "is not understood",
        ),
        (
            r#""coordRefSys":["EPSG:25832","EPSG:5773"],"#,
            "is not understood",
        ),
    ] {
        let judged = judged(None, &levels(crs, "", ""));
        let violation = &judged.report.violations()[0];
        assert_eq!(violation.code, Code::CrsUnsupported, "{crs}");
        assert!(violation.message.ends_with(reason), "{}", violation.message);
    }
}

#[cfg(not(feature = "reproject"))]
#[test]
fn a_build_without_the_list_does_not_promise_to_reproject() {
    let mut settings = SourceSettings::new(AuthSettings::None);
    settings.crs = CrsPolicy::Reproject;
    let error = settings.resolve("fleet", |_| None).err();
    let expected = hexlane_core::source::SourceError::Reproject("fleet".to_owned());
    assert_eq!(error, Some(expected));
}

#[cfg(feature = "reproject")]
mod reproject {
    use super::*;
    use hexlane_core::effect::{Effect, judge_again};
    use hexlane_core::envelope::Envelope;

    fn in_metres(crs: &str, coordinates: &str) -> String {
        levels(crs, "", "").replace("[9,48]", coordinates)
    }

    fn found(crs: &str, coordinates: &str) -> Vec<(Code, String)> {
        let judged = judged_by(CrsPolicy::Reproject, None, &in_metres(crs, coordinates));
        let violations = judged.report.violations().iter();
        violations
            .map(|each| (each.code, each.pointer.clone()))
            .collect()
    }

    fn envelope(body: &str) -> Envelope {
        let judged = judged_by(CrsPolicy::Reproject, None, body);
        assert!(judged.is_good(), "{:?}", judged.report.violations());
        let mut envelopes = judged.entries.into_iter().filter_map(|entry| match entry {
            Entry::Event(envelope) => Some(*envelope),
            Entry::Refused | Entry::DuplicateOf(_) => None,
        });
        envelopes.next().unwrap()
    }

    #[test]
    fn the_derived_geometry_travels_beside_the_payload() {
        let sent = in_metres(&named(UTM), "[500000,5316300.5,12.5]");
        let sent = envelope(&sent);
        let derived = sent.derived.clone().unwrap();
        assert_eq!(derived.steps, ["reproject EPSG:25832 EPSG:4326"]);
        let payload = String::from_utf8(sent.inline_payload().unwrap().to_vec()).unwrap();
        assert!(payload.contains("[500000,5316300.5,12.5]"));
        // The lane is that of the place, whoever says where it is.
        let [west, south, east, north] = sent.bbox.unwrap();
        assert!((west - 9.0).abs() < 1e-9 && (east - 9.0).abs() < 1e-9);
        assert!((south - 48.0).abs() < 0.01 && (north - south).abs() < 1e-12);
        let degrees = levels("", "", "").replace("[9,48]", &format!("[{west},{south},12.5]"));
        let degrees = envelope(&degrees);
        assert_eq!(sent.cell, degrees.cell);
        assert_eq!(degrees.derived, None);
        // The consumer takes it as it is, also from the wire.
        let again = Envelope::decode(&sent.encode()).unwrap();
        assert_eq!(judge_again(&again), None);
        let effect = Effect::decode(again).unwrap();
        assert_eq!(effect.wkb, Some(derived.wkb));
        let plain = Effect::decode(degrees).unwrap();
        assert_eq!(effect.wkb, plain.wkb);
    }

    #[test]
    fn codes_without_a_way_say_which_kind_they_are() {
        let grid = vec![(Code::CrsNeedsGrid, "/crs".to_owned())];
        assert_eq!(found(&named("EPSG:4267"), "[9,48]"), grid);
        let unknown = vec![(Code::CrsUnsupported, "/crs".to_owned())];
        assert_eq!(found(&named("EPSG:999999"), "[9,48]"), unknown);
        let null = vec![(Code::CrsUnknown, "/crs".to_owned())];
        assert_eq!(found(r#""crs":null,"#, "[9,48]"), null);
    }

    #[test]
    fn a_position_without_a_place_is_told_with_its_place_in_the_document() {
        let nowhere = found(&named("EPSG:3857"), "[1e300,0]");
        let at = "/features/0/geometry/coordinates".to_owned();
        assert_eq!(nowhere, vec![(Code::CrsNoPlace, at.clone())]);
        let swapped = found(&named("EPSG:2154"), "[6862000,652000]");
        assert!(swapped.contains(&(Code::CrsAxisSwapped, at)), "{swapped:?}");
    }

    #[test]
    fn a_member_of_a_collection_has_the_system_of_the_collection() {
        let member = format!(
            r#"{{"type":"Feature","id":1,"properties":{{"observed_at":"2026-01-01T00:00:00Z"}},
            "geometry":{{"type":"GeometryCollection","geometries":[
            {{"type":"Point",{}"coordinates":[500000,5300000]}}]}}}}"#,
            named(UTM)
        );
        let judged = judged_by(CrsPolicy::Reproject, None, &member);
        assert_eq!(judged.report.violations()[0].code, Code::CrsConflict);
    }
}
