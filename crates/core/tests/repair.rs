//! Repairs at the door: what is derived, what stays as it was sent, and what is said.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::float_cmp,
    reason = "a test stops where it is surprised; what is compared is exact"
)]

use hexlane_core::code::Code;
use hexlane_core::effect::{Effect, judge_again};
use hexlane_core::envelope::Envelope;
use hexlane_core::geometry::{Geometry, Primitive};
use hexlane_core::judge::{Entry, Format, Judged, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::repair::Step;
use hexlane_core::source::{AuthSettings, SourceSettings};

const NOW_US: i64 = 1_796_040_000_000_000;
const OPEN: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#;

fn judged_by(
    limits: &Limits,
    change: impl FnOnce(&mut SourceSettings),
    repair: &str,
    body: &str,
) -> Judged {
    let mut settings = SourceSettings::new(AuthSettings::None);
    change(&mut settings);
    let source = settings.resolve("fleet", |_| None).unwrap();
    let steps: Vec<Step> = repair
        .split(',')
        .filter(|name| !name.is_empty())
        .map(|name| Step::by_name(name).unwrap())
        .collect();
    let request = Request {
        source: &source,
        body: body.as_bytes(),
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &steps,
        traceparent: None,
        accepted_at_us: NOW_US,
    };
    judge(&request, limits, ShardMap::default())
}

fn judged(repair: &str, body: &str) -> Judged {
    judged_by(&Limits::default(), |_| {}, repair, body)
}

fn codes(judged: &Judged) -> Vec<Code> {
    let violations = judged.report.violations().iter();
    violations.map(|violation| violation.code).collect()
}

fn event(judged: &Judged) -> Envelope {
    let Entry::Event(envelope) = &judged.entries[0] else {
        panic!("{:?}", judged.report);
    };
    (**envelope).clone()
}

fn geometry(envelope: &Envelope) -> Geometry {
    Geometry::of_wkb(&envelope.derived.as_ref().unwrap().wkb).unwrap()
}

#[test]
fn an_open_ring_is_closed_beside_the_untouched_payload() {
    assert_eq!(codes(&judged("", OPEN)), [Code::NotClosed]);
    let closed = judged("close-ring", OPEN);
    assert_eq!(codes(&closed), []);
    let envelope = event(&closed);
    assert_eq!(envelope.inline_payload(), Some(OPEN.as_bytes()));
    let derived = envelope.derived.clone().unwrap();
    assert_eq!(derived.steps, ["close-ring"]);
    assert_eq!(derived.core_version, env!("CARGO_PKG_VERSION"));
    assert_eq!(envelope.vertices, 5);
    let ring = &geometry(&envelope).primitives[0];
    assert_eq!(ring.coordinates, [0., 0., 1., 0., 1., 1., 0., 1., 0., 0.]);
    let told = &closed.repaired[0];
    assert_eq!((told.feature, told.changes.len()), (0, 1));
    // It travels, and the consumer takes it as it is.
    let arrived = Envelope::decode(&envelope.encode()).unwrap();
    assert_eq!(arrived, envelope);
    let effect = Effect::decode(arrived).unwrap();
    assert_eq!(effect.wkb, Some(derived.wkb));
}

#[test]
fn what_needs_no_repair_is_as_it_was_sent() {
    let square = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#;
    for (steps, body) in [
        ("close-ring,drop-repeats,rewind", square),
        ("close-ring", r#"{"type":"Point","coordinates":[1,2]}"#),
    ] {
        let judged = judged(steps, body);
        assert_eq!(event(&judged).derived, None);
        assert_eq!(judged.repaired, []);
    }
}

#[test]
fn swapped_axes_are_judged_and_laned_where_they_belong() {
    let swapped = r#"{"type":"Point","coordinates":[52.5,-170.25]}"#;
    assert!(!judged("", swapped).is_good());
    let there = event(&judged("swap-axes", swapped));
    let sent = r#"{"type":"Point","coordinates":[-170.25,52.5]}"#;
    assert_eq!(there.cell, event(&judged("", sent)).cell);
    assert_eq!(there.bbox, Some([-170.25, 52.5, -170.25, 52.5]));
}

#[test]
fn a_repair_that_is_not_enough_leaves_the_faults_as_they_were_sent() {
    let open = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1]]]}"#;
    let without = judged("", open);
    let with = judged("close-ring", open);
    assert!(!with.is_good());
    let kept = with.report.violations().iter();
    let kept: Vec<_> = kept
        .filter(|each| each.code != Code::RepairInvalidAfter)
        .cloned()
        .collect();
    assert_eq!(kept, without.report.violations());
    let why = with.report.violations().iter();
    let why = why
        .filter(|each| each.code == Code::RepairInvalidAfter)
        .collect::<Vec<_>>();
    assert!(why[0].message.contains("rings cross at 0.5 0.5"), "{why:?}");
    assert_eq!(with.repaired, []);
}

