//! What a layer answers, and what it says of faulty features.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use hexlane_join::{
    FAULTS_MAX, Faulty, LayerBuilder, LayerError, LayerRules, Made, PROPERTIES_BYTES_MAX,
    Predicate, Subject, Unreadable, document,
};

fn point(x: f64, y: f64) -> Subject {
    let mut wkb = vec![1, 1, 0, 0, 0];
    wkb.extend([x, y].iter().flat_map(|number| number.to_le_bytes()));
    Subject::of_wkb(&wkb).unwrap()
}

fn square(name: &str, west: f64, south: f64, side: f64) -> String {
    let (east, north) = (west + side, south + side);
    let ring = format!(
        "[[{west},{south}],[{east},{south}],[{east},{north}],[{west},{north}],[{west},{south}]]"
    );
    feature(
        &format!(r#"{{"name":"{name}","size":{side}}}"#),
        "Polygon",
        &format!("[{ring}]"),
    )
}

fn feature(properties: &str, kind: &str, coordinates: &str) -> String {
    format!(
        r#"{{"type":"Feature","properties":{properties},"geometry":{{"type":"{kind}","coordinates":{coordinates}}}}}"#
    )
}

fn collection(features: &[String]) -> String {
    format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    )
}

fn make(rules: LayerRules, features: &[String]) -> Result<Made, LayerError> {
    let mut builder = LayerBuilder::new("zones", rules);
    builder.add_geojson(collection(features).as_bytes())?;
    Ok(builder.build())
}

fn names() -> LayerRules {
    LayerRules {
        properties: Some(vec!["name".to_owned(), "absent".to_owned()]),
        ..LayerRules::default()
    }
}

fn joined(made: &Made, subject: &Subject) -> String {
    document([("zones", made.layer.matches(subject))])
}

#[test]
fn matches_carry_the_chosen_properties_in_the_order_of_the_layer() {
    let squares = [
        square("z", 0.0, 0.0, 4.0),
        square("far", 20.0, 0.0, 4.0),
        square("a", 1.0, 1.0, 4.0),
    ];
    let made = make(names(), &squares).unwrap();
    assert_eq!(
        joined(&made, &point(2.0, 2.0)),
        r#"{"zones":[{"name":"z"},{"name":"a"}]}"#
    );
    assert_eq!(joined(&made, &point(-2.0, 2.0)), r#"{"zones":[]}"#);
    let all = make(LayerRules::default(), &squares).unwrap();
    let expected = r#"{"zones":[{"name":"far","size":4}]}"#;
    assert_eq!(joined(&all, &point(21.0, 1.0)), expected);
}

#[test]
fn what_does_not_fit_is_counted() {
    let squares: Vec<String> = (0..5)
        .map(|n| square(&n.to_string(), 0.0, 0.0, 4.0))
        .collect();
    let rules = LayerRules {
        matches_max: 2,
        ..names()
    };
    let made = make(rules, &squares).unwrap();
    let expected = r#"{"zones":[{"name":"0"},{"name":"1"}],"_left_out":{"zones":3}}"#;
    assert_eq!(joined(&made, &point(1.0, 1.0)), expected);
}

#[test]
fn a_border_is_met_by_intersects_and_not_contained() {
    let on_border = [point(0.0, 2.0), point(4.0, 4.0), point(0.0, -0.0)];
    for (predicate, matches) in [(Predicate::Intersects, 1), (Predicate::Contains, 0)] {
        let rules = LayerRules {
            predicate,
            ..names()
        };
        let made = make(rules, &[square("a", 0.0, 0.0, 4.0)]).unwrap();
        for subject in &on_border {
            assert_eq!(
                made.layer.matches(subject).total,
                matches,
                "{predicate:?} {subject:?}"
            );
        }
        assert_eq!(made.layer.matches(&point(1.0, 1.0)).total, 1);
    }
}

#[test]
fn a_hole_is_outside_whichever_way_it_runs() {
    let holes = [
        "[[1,1],[3,1],[3,3],[1,3],[1,1]]",
        "[[1,1],[1,3],[3,3],[3,1],[1,1]]",
    ];
    for hole in holes {
        let rings = format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{hole}]");
        let made = make(names(), &[feature("{}", "Polygon", &rings)]).unwrap();
        assert_eq!(made.layer.matches(&point(2.0, 2.0)).total, 0, "{hole}");
        assert_eq!(made.layer.matches(&point(0.5, 2.0)).total, 1, "{hole}");
        assert_eq!(
            made.layer.matches(&point(1.0, 2.0)).total,
            1,
            "its border, {hole}"
        );
    }
}

#[test]
fn a_height_minus_zero_is_found_at_zero() {
    let made = make(
        names(),
        &[feature(
            "{}",
            "Polygon",
            "[[[0,-1],[2,-0.0],[0,1],[-2,0],[0,-1]]]",
        )],
    );
    let made = made.unwrap();
    for y in [0.0, -0.0] {
        assert_eq!(made.layer.matches(&point(0.5, y)).total, 1, "{y}");
    }
}

const BOWTIE: &str = "[[[0,0],[4,4],[4,0],[0,4],[0,0]]]";
/// A square in a square, as two polygons of one feature.
const NESTED: &str = "[[[[0,0],[9,0],[9,9],[0,9],[0,0]]],[[[2,2],[4,2],[4,4],[2,4],[2,2]]]]";

