//! Where a CRS may be declared, which declaration counts, and how the others are refused.
#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use hexlane_core::code::Code;
use hexlane_core::crs::Canonical;
use hexlane_core::effect::{Effect, judge_again};
use hexlane_core::envelope::Envelope;
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
    judged_under(&settings, header, body)
}

fn judged_under(settings: &SourceSettings, header: Option<&str>, body: &str) -> Judged {
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

/// The first event, as a consumer reads it from the wire.
fn effect(judged: Judged) -> Effect {
    assert!(judged.is_good(), "{:?}", judged.report.violations());
    let mut events = judged.entries.into_iter().filter_map(|entry| match entry {
        Entry::Event(envelope) => Some(*envelope),
        Entry::Refused | Entry::DuplicateOf(_) => None,
    });
    let envelope = Envelope::decode(&events.next().unwrap().encode()).unwrap();
    assert_eq!(judge_again(&envelope), None);
    Effect::decode(envelope).unwrap()
}

#[test]
fn what_is_in_force_nowhere_is_no_fault() {
    let (crs84, utm) = (named(CRS84), named(UTM));
    for body in [
        levels(&utm, &crs84, ""),
        levels(&utm, "", &crs84),
        levels(&utm, &utm, &crs84),
        levels(&utm, r#""crs":null,"#, &crs84),
        levels("", &utm, &crs84),
    ] {
        assert_eq!(told(None, &body), vec![], "{body}");
        let effect = effect(judged(None, &body));
        assert_eq!(effect.envelope.declared_crs.as_deref(), Some(CRS84));
        assert!(effect.wkb.is_some() && effect.envelope.derived.is_none());
    }
    // Of two features one has no declaration of its own: it is told once, of the collection.
    let both = levels(&utm, &crs84, "");
    let other = levels("", "", "").replace("\"id\":1", "\"id\":2");
    let feature = |text: &str| {
        let features = text.split_once("\"features\":[").unwrap().1;
        features.strip_suffix("]}").unwrap().to_owned()
    };
    let others = vec![feature(&other); 3].join(",");
    let mixed = both.replace(&feature(&both), &format!("{},{others}", feature(&both)));
    assert_eq!(told(None, &mixed), mismatch("/crs"));
    // A delete has no coordinates, and says all the same that it does not know where it is.
    let null = levels(&utm, "", "").replace(r#"{"type":"Point","coordinates":[9,48]}"#, "null");
    assert!(told(None, &null).contains(&mismatch("/crs")[0]));
    let empty = format!(r#"{{"type":"FeatureCollection",{utm}"features":[]}}"#);
    assert!(told(None, &empty).contains(&mismatch("/crs")[0]));
}

#[test]
fn a_header_is_no_outer_level_that_a_body_may_overrule() {
    let judged = judged(Some(UTM), &levels("", &named(CRS84), ""));
    let codes: Vec<Code> = judged.report.violations().iter().map(|v| v.code).collect();
    assert_eq!(codes, [Code::CrsConflict]);
}

#[test]
fn a_map_in_3857_has_no_place_beyond_its_latitude() {
    let mut settings = SourceSettings::new(AuthSettings::None);
    settings.canonical_crs = Canonical::WebMercator;
    let found = |place: &str| {
        let body = levels("", "", "").replace("[9,48]", place);
        let judged = judged_under(&settings, None, &body);
        let violations = judged.report.violations().iter();
        violations
            .map(|each| (each.code, each.pointer.clone(), each.location))
            .collect::<Vec<_>>()
    };
    for inside in ["[9,85.051129]", "[9,-85.051129]", "[180,0]"] {
        assert_eq!(found(inside), vec![], "{inside}");
    }
    let at = |[x, y]: [f64; 2]| {
        let pointer = "/features/0/geometry/coordinates".to_owned();
        vec![(Code::CrsBeyondMercator, pointer, Some([x, y]))]
    };
    assert_eq!(found("[9,85.0512]"), at([9.0, 85.0512]));
    assert_eq!(found("[9,-90]"), at([9.0, -90.0]));
    assert_eq!(found("[9,95]")[0].0, Code::CrsLatitudeRange);
    let other = SourceSettings::new(AuthSettings::None);
    let pole = levels("", "", "").replace("[9,48]", "[9,90]");
    assert!(judged_under(&other, None, &pole).is_good());
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
    fn a_system_less_exact_than_the_source_asks_is_refused_and_told_how_exact_it_is() {
        let mut settings = SourceSettings::new(AuthSettings::None);
        settings.crs = CrsPolicy::Reproject;
        let krovak = in_metres(&named("EPSG:5514"), "[-744000,-1043000]");
        let utm = in_metres(&named(UTM), "[500000,5316300.5]");
        assert!(judged_under(&settings, None, &krovak).is_good());
        settings.crs_accuracy_mm_max = Some(1);
        assert!(judged_under(&settings, None, &utm).is_good());
        let refused = judged_under(&settings, None, &krovak);
        let violation = refused.report.first_error().unwrap();
        assert_eq!(
            (violation.code, violation.pointer.as_str(), violation.epsg),
            (Code::CrsAccuracy, "/crs", Some(5514))
        );
        let expected =
            "declared as `EPSG:5514`: EPSG:5514 is reprojected to within 20 m, and 1 mm are asked";
        assert_eq!(violation.message, expected);
        // What needs no reprojecting is as exact as it was sent.
        assert!(judged_under(&settings, None, &levels("", "", "")).is_good());
        // A consumer does not ask again.
        settings.crs_accuracy_mm_max = Some(20_000);
        let effect = effect(judged_under(&settings, None, &krovak));
        assert!(effect.wkb.is_some());
        settings.crs = CrsPolicy::Reject;
        let error = settings.resolve("fleet", |_| None).err();
        let expected = hexlane_core::source::SourceError::Accuracy("fleet".to_owned());
        assert_eq!(error, Some(expected));
    }

    #[test]
    fn of_a_system_that_names_the_northing_first_the_sender_is_warned_once() {
        let gauss_krueger = named("EPSG:31467");
        let one = in_metres(&gauss_krueger, "[3500000,5400000]");
        let (head, feature) = one.split_once("\"features\":[").unwrap();
        let feature = feature.strip_suffix("]}").unwrap();
        let feature = |id: u32| feature.replace("\"id\":1", &format!("\"id\":{id}"));
        let many: Vec<String> = (0..50).map(feature).collect();
        let many = format!("{head}\"features\":[{}]}}", many.join(","));
        for body in [&one, &many] {
            let judged = judged_by(CrsPolicy::Reproject, None, body);
            assert!(judged.is_good());
            let told = judged.report.violations().iter();
            let told: Vec<_> = told.map(|each| (each.code, &*each.pointer)).collect();
            assert_eq!(told, [(Code::CrsNorthingFirst, "/crs")]);
        }
        // Latitude first, as every system in degrees: those that are longitude and latitude on
        // WGS 84 are so common, x first, that nobody is warned.
        assert_eq!(found(&named("EPSG:4326"), "[9,48]"), vec![]);
        assert_eq!(
            found(&named("EPSG:4258"), "[9,48]"),
            vec![(Code::CrsNorthingFirst, "/crs".to_owned())]
        );
        assert_eq!(found(&named(UTM), "[500000,5316300]"), vec![]);
    }

    #[test]
    fn features_of_several_systems_each_have_their_own_way() {
        let systems = [
            ("EPSG:25832", "[500000,5316300.5]"),
            ("EPSG:3857", "[1000000,6106854.8]"),
            ("EPSG:2154", "[652000,6862000]"),
            ("EPSG:25832", "[510000,5316300.5]"),
            ("OGC:CRS84", "[9,48]"),
            ("EPSG:25832", "[500000,5316300.5]"),
        ];
        let feature = |(number, (name, place)): (usize, &(&str, &str))| {
            levels("", &named(name), "")
                .replace("[9,48]", place)
                .replace("\"id\":1", &format!("\"id\":{number}"))
        };
        let each: Vec<String> = systems.iter().enumerate().map(feature).collect();
        let inner = each.iter().map(|text| {
            let features = text.split_once("\"features\":[").unwrap().1;
            features.strip_suffix("]}").unwrap()
        });
        let inner: Vec<&str> = inner.collect();
        let all = format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            inner.join(",")
        );
        let derived = |body: &str| -> Vec<_> {
            let judged = judged_by(CrsPolicy::Reproject, None, body);
            assert!(judged.is_good(), "{:?}", judged.report.violations());
            let entries = judged.entries.into_iter().filter_map(|entry| match entry {
                Entry::Event(envelope) => Some((envelope.derived, envelope.bbox)),
                Entry::Refused | Entry::DuplicateOf(_) => None,
            });
            entries.collect()
        };
        let alone: Vec<_> = each.iter().flat_map(|body| derived(body)).collect();
        assert_eq!(derived(&all), alone);
        assert_eq!(alone.len(), systems.len());
    }

    #[test]
    fn what_is_reprojected_has_a_place_on_the_map_or_is_refused() {
        let mut settings = SourceSettings::new(AuthSettings::None);
        settings.crs = CrsPolicy::Reproject;
        // Polar stereographic: the pole is at 0 0.
        let pole = in_metres(&named("EPSG:3413"), "[10000,10000]");
        assert!(judged_under(&settings, None, &pole).is_good());
        settings.canonical_crs = Canonical::WebMercator;
        let refused = judged_under(&settings, None, &pole);
        let violation = refused.report.first_error().unwrap();
        let at = "/features/0/geometry/coordinates";
        assert_eq!(
            (violation.code, violation.pointer.as_str()),
            (Code::CrsBeyondMercator, at)
        );
        let below = in_metres(&named("EPSG:3413"), "[1000000,1000000]");
        assert!(judged_under(&settings, None, &below).is_good());
        assert!(
            (hexlane_core::crs::MERCATOR_LATITUDE_MAX - hexlane_reproject::LATITUDE_MAX).abs()
                < f64::EPSILON
        );
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
