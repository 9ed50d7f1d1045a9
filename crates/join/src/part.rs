//! A geometry taken apart into points, lines and polygons: what is left to be decided once
//! boxes meet.
//!
//! Two connected parts whose boundaries do not meet are apart, or one lies in the other: then
//! so does any one of its vertices. The tests themselves are geo's, which are exact.

use crate::edges::Edges;
use crate::subject::{Bounds, bounds_of};
use geo::indexed::IntervalTreeMultiPolygon;
use geo::orient::Direction;
use geo::{
    Contains, Coord, Geometry, Intersects, Line, LineString, LinesIter, MultiPolygon, Orient,
    Point, Polygon,
};

/// A point, a line or a polygon.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Point(Coord<f64>),
    Line(LineString<f64>),
    Area(Polygon<f64>),
}

/// The parts of a geometry that are not empty. Without recursion: a collection may nest.
pub(crate) fn parts_of(geometry: &Geometry<f64>) -> Vec<Part> {
    let (mut parts, mut rest) = (Vec::new(), vec![geometry.clone()]);
    while let Some(geometry) = rest.pop() {
        match geometry {
            Geometry::Point(point) => parts.push(Part::Point(point.0)),
            Geometry::Line(line) => parts.push(Part::Line(line.into())),
            Geometry::LineString(line) => parts.push(Part::Line(line)),
            Geometry::Polygon(polygon) => parts.push(Part::Area(polygon)),
            Geometry::MultiPoint(points) => {
                parts.extend(points.into_iter().map(|point| Part::Point(point.0)));
            }
            Geometry::MultiLineString(lines) => parts.extend(lines.into_iter().map(Part::Line)),
            Geometry::MultiPolygon(areas) => parts.extend(areas.into_iter().map(Part::Area)),
            Geometry::GeometryCollection(members) => rest.extend(members.0.into_iter().rev()),
            Geometry::Rect(rect) => parts.push(Part::Area(rect.to_polygon())),
            Geometry::Triangle(triangle) => parts.push(Part::Area(triangle.to_polygon())),
        }
    }
    parts.retain(|part| part.first().is_some());
    parts
}

impl Part {
    /// Any one of its vertices.
    fn first(&self) -> Option<Coord<f64>> {
        match self {
            Self::Point(point) => Some(*point),
            Self::Line(line) => line.0.first().copied(),
            Self::Area(area) => area.exterior().0.first().copied(),
        }
    }

    fn lines(&self) -> Box<dyn Iterator<Item = Line<f64>> + '_> {
        match self {
            Self::Point(_) => Box::new(std::iter::empty()),
            Self::Line(line) => Box::new(line.lines_iter()),
            Self::Area(area) => Box::new(area.lines_iter()),
        }
    }

    fn covers_point(&self, point: Coord<f64>) -> bool {
        match self {
            Self::Point(own) => *own == point,
            Self::Line(line) => line.intersects(&point),
            Self::Area(area) => area.intersects(&point),
        }
    }

    pub(crate) fn bounds(&self) -> Option<Bounds> {
        bounds_of(&match self {
            Self::Point(point) => Geometry::Point(Point(*point)),
            Self::Line(line) => Geometry::LineString(line.clone()),
            Self::Area(area) => Geometry::Polygon(area.clone()),
        })
    }
}

/// A part of a reference feature, with what makes asking it cheap.
pub(crate) struct IndexedPart {
    first: Option<Coord<f64>>,
    edges: Edges,
    kind: Kind,
}

enum Kind {
    Point,
    Line,
    Area(IntervalTreeMultiPolygon<f64>),
}

impl IndexedPart {
    pub(crate) fn new(part: &Part) -> Self {
        Self {
            first: part.first(),
            edges: Edges::new(part.lines()),
            kind: match part {
                Part::Point(_) => Kind::Point,
                Part::Line(_) => Kind::Line,
                Part::Area(area) => {
                    // The tree counts windings, so a hole must run against its shell.
                    let oriented = area.orient(Direction::Default);
                    Kind::Area(IntervalTreeMultiPolygon::new(&MultiPolygon(vec![oriented])))
                }
            },
        }
    }

    /// Whether they have a point in common.
    pub(crate) fn intersects(&self, other: &Part) -> bool {
        if let Part::Point(point) = other {
            return self.covers_point(*point);
        }
        other.lines().any(|line| self.edges.touch_line(&line))
            || other.first().is_some_and(|point| self.covers_point(point))
            || self.first.is_some_and(|point| other.covers_point(point))
    }

    fn covers_point(&self, point: Coord<f64>) -> bool {
        match &self.kind {
            Kind::Point => self.first == Some(point),
            Kind::Line => self.edges.touch_point(point),
            Kind::Area(_) => self.holds_point(point) || self.edges.touch_point(point),
        }
    }

    /// Whether a point is inside, where a part has an inside.
    pub(crate) fn holds_point(&self, point: Coord<f64>) -> bool {
        match &self.kind {
            Kind::Point | Kind::Line => false,
            Kind::Area(inside) => inside.contains(&point),
        }
    }
}