#[test]
fn members_of_a_collection_are_repaired_each_and_told_together() {
    let body = format!(
        r#"{{"type":"GeometryCollection","geometries":[{OPEN},{{"type":"Point","coordinates":[3,4]}},{OPEN}]}}"#
    );
    let judged = judged("drop-repeats,close-ring", &body);
    let envelope = event(&judged);
    assert_eq!(envelope.derived.as_ref().unwrap().steps, ["close-ring"]);
    assert_eq!(judged.repaired[0].changes.len(), 1);
    assert_eq!(judged.repaired[0].changes[0].area, [2.0, 2.0]);
    let geometry = geometry(&envelope);
    assert!(geometry.collection);
    let vertices: Vec<usize> = geometry
        .primitives
        .iter()
        .map(Primitive::vertices)
        .collect();
    assert_eq!(vertices, [5, 1, 5]);
}

#[test]
fn raw_and_derived_count_together_against_the_size_of_an_envelope() {
    let ring: Vec<String> = (0..80)
        .map(|at| format!("[{at},{}]", at * at % 89))
        .collect();
    let line = format!(
        r#"{{"type":"LineString","coordinates":[{}]}}"#,
        ring.join(",")
    );
    let size = event(&judged("", &line)).encoded_len() as u64;
    let limits = Limits {
        envelope_bytes_max: size + 1000,
        ..Limits::default()
    };
    assert!(judged_by(&limits, |_| {}, "", &line).is_good());
    let with = judged_by(&limits, |_| {}, "swap-axes", &line);
    assert!(codes(&with).contains(&Code::LimitEnvelope), "{with:?}");
    assert_eq!(with.repaired, []);
}

#[test]
fn a_consumer_under_another_contract_judges_what_was_derived() {
    let mut envelope = event(&judged("close-ring", OPEN));
    assert_eq!(judge_again(&envelope), None);
    let mut wrong = Geometry::of_wkb(&envelope.derived.as_ref().unwrap().wkb).unwrap();
    wrong.primitives[0].coordinates[8] = 0.5;
    envelope.derived.as_mut().unwrap().wkb = wrong.to_wkb();
    let found = judge_again(&envelope).unwrap();
    assert_eq!(found.code, Code::NotClosed);
    envelope.derived.as_mut().unwrap().wkb.pop();
    assert_eq!(judge_again(&envelope).unwrap().code, Code::GeometryNesting);
}

