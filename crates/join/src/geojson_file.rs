//! A GeoJSON file as reference features (RFC 7946). The whole file or nothing: what does not
//! parse may be half written.

use crate::fault::LayerError;
use geo::{Coord, Geometry, GeometryCollection, LineString, MultiLineString};
use geo::{MultiPoint, MultiPolygon, Point, Polygon};
use geojson::{GeoJson, GeometryValue, Position};
use serde_json::{Map, Value};

/// Names of the 2008 `crs` member that mean degrees, longitude first.
const DEGREES: [&str; 4] = [
    "urn:ogc:def:crs:OGC:1.3:CRS84",
    "urn:ogc:def:crs:OGC::CRS84",
    "urn:ogc:def:crs:EPSG::4326",
    "EPSG:4326",
];

/// A feature as it stands in the file.
pub(crate) struct FileFeature {
    /// Or what is wrong with it.
    pub(crate) geometry: Result<Geometry<f64>, String>,
    pub(crate) properties: Map<String, Value>,
}

/// The features of a file, each with its JSON Pointer.
pub(crate) fn features(
    text: &[u8],
) -> Result<impl Iterator<Item = (String, FileFeature)>, LayerError> {
    let parsed: GeoJson = serde_json::from_slice(text)
        .map_err(|error: serde_json::Error| LayerError::NotGeoJson(error.to_string()))?;
    let GeoJson::FeatureCollection(collection) = parsed else {
        let found = "it is a single feature or geometry".to_owned();
        return Err(LayerError::NotGeoJson(found));
    };
    check_crs(collection.foreign_members.as_ref())?;
    let features = collection.features.into_iter().enumerate();
    Ok(features.map(|(number, feature)| {
        let geometry = feature.geometry.map_or_else(
            || Err("it has no geometry".to_owned()),
            |geometry| geometry_of(&geometry.value),
        );
        let properties = feature.properties.unwrap_or_default();
        let feature = FileFeature {
            geometry,
            properties,
        };
        (format!("/features/{number}"), feature)
    }))
}

fn check_crs(members: Option<&Map<String, Value>>) -> Result<(), LayerError> {
    let Some(crs) = members.and_then(|members| members.get("crs")) else {
        return Ok(());
    };
    let name = crs.pointer("/properties/name").and_then(Value::as_str);
    if crs.is_null() || name.is_some_and(|name| DEGREES.contains(&name)) {
        return Ok(());
    }
    Err(LayerError::Crs(
        name.map_or_else(|| crs.to_string(), str::to_owned),
    ))
}

/// The geometry in the plane. The parser bounds how deep collections nest.
fn geometry_of(value: &GeometryValue) -> Result<Geometry<f64>, String> {
    Ok(match value {
        GeometryValue::Point { coordinates } => Point(coord(coordinates)?).into(),
        GeometryValue::MultiPoint { coordinates } => {
            let points: Result<Vec<_>, String> = coordinates.iter().map(coord).collect();
            MultiPoint(points?.into_iter().map(Point).collect()).into()
        }
        GeometryValue::LineString { coordinates } => line(coordinates)?.into(),
        GeometryValue::MultiLineString { coordinates } => {
            let lines: Result<_, String> = coordinates.iter().map(|each| line(each)).collect();
            MultiLineString(lines?).into()
        }
        GeometryValue::Polygon { coordinates } => polygon(coordinates)?.into(),
        GeometryValue::MultiPolygon { coordinates } => {
            let polygons: Result<_, String> =
                coordinates.iter().map(|each| polygon(each)).collect();
            MultiPolygon(polygons?).into()
        }
        GeometryValue::GeometryCollection { geometries } => {
            let members = geometries.iter().map(|each| geometry_of(&each.value));
            Geometry::GeometryCollection(GeometryCollection(
                members.collect::<Result<_, String>>()?,
            ))
        }
    })
}

fn coord(position: &Position) -> Result<Coord<f64>, String> {
    match position.as_slice() {
        [x, y, ..] => Ok(Coord { x: *x, y: *y }),
        _ => Err("a position has fewer than two numbers".to_owned()),
    }
}

fn line(positions: &[Position]) -> Result<LineString<f64>, String> {
    positions
        .iter()
        .map(coord)
        .collect::<Result<_, _>>()
        .map(LineString)
}

/// Rings are not closed silently: what is missing may be more than a position.
fn ring(positions: &[Position]) -> Result<LineString<f64>, String> {
    let ring = line(positions)?;
    if ring.is_closed() {
        return Ok(ring);
    }
    let (x, y) = ring
        .0
        .first()
        .map_or((0.0, 0.0), |first| (first.x, first.y));
    Err(format!("not_closed at {x} {y}"))
}

fn polygon(rings: &[Vec<Position>]) -> Result<Polygon<f64>, String> {
    let mut rings = rings.iter().map(|each| ring(each));
    let shell = rings.next().unwrap_or_else(|| Ok(LineString(Vec::new())))?;
    Ok(Polygon::new(shell, rings.collect::<Result<_, _>>()?))
}
