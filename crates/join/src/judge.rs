//! Whether a geometry is valid, by `ogc-validity`, and the first thing that is wrong.

use crate::part::{Part, parts_of};
use geo::{Coord, Geometry, Polygon};
use ogc_validity::{Judgement, Limits, Shape, ShapeKind, judge};

/// One fault is told: the feature is mended or replaced as a whole.
const LIMITS: Limits = Limits {
    faults_max: 1,
    work_max: None,
};

/// A geometry in flat tables.
struct Flat {
    kind: ShapeKind,
    coordinates: Vec<f64>,
    ring_ends: Vec<u32>,
    part_ends: Vec<u32>,
}

/// What is wrong with a geometry; none when it is valid.
pub(crate) fn first_fault(geometry: &Geometry<f64>) -> Option<String> {
    flattened(geometry).iter().find_map(Flat::first_fault)
}

/// Polygons of a multi-polygon are judged together; members of a collection, points and lines
/// each alone, because nothing is asked of them together.
fn flattened(geometry: &Geometry<f64>) -> Vec<Flat> {
    let (mut flats, mut rest) = (Vec::new(), vec![geometry]);
    while let Some(geometry) = rest.pop() {
        match geometry {
            Geometry::GeometryCollection(members) => rest.extend(members.0.iter().rev()),
            Geometry::MultiPolygon(polygons) => flats.push(Flat::of_polygons(&polygons.0)),
            Geometry::Point(_)
            | Geometry::Line(_)
            | Geometry::LineString(_)
            | Geometry::Polygon(_)
            | Geometry::MultiPoint(_)
            | Geometry::MultiLineString(_)
            | Geometry::Rect(_)
            | Geometry::Triangle(_) => flats.extend(parts_of(geometry).iter().map(Flat::of)),
        }
    }
    flats
}

impl Flat {
    fn of(part: &Part) -> Self {
        match part {
            Part::Point(point) => Self::of_line(ShapeKind::Point, &[*point]),
            Part::Line(line) => Self::of_line(ShapeKind::LineString, &line.0),
            Part::Area(area) => Self::of_polygons(std::slice::from_ref(area)),
        }
    }

    fn of_line(kind: ShapeKind, line: &[Coord<f64>]) -> Self {
        let mut flat = Self::new(kind);
        flat.ring(line);
        flat
    }

    fn of_polygons(polygons: &[Polygon<f64>]) -> Self {
        let mut flat = Self::new(ShapeKind::MultiPolygon);
        for polygon in polygons {
            flat.ring(&polygon.exterior().0);
            for hole in polygon.interiors() {
                flat.ring(&hole.0);
            }
            flat.part_ends.push(narrow(flat.ring_ends.len()));
        }
        flat
    }

    const fn new(kind: ShapeKind) -> Self {
        Self {
            kind,
            coordinates: Vec::new(),
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        }
    }

    fn ring(&mut self, ring: &[Coord<f64>]) {
        let numbers = ring.iter().flat_map(|coord| [coord.x, coord.y]);
        self.coordinates.extend(numbers);
        self.ring_ends.push(narrow(self.coordinates.len() / 2));
    }

    fn first_fault(&self) -> Option<String> {
        let shape = Shape {
            kind: self.kind,
            coordinates: &self.coordinates,
            stride: 2,
            ring_ends: &self.ring_ends,
            part_ends: &self.part_ends,
        };
        match judge(&shape, &LIMITS) {
            Ok(Judgement::Valid) => None,
            Ok(Judgement::Invalid(report)) => {
                let told = report.faults.first().map(|fault| {
                    let ([x, y], at) = (fault.location, fault.at);
                    let code = fault.kind.code();
                    format!("{code} at {x} {y} (part {}, ring {})", at.part, at.ring)
                });
                Some(told.unwrap_or_else(|| "not valid".to_owned()))
            }
            Ok(Judgement::Undecided { .. }) => Some("validity cannot be decided".to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// A layer has fewer vertices than 32 bits count; more would not be a shape.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
