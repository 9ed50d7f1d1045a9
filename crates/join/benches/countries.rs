//! Points over the earth joined with the countries, beside a search without an index.
//!
//! Needs the test data of `npm ci`; says so where it is absent.
#![allow(
    clippy::expect_used,
    missing_docs,
    reason = "a bench fails by panicking"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use geo::{Geometry, Intersects, Point};
use hexlane_join::{LayerBuilder, LayerRules, Subject, document};
use std::hint::black_box;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../node_modules/@geo-maps/countries-land-10km/map.geo.json"
);
const POINTS: u32 = 10_000;

/// Points spread evenly over the globe's degrees, the same each time.
fn points() -> Vec<[f64; 2]> {
    let spread = |number: u32, ratio: f64| (f64::from(number) * ratio).fract();
    let point = |number| {
        let (x, y) = (spread(number, 0.754_877_666), spread(number, 0.569_840_291));
        [x * 360.0 - 180.0, y * 170.0 - 85.0]
    };
    (0..POINTS).map(point).collect()
}

fn wkb_of(point: [f64; 2]) -> Vec<u8> {
    let mut bytes = vec![1, 1, 0, 0, 0];
    bytes.extend(point.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

fn countries(criterion: &mut Criterion) {
    let Ok(text) = std::fs::read(FILE) else {
        eprintln!("{FILE} is absent: `npm ci` brings it");
        return;
    };
    let mut builder = LayerBuilder::new("countries", LayerRules::default());
    builder.add_geojson(&text).expect("the countries");
    let made = builder.build();
    let (layer, faults) = (made.layer, made.faults_total);
    eprintln!("{} countries, {faults} of them faulty", layer.features());
    let events: Vec<Vec<u8>> = points().into_iter().map(wkb_of).collect();
    let mut group = criterion.benchmark_group("countries");
    group.throughput(Throughput::Elements(u64::from(POINTS)));
    group.bench_function("joined", |bencher| {
        bencher.iter(|| {
            for event in &events {
                let subject = Subject::of_wkb(event).expect("a point");
                black_box(document([("countries", layer.matches(&subject))]));
            }
        });
    });
    let shapes: Vec<Geometry<f64>> = geometries(&text);
    group.sample_size(10);
    group.bench_function("searched", |bencher| {
        bencher.iter(|| {
            for [x, y] in points() {
                let point = Point::new(x, y);
                black_box(
                    shapes
                        .iter()
                        .filter(|shape| shape.intersects(&point))
                        .count(),
                );
            }
        });
    });
    group.finish();
}

/// The countries as geo has them, by way of a second reader.
fn geometries(text: &[u8]) -> Vec<Geometry<f64>> {
    let parsed: serde_json::Value = serde_json::from_slice(text).expect("JSON");
    let features = parsed["features"].as_array().expect("features");
    let areas = features.iter().map(|feature| {
        let coordinates = feature["geometry"]["coordinates"].clone();
        let polygons: Vec<Vec<Vec<[f64; 2]>>> = match feature["geometry"]["type"].as_str() {
            Some("Polygon") => vec![serde_json::from_value(coordinates).expect("rings")],
            _ => serde_json::from_value(coordinates).expect("polygons"),
        };
        let ring = |ring: &Vec<[f64; 2]>| geo::LineString::from(ring.clone());
        let polygons = polygons.iter().map(|rings| {
            let mut rings = rings.iter().map(ring);
            geo::Polygon::new(rings.next().expect("a shell"), rings.collect())
        });
        Geometry::MultiPolygon(polygons.collect())
    });
    areas.collect()
}

criterion_group!(benches, countries);
criterion_main!(benches);