#[test]
fn settings_name_steps_that_there_are() {
    let mut settings = SourceSettings::new(AuthSettings::None);
    settings.repair = ["make-valid", "split-antimeridian"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(settings.resolve("a", |_| None).unwrap().repair.len(), 2);
    settings.repair = vec!["glue".to_owned()];
    let error = settings.resolve("a", |_| None).unwrap_err().to_string();
    assert!(
        error.contains("`glue`") && error.contains("close-ring, "),
        "{error}"
    );
}

#[cfg(not(feature = "repair"))]
#[test]
fn what_the_build_leaves_out_is_said_and_nothing_is_repaired() {
    let bowtie = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;
    let judged = judged("make-valid", bowtie);
    assert_eq!(
        codes(&judged),
        [Code::RepairUnavailable, Code::SelfIntersection]
    );
}

#[cfg(feature = "repair")]
mod overlay {
    use super::*;

    const BOWTIE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;

    #[test]
    fn a_bowtie_becomes_two_polygons_in_the_order_asked() {
        let body = BOWTIE.replacen(",[0,0]]]", "]]", 1);
        let judged = judged("close-ring,make-valid", &body);
        let envelope = event(&judged);
        let steps = &envelope.derived.as_ref().unwrap().steps;
        assert_eq!(*steps, ["close-ring", "make-valid:even_odd"]);
        let geometry = geometry(&envelope);
        assert_eq!(geometry.primitives[0].part_ends, [1, 2]);
        let change = judged.repaired[0].changes[1];
        assert_eq!((change.parts, change.vertices_added), ([1, 2], 1));
        assert_eq!(judge_again(&envelope), None);
    }

    #[test]
    fn what_collapses_is_refused_with_its_own_faults() {
        let flat = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}"#;
        let judged = judged("make-valid", flat);
        let codes = codes(&judged);
        assert!(
            codes.contains(&Code::RepairCollapsed) && codes.contains(&Code::Collapsed),
            "{codes:?}"
        );
        assert!(!judged.is_good());
    }

    #[test]
    fn a_good_geometry_is_not_refused_for_a_repair_that_cannot_be_done() {
        let pole = r#"{"type":"Polygon","coordinates":[[[0,80],[120,70],[-120,75],[0,80]]]}"#;
        let judged = judged("split-antimeridian", pole);
        let codes = codes(&judged);
        assert!(codes.contains(&Code::RepairPole), "{codes:?}");
        assert!(judged.is_good(), "{codes:?}");
    }

    #[test]
    fn the_overlay_is_bounded_over_all_features_of_a_request() {
        let feature = |at: i32| {
            let bowtie = BOWTIE.replace(",2]", &format!(",{}]", 3 + at));
            format!(r#"{{"type":"Feature","properties":null,"id":{at},"geometry":{bowtie}}}"#)
        };
        let features: Vec<String> = (0..4).map(feature).collect();
        let body = format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            features.join(",")
        );
        let limits = Limits {
            repair_vertices_max: 12,
            ..Limits::default()
        };
        let judged = judged_by(&limits, |_| {}, "make-valid", &body);
        assert_eq!(judged.refused(), [2, 3]);
        let many = codes(&judged);
        let many = many
            .iter()
            .filter(|code| **code == Code::RepairTooManyVertices);
        assert_eq!(many.count(), 2);
    }

    #[cfg(feature = "reproject")]
    #[test]
    fn steps_are_done_as_sent_then_reprojected_then_split() {
        use hexlane_core::source::CrsPolicy;
        // Metres of EPSG:3857 on both sides of the antimeridian, and a ring that is open.
        let body = r#"{"type":"Feature","properties":null,"crs":{"type":"name","properties":{"name":"EPSG:3857"}},
            "geometry":{"type":"Polygon","coordinates":[[[19900000,0],[-19900000,0],[-19900000,300000],[19900000,300000]]]}}"#;
        let change = |settings: &mut SourceSettings| settings.crs = CrsPolicy::Reproject;
        let steps = "close-ring,split-antimeridian";
        let judged = judged_by(&Limits::default(), change, steps, body);
        let envelope = event(&judged);
        assert_eq!(
            envelope.derived.as_ref().unwrap().steps,
            [
                "close-ring",
                "reproject EPSG:3857 EPSG:4326",
                "split-antimeridian"
            ]
        );
        let geometry = geometry(&envelope);
        assert_eq!(geometry.primitives[0].part_ends, [1, 2]);
        let mut longitudes = geometry.primitives[0].positions().map(|[x, _]| x);
        assert!(longitudes.all(|x| x.abs() <= 180.0));
        assert_eq!(
            Effect::decode(envelope.clone()).unwrap().wkb,
            envelope.derived.map(|each| each.wkb)
        );
    }
}