#[test]
fn a_faulty_feature_is_mended_and_told_with_its_place() {
    let features = [
        square("good", 20.0, 0.0, 4.0),
        feature(r#"{"name":"bowtie"}"#, "Polygon", BOWTIE),
        feature(r#"{"name":"nested"}"#, "MultiPolygon", NESTED),
        feature(
            r#"{"name":"flat"}"#,
            "Polygon",
            "[[[0,0],[4,4],[0,0],[4,4],[0,0]]]",
        ),
        feature(
            r#"{"name":"open"}"#,
            "Polygon",
            "[[[0,0],[4,0],[4,4],[0,4]]]",
        ),
        r#"{"type":"Feature","properties":null,"geometry":null}"#.to_owned(),
    ];
    let made = make(names(), &features).unwrap();
    let told: Vec<String> = made.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "/features/1: self_intersection at 2 2 (part 0, ring 0) (mended)",
            "/features/2: nested_shells at 2 2 (part 1, ring 0) (mended)",
            "/features/3: collapsed at 0 0 (part 0, ring 0) (left out)",
            "/features/4: not_closed at 0 0 (left out)",
            "/features/5: it has no geometry (left out)",
        ]
    );
    assert_eq!((made.faults_total, made.layer.features()), (5, 3));
    let both = r#"{"zones":[{"name":"bowtie"},{"name":"nested"}]}"#;
    assert_eq!(joined(&made, &point(3.5, 2.0)), both);
    assert_eq!(
        joined(&made, &point(2.0, 3.5)),
        r#"{"zones":[{"name":"nested"}]}"#
    );
}

#[test]
fn a_faulty_feature_is_left_out_or_the_layer_refused_where_the_rules_say_so() {
    let features = [
        square("good", 0.0, 0.0, 4.0),
        feature("{}", "Polygon", BOWTIE),
    ];
    let rules = |faulty| LayerRules { faulty, ..names() };
    let made = make(rules(Faulty::LeaveOut), &features).unwrap();
    assert_eq!((made.layer.features(), made.faults[0].mended), (1, false));
    let refused = make(rules(Faulty::Refuse), &features).unwrap_err();
    let expected = "/features/1: self_intersection at 2 2 (part 0, ring 0)";
    assert_eq!(refused.to_string(), expected);
}

#[test]
fn faults_are_kept_to_a_limit_and_counted_beyond() {
    let many = vec![feature("{}", "LineString", "[[1,1],[1,1]]"); 150];
    let made = make(names(), &many).unwrap();
    assert_eq!((made.faults.len(), made.faults_total), (FAULTS_MAX, 150));
}

#[test]
fn what_is_no_layer_is_refused_and_says_why() {
    let file = |text: &str| {
        let mut builder = LayerBuilder::new("zones", LayerRules::default());
        builder.add_geojson(text.as_bytes()).unwrap_err()
    };
    let cut = collection(&[square("a", 0.0, 0.0, 4.0)]);
    assert!(matches!(
        file(&cut[..cut.len() - 9]),
        LayerError::NotGeoJson(_)
    ));
    assert!(matches!(
        file(r#"{"type":"Point","coordinates":[1,2]}"#),
        LayerError::NotGeoJson(_)
    ));
    assert!(matches!(file("\u{1}"), LayerError::NotGeoJson(_)));
    let short = collection(&[feature("{}", "Point", "[7]")]);
    let place = "A position must contain two or more elements, but got `1` at line 1";
    assert!(file(&short).to_string().contains(place), "{}", file(&short));
    let crs = r#""crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}}"#;
    let metres = format!(r#"{{"type":"FeatureCollection",{crs},"features":[]}}"#);
    assert_eq!(
        file(&metres),
        LayerError::Crs("urn:ogc:def:crs:EPSG::3857".to_owned())
    );
    let large = format!(r#"{{"name":"{}"}}"#, "x".repeat(PROPERTIES_BYTES_MAX));
    let large = collection(&[feature(&large, "Point", "[1,2]")]);
    assert!(matches!(
        file(&large),
        LayerError::PropertiesTooLarge { .. }
    ));
    let degrees = metres.replace("3857", "4326");
    let mut builder = LayerBuilder::new("zones", LayerRules::default());
    assert_eq!(builder.add_geojson(degrees.as_bytes()), Ok(()));
    let refused = builder.add_wkb("fid 1", None, "[]").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "fid 1: the properties are not a JSON object"
    );
}

#[test]
fn bytes_that_are_no_geometry_are_refused_and_an_empty_one_matches_nothing() {
    let nan = f64::NAN.to_le_bytes();
    let infinite = f64::INFINITY.to_le_bytes();
    let with = |numbers: [[u8; 8]; 2]| [&[1, 1, 0, 0, 0][..], &numbers.concat()].concat();
    assert!(matches!(
        Subject::of_wkb(b"\x01\x01"),
        Err(Unreadable::NotWkb(_))
    ));
    assert!(matches!(
        Subject::of_wkb(&with([infinite, nan])),
        Err(Unreadable::NotFinite)
    ));
    let made = make(names(), &[square("a", 0.0, 0.0, 4.0)]).unwrap();
    let empty = Subject::of_wkb(&[1, 7, 0, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!(made.layer.matches(&empty).total, 0);
}
