//! Geometries of `geo-types`, copied into flat arrays.
//!
//! **`geo_types::Polygon::new` closes open rings without a word**, and so do its kin: an open ring that was sent is gone
//! by the time such a polygon exists, and no judge finds it. What comes from outside is to be judged before, as a
//! [`Shape`](crate::Shape) over the numbers that were sent. These conversions are for what is at home in `geo-types`
//! already. It knows x and y only.

use std::fmt;

use geo_types::{
    Coord, Geometry, Line, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon,
    Rect, Triangle,
};

use crate::narrow;
use crate::owned::OwnedShape;
use crate::shape::ShapeKind;

/// A collection is no one shape: its members are judged one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsCollection;

impl fmt::Display for IsCollection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a geometry collection is not one shape")
    }
}

impl std::error::Error for IsCollection {}

impl OwnedShape {
    fn empty(kind: ShapeKind) -> Self {
        Self {
            kind,
            coordinates: Vec::new(),
            stride: 2,
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        }
    }

    fn position(&mut self, position: Coord<f64>) {
        self.coordinates.extend([position.x, position.y]);
    }

    /// A ring or a line.
    fn ring(&mut self, ring: &LineString<f64>) {
        for position in &ring.0 {
            self.position(*position);
        }
        self.ring_ends.push(narrow(self.coordinates.len() / 2));
    }

    fn part(&mut self, polygon: &Polygon<f64>) {
        self.ring(polygon.exterior());
        for hole in polygon.interiors() {
            self.ring(hole);
        }
        self.part_ends.push(narrow(self.ring_ends.len()));
    }
}

impl From<&Point<f64>> for OwnedShape {
    fn from(point: &Point<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::Point);
        shape.position(point.0);
        shape
    }
}

impl From<&MultiPoint<f64>> for OwnedShape {
    fn from(points: &MultiPoint<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::MultiPoint);
        for point in points {
            shape.position(point.0);
        }
        shape
    }
}

impl From<&Line<f64>> for OwnedShape {
    fn from(line: &Line<f64>) -> Self {
        Self::from(&LineString::from(line))
    }
}

impl From<&LineString<f64>> for OwnedShape {
    fn from(line: &LineString<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::LineString);
        shape.ring(line);
        shape
    }
}

impl From<&MultiLineString<f64>> for OwnedShape {
    fn from(lines: &MultiLineString<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::MultiLineString);
        for line in lines {
            shape.ring(line);
        }
        shape
    }
}

impl From<&Polygon<f64>> for OwnedShape {
    fn from(polygon: &Polygon<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::Polygon);
        shape.part(polygon);
        shape
    }
}

impl From<&MultiPolygon<f64>> for OwnedShape {
    fn from(polygons: &MultiPolygon<f64>) -> Self {
        let mut shape = Self::empty(ShapeKind::MultiPolygon);
        for polygon in polygons {
            shape.part(polygon);
        }
        shape
    }
}

impl From<&Rect<f64>> for OwnedShape {
    fn from(rect: &Rect<f64>) -> Self {
        Self::from(&rect.to_polygon())
    }
}

impl From<&Triangle<f64>> for OwnedShape {
    fn from(triangle: &Triangle<f64>) -> Self {
        Self::from(&triangle.to_polygon())
    }
}

impl TryFrom<&Geometry<f64>> for OwnedShape {
    type Error = IsCollection;

    fn try_from(geometry: &Geometry<f64>) -> Result<Self, IsCollection> {
        Ok(match geometry {
            Geometry::Point(point) => point.into(),
            Geometry::MultiPoint(points) => points.into(),
            Geometry::Line(line) => line.into(),
            Geometry::LineString(line) => line.into(),
            Geometry::MultiLineString(lines) => lines.into(),
            Geometry::Polygon(polygon) => polygon.into(),
            Geometry::MultiPolygon(polygons) => polygons.into(),
            Geometry::Rect(rect) => rect.into(),
            Geometry::Triangle(triangle) => triangle.into(),
            Geometry::GeometryCollection(_) => return Err(IsCollection),
        })
    }
}
