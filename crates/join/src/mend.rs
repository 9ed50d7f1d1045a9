//! Making the polygons of a reference feature valid: each by itself by the even-odd rule, so
//! that a ring that crosses itself keeps what an odd number of turns encloses; then all of
//! them united, so that parts that overlap or lie in each other are one area.

use crate::judge::first_fault;
use geo::orient::Direction;
use geo::{Geometry, MakeValid, MultiPolygon, Orient, Polygon, unary_union};
use std::panic::catch_unwind;

/// The geometry, valid; none when it is no polygon, cannot be mended, or nothing is left.
pub(crate) fn mended(geometry: &Geometry<f64>) -> Option<Geometry<f64>> {
    let polygons = polygons_of(geometry)?;
    // Third-party geometry code on geometry that is known to be bad.
    let valid = catch_unwind(|| each_mended(&polygons)).ok()??;
    accepted(valid.clone()).or_else(|| {
        let united = catch_unwind(|| unary_union(&valid.orient(Direction::Default))).ok()?;
        accepted(united)
    })
}

fn polygons_of(geometry: &Geometry<f64>) -> Option<Vec<Polygon<f64>>> {
    match geometry {
        Geometry::Polygon(polygon) => Some(vec![polygon.clone()]),
        Geometry::MultiPolygon(polygons) => Some(polygons.0.clone()),
        Geometry::Point(_)
        | Geometry::Line(_)
        | Geometry::LineString(_)
        | Geometry::MultiPoint(_)
        | Geometry::MultiLineString(_)
        | Geometry::GeometryCollection(_)
        | Geometry::Rect(_)
        | Geometry::Triangle(_) => None,
    }
}

fn each_mended(polygons: &[Polygon<f64>]) -> Option<MultiPolygon<f64>> {
    let mut valid = Vec::new();
    for polygon in polygons {
        valid.extend(polygon.make_valid().ok()?.0);
    }
    Some(MultiPolygon(valid))
}

fn accepted(polygons: MultiPolygon<f64>) -> Option<Geometry<f64>> {
    let geometry = Geometry::MultiPolygon(polygons);
    let is_empty = matches!(&geometry, Geometry::MultiPolygon(polygons) if polygons.0.is_empty());
    (!is_empty && first_fault(&geometry).is_none()).then_some(geometry)
}
