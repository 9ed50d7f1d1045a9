//! A layer answers as a search of every feature does, whatever the geometries.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use geo::{
    Contains, Coord, Geometry, Intersects, LineString, MultiPoint, MultiPolygon, Point, Polygon,
};
use hexlane_join::{Faulty, LayerBuilder, LayerRules, Made, Predicate, Subject};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn wkb_of(geometry: &Geometry<f64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    wkb::writer::write_geometry(&mut bytes, geometry, &wkb::writer::WriteOptions::default())
        .unwrap();
    bytes
}

/// On a small grid, so that borders and corners meet often.
fn coord() -> impl Strategy<Value = Coord<f64>> {
    (0..12_i32, 0..12_i32).prop_map(|(x, y)| Coord {
        x: f64::from(x) / 2.0,
        y: f64::from(y) / 2.0,
    })
}

/// A box with a box cut out of it, or a ring of any turns.
fn polygon() -> impl Strategy<Value = Polygon<f64>> {
    let ring = |corners: [(f64, f64); 4]| {
        let [a, b, c, d] = corners;
        LineString::from(vec![a, b, c, d, a])
    };
    let framed = (coord(), 2..6_i32).prop_map(move |(at, side)| {
        let (x, y, side) = (at.x, at.y, f64::from(side));
        let square = |inset: f64| {
            let (low, high) = (inset, side - inset);
            [
                (x + low, y + low),
                (x + high, y + low),
                (x + high, y + high),
                (x + low, y + high),
            ]
        };
        Polygon::new(ring(square(0.0)), vec![ring(square(0.5))])
    });
    let any = proptest::collection::vec(coord(), 3..7).prop_map(|mut ring| {
        ring.push(ring[0]);
        Polygon::new(LineString(ring), Vec::new())
    });
    prop_oneof![framed, any]
}

fn geometry() -> impl Strategy<Value = Geometry<f64>> {
    prop_oneof![
        coord().prop_map(|coord| Geometry::Point(Point(coord))),
        proptest::collection::vec(coord(), 1..4)
            .prop_map(|all| Geometry::MultiPoint(MultiPoint(all.into_iter().map(Point).collect()))),
        proptest::collection::vec(coord(), 2..5)
            .prop_map(|line| Geometry::LineString(LineString(line))),
        polygon().prop_map(Geometry::Polygon),
        proptest::collection::vec(polygon(), 1..3)
            .prop_map(|polygons| Geometry::MultiPolygon(MultiPolygon(polygons))),
    ]
}

fn layer(predicate: Predicate, geometries: &[Geometry<f64>]) -> Made {
    let rules = LayerRules {
        predicate,
        faulty: Faulty::LeaveOut,
        matches_max: 1_000,
        properties: None,
    };
    let mut builder = LayerBuilder::new("zones", rules);
    for (number, geometry) in geometries.iter().enumerate() {
        let (place, properties) = (number.to_string(), format!(r#"{{"n":{number}}}"#));
        builder
            .add_wkb(&place, Some(&wkb_of(geometry)), &properties)
            .unwrap();
    }
    builder.build()
}

/// The numbers of those that are valid.
fn valid(made: &Made, count: usize) -> BTreeSet<usize> {
    let faulty = made.faults.iter().map(|fault| fault.place.parse().unwrap());
    let faulty: BTreeSet<usize> = faulty.collect();
    (0..count)
        .filter(|number| !faulty.contains(number))
        .collect()
}

fn found(made: &Made, event: &Geometry<f64>) -> Vec<String> {
    let subject = Subject::of_wkb(&wkb_of(event)).unwrap();
    let matches = made.layer.matches(&subject);
    assert_eq!(matches.total, matches.kept.len());
    matches.kept.into_iter().map(str::to_owned).collect()
}

fn expected(
    features: &[Geometry<f64>],
    valid: &BTreeSet<usize>,
    holds: impl Fn(&Geometry<f64>) -> bool,
) -> Vec<String> {
    let matching = valid.iter().filter(|number| holds(&features[**number]));
    matching
        .map(|number| format!(r#"{{"n":{number}}}"#))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn a_layer_finds_what_a_search_finds(
        features in proptest::collection::vec(geometry(), 1..30),
        events in proptest::collection::vec(geometry(), 1..20),
    ) {
        let intersecting = layer(Predicate::Intersects, &features);
        let containing = layer(Predicate::Contains, &features);
        let valid_features = valid(&intersecting, features.len());
        // An event was judged at the door.
        let judged = valid(&layer(Predicate::Intersects, &events), events.len());
        for event in judged.iter().map(|number| &events[*number]) {
            let intersects = expected(&features, &valid_features, |each| each.intersects(event));
            prop_assert_eq!(found(&intersecting, event), intersects, "{:?}", event);
            let contains = expected(&features, &valid_features, |each| each.contains(event));
            prop_assert_eq!(found(&containing, event), contains, "{:?}", event);
        }
    }

    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let _answer = Subject::of_wkb(&bytes);
        let mut builder = LayerBuilder::new("zones", LayerRules::default());
        let _geojson = builder.add_geojson(&bytes);
        let _wkb = builder.add_wkb("fid 1", Some(&bytes), "{}");
    }

    #[test]
    fn a_mended_layer_is_made_of_anything(
        features in proptest::collection::vec(geometry(), 1..20), event in geometry(),
    ) {
        let mut builder = LayerBuilder::new("zones", LayerRules::default());
        for geometry in &features {
            builder.add_wkb("any", Some(&wkb_of(geometry)), "{}").unwrap();
        }
        let made = builder.build();
        let left_out = made.faults.iter().filter(|fault| !fault.mended).count();
        prop_assert_eq!(made.layer.features() + left_out, features.len());
        let _answer = made.layer.matches(&Subject::of_wkb(&wkb_of(&event)).unwrap());
    }
}
