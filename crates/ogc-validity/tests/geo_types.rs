//! Geometries of `geo-types` are judged as what they are.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use geo_types::{
    Geometry, GeometryCollection, Line, LineString, MultiLineString, MultiPoint, MultiPolygon,
    Point, Polygon, Rect, Triangle, coord,
};
use ogc_validity::{FaultKind, IsCollection, Judgement, Limits, OwnedShape, Place, judge};

fn ring(corners: &[(f64, f64)]) -> LineString<f64> {
    LineString::from(corners.to_vec())
}

fn faults(shape: &OwnedShape) -> Vec<(FaultKind, Place)> {
    match judge(&shape.as_shape(), &Limits::default()).unwrap() {
        Judgement::Valid | Judgement::Undecided { .. } => vec![],
        Judgement::Invalid(report) => report
            .faults
            .iter()
            .map(|fault| (fault.kind, fault.at))
            .collect(),
    }
}

const SQUARE: [(f64, f64); 5] = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0), (0.0, 0.0)];
const BOWTIE: [(f64, f64); 5] = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0), (0.0, 0.0)];

#[test]
fn a_fault_is_told_with_its_part_ring_and_vertex() {
    let outside = ring(&[(20.0, 1.0), (21.0, 1.0), (21.0, 2.0), (20.0, 1.0)]);
    let parts = MultiPolygon(vec![
        Polygon::new(ring(&[(30.0, 0.0), (31.0, 0.0), (31.0, 1.0)]), vec![]),
        Polygon::new(ring(&SQUARE), vec![ring(&BOWTIE), outside]),
    ]);
    let place = |ring| Place {
        part: 1,
        ring,
        vertex: 0,
    };
    let told = faults(&OwnedShape::from(&parts));
    assert!(
        told.contains(&(FaultKind::HoleOutsideShell, place(2))),
        "{told:?}"
    );
    assert!(
        told.contains(&(FaultKind::SelfIntersection, place(1))),
        "{told:?}"
    );
    let alone = Polygon::new(ring(&BOWTIE), vec![]);
    assert_eq!(faults(&OwnedShape::from(&alone)).len(), 1);
}

#[test]
fn a_ring_that_was_open_is_closed_before_it_can_be_judged() {
    let open = Polygon::new(ring(&SQUARE[..4]), vec![]);
    assert_eq!(faults(&OwnedShape::from(&open)), []);
}

#[test]
fn every_kind_but_a_collection_is_one_shape() {
    let line = ring(&[(0.0, 0.0), (1.0, 1.0)]);
    let (low, high) = (coord! {x: 0.0, y: 0.0}, coord! {x: 1.0, y: 2.0});
    let geometries: Vec<Geometry<f64>> = vec![
        Point::new(1.0, 2.0).into(),
        MultiPoint(vec![Point::new(1.0, 2.0), Point::new(1.0, 2.0)]).into(),
        Line::new(low, high).into(),
        line.clone().into(),
        MultiLineString(vec![line.clone(), line]).into(),
        Polygon::new(ring(&SQUARE), vec![]).into(),
        MultiPolygon(vec![Polygon::new(ring(&SQUARE), vec![])]).into(),
        Rect::new(low, high).into(),
        Triangle::new(low, high, coord! {x: 5.0, y: 0.0}).into(),
        MultiPolygon::<f64>(vec![]).into(),
        Polygon::<f64>::new(ring(&[]), vec![]).into(),
    ];
    for geometry in &geometries {
        let shape = OwnedShape::try_from(geometry).unwrap();
        assert_eq!(
            judge(&shape.as_shape(), &Limits::default()),
            Ok(Judgement::Valid),
            "{geometry:?}"
        );
    }
    let collection = Geometry::GeometryCollection(GeometryCollection(geometries));
    assert_eq!(OwnedShape::try_from(&collection), Err(IsCollection));
    let short = faults(&OwnedShape::from(&ring(&[(1.0, 1.0), (1.0, 1.0)])));
    assert_eq!(
        short.first().map(|fault| fault.0),
        Some(FaultKind::TooFewPoints)
    );
    let infinite = faults(&OwnedShape::from(&Point::new(f64::INFINITY, 0.0)));
    assert_eq!(
        infinite.first().map(|fault| fault.0),
        Some(FaultKind::NonFinite)
    );
}
