//! What takes a body in: ours to the end, and the peers as far as they go.

use geo::{Coord, Geometry, LineString, MultiPolygon, Point, Polygon, Validation};
use geojson::{GeoJson, GeometryValue, Position};
use hexlane_core::judge::{Entry, Format, Request, judge};
use hexlane_core::lane::ShardMap;
use hexlane_core::limits::Limits;
use hexlane_core::source::{Source, SourceSettings};
use serde_json::Value;
use std::error::Error;
use std::hint::black_box;

type Came = Result<usize, Box<dyn Error>>;

/// 2027-01-15T08:00:00Z.
const NOW_US: i64 = 1_800_000_000_000_000;

/// No row is about being refused for its size.
const LIMITS: Limits = Limits {
    work_max: 1_000_000_000,
    ..Limits::for_files()
};

/// A source without a rule of its own.
pub(crate) fn source() -> Result<Source, Box<dyn Error>> {
    let settings: SourceSettings = serde_json::from_str(r#"{"auth":"none"}"#)?;
    Ok(settings.resolve("bench", |_| None)?)
}

/// Bytes, verdict, lane, encoded envelope; how many of those.
pub(crate) fn ours(source: &Source, body: &[u8]) -> Came {
    let request = Request {
        source,
        body,
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: NOW_US,
    };
    let judged = judge(&request, &LIMITS, ShardMap::default());
    if !judged.is_good() {
        return Err(format!("refused: {:?}", judged.report.violations().first()).into());
    }
    let mut events = 0;
    for entry in &judged.entries {
        match entry {
            Entry::Event(envelope) => {
                black_box(envelope.encode());
                events += 1;
            }
            Entry::DuplicateOf(_) | Entry::Refused => return Err("not an event".into()),
        }
    }
    Ok(events)
}

/// A tree of values, from the same slice; how many features.
pub(crate) fn value(_: &Source, body: &[u8]) -> Came {
    let value: Value = black_box(serde_json::from_slice(body)?);
    Ok(value["features"].as_array().map_or(1, Vec::len))
}

/// Parsed, made shapes and validated; how many features.
pub(crate) fn geojson(_: &Source, body: &[u8]) -> Came {
    shapes(body, Validation::is_valid)
}

/// Parsed and made shapes; how many features.
pub(crate) fn parsed(_: &Source, body: &[u8]) -> Came {
    shapes(body, |_| true)
}

fn shapes(body: &[u8], is_valid: impl Fn(&Geometry) -> bool) -> Came {
    let features = match GeoJson::from_reader(body)? {
        GeoJson::FeatureCollection(collection) => collection.features,
        GeoJson::Feature(feature) => vec![feature],
        GeoJson::Geometry(_) => return Err("a bare geometry".into()),
    };
    let mut count = 0;
    for feature in features {
        let geometry = feature.geometry.ok_or("no geometry")?;
        let shape = shape(&geometry.value).ok_or("a type that no body has")?;
        if !is_valid(black_box(&shape)) {
            return Err("not valid".into());
        }
        count += 1;
    }
    Ok(count)
}

/// As the crate's own conversion makes it; that one would lock four more versions of `rstar`.
fn shape(value: &GeometryValue) -> Option<Geometry> {
    let coord = |position: &Position| Coord {
        x: position[0],
        y: position[1],
    };
    let ring = |ring: &Vec<Position>| LineString::new(ring.iter().map(coord).collect());
    let polygon = |rings: &Vec<Vec<Position>>| {
        let mut rings = rings.iter().map(ring);
        let shell = rings.next()?;
        Some(Polygon::new(shell, rings.collect()))
    };
    match value {
        GeometryValue::Point { coordinates } => Some(Point(coord(coordinates)).into()),
        GeometryValue::Polygon { coordinates } => polygon(coordinates).map(Into::into),
        GeometryValue::MultiPolygon { coordinates } => {
            let parts: Option<Vec<Polygon>> = coordinates.iter().map(polygon).collect();
            Some(MultiPolygon::new(parts?).into())
        }
        GeometryValue::MultiPoint { .. }
        | GeometryValue::LineString { .. }
        | GeometryValue::MultiLineString { .. }
        | GeometryValue::GeometryCollection { .. } => None,
    }
}
