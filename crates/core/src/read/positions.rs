//! Coordinates: nested arrays of numbers into flat tables, iteratively.

use super::Course;
use super::document::wrong_kind;
use super::geometry::Located;
use crate::code::Code;
use crate::geometry::Primitive;
use crate::json::{Kind, Table, Value};
use crate::pointer;
use crate::violation::{Report, Violation};
use ogc_validity::ShapeKind;

/// How many arrays stand around a position.
pub(super) const fn levels(kind: ShapeKind) -> usize {
    match kind {
        ShapeKind::Point => 0,
        ShapeKind::MultiPoint | ShapeKind::LineString => 1,
        ShapeKind::MultiLineString | ShapeKind::Polygon => 2,
        ShapeKind::MultiPolygon => 3,
    }
}

/// The fewest positions of a point, line or ring.
const fn fewest(kind: ShapeKind) -> u32 {
    match kind {
        ShapeKind::Point | ShapeKind::MultiPoint => 1,
        ShapeKind::LineString | ShapeKind::MultiLineString => 2,
        ShapeKind::Polygon | ShapeKind::MultiPolygon => 4,
    }
}

/// Reads the `coordinates` of a primitive; none when a fault leaves them unreadable.
pub(super) fn read(
    value: Value<'_>,
    pointer: String,
    kind: ShapeKind,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Option<Located> {
    if value.kind() != Kind::Array {
        report.push(wrong_kind(value, &pointer, "coordinates", "an array"));
        return None;
    }
    let mut reader = Reader {
        kind,
        primitive: Primitive {
            kind,
            coordinates: Vec::new(),
            stride: 0,
            ring_ends: Vec::new(),
            part_ends: Vec::new(),
        },
        offsets: Vec::new(),
        offsets_max: usize::try_from(course.vertices_left).unwrap_or(usize::MAX),
        beyond: 0,
        mixed: false,
        sound: true,
    };
    reader.walk(value, &pointer, report);
    reader.finish(value, pointer, course, report)
}

struct Reader {
    kind: ShapeKind,
    primitive: Primitive,
    offsets: Vec<usize>,
    /// Positions that the budget has room for.
    offsets_max: usize,
    /// What is charged besides the positions kept: those that the budget has no room for,
    /// and those that a ring or line is short of. It costs its judge as much without them.
    beyond: u64,
    mixed: bool,
    sound: bool,
}

impl Reader {
    fn walk(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) {
        match levels(self.kind) {
            0 => self.position(value, || pointer.to_owned(), report),
            1 => {
                self.sequence(value, pointer, report);
                self.end_ring();
            }
            2 => {
                self.rings(value, pointer, report);
                self.end_part();
            }
            _ => {
                for (index, part) in value.elements().enumerate() {
                    let at = pointer::element(pointer, index);
                    if self.is_array(part, &at, report) {
                        self.refuse_empty(part, &at, report);
                        self.rings(part, &at, report);
                        self.end_part();
                    }
                }
            }
        }
    }

    fn rings(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) {
        for (index, ring) in value.elements().enumerate() {
            let at = pointer::element(pointer, index);
            if self.is_array(ring, &at, report) {
                self.refuse_empty(ring, &at, report);
                self.sequence(ring, &at, report);
                self.end_ring();
            }
        }
    }

    /// An empty ring or line inside a geometry: RFC 7946 has none.
    fn refuse_empty(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) {
        if value.elements().next().is_none() {
            self.sound = false;
            report.push_with(Code::GeometryEmpty, || {
                let message = "an empty array stands where positions belong";
                Violation::new(Code::GeometryEmpty, message).at(pointer, value.start)
            });
        }
    }

    fn sequence(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) {
        if let Some(table) = value.as_table() {
            return self.keep_table(&table);
        }
        for (index, position) in value.elements().enumerate() {
            if position.kind() == Kind::Array {
                self.position(position, || pointer::element(pointer, index), report);
            } else {
                self.refuse_nesting(position, || pointer::element(pointer, index), report);
            }
        }
    }

    fn is_array(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) -> bool {
        let is = value.kind() == Kind::Array;
        if !is {
            self.refuse_nesting(value, || pointer.to_owned(), report);
        }
        is
    }

    fn refuse_nesting(
        &mut self,
        value: Value<'_>,
        pointer: impl Fn() -> String,
        report: &mut Report,
    ) {
        self.sound = false;
        report.push_with(Code::GeometryNesting, || {
            let message = format!(
                "{} stands where an array of {:?} belongs",
                value.kind().as_str(),
                self.kind
            );
            Violation::new(Code::GeometryNesting, message).at(pointer(), value.start)
        });
    }

    fn position(&mut self, value: Value<'_>, pointer: impl Fn() -> String, report: &mut Report) {
        let mut numbers = [0.0; 3];
        let mut count = 0;
        let mut fine = true;
        for element in value.elements() {
            match number(element) {
                Ok(number) => {
                    if let Some(slot) = numbers.get_mut(count) {
                        *slot = number;
                    }
                }
                Err(code) => {
                    fine = false;
                    report.push_with(code, || {
                        let at = pointer::element(&pointer(), count);
                        Violation::new(code, no_number(element)).at(at, element.start)
                    });
                    if code == Code::GeometryNesting {
                        self.sound = false;
                        return;
                    }
                }
            }
            count += 1;
        }
        if count == 0 && self.kind == ShapeKind::Point {
            return;
        }
        if !(2..=3).contains(&count) {
            fine = false;
            report.push_with(Code::GeometryPositionSize, || {
                let message = format!("a position of {count} numbers");
                Violation::new(Code::GeometryPositionSize, message).at(pointer(), value.start)
            });
        }
        if fine {
            self.keep(&numbers[..count], value.start);
        } else {
            self.sound = false;
        }
    }

    fn keep_table(&mut self, table: &Table<'_>) {
        let fits = table.starts.len() <= self.offsets_max.saturating_sub(self.offsets.len());
        let fresh = self.offsets.is_empty();
        if fits && (fresh || self.primitive.stride == table.stride) {
            self.primitive.stride = table.stride;
            self.primitive.coordinates.extend_from_slice(table.numbers);
            let offsets = table.starts.iter().map(|start| *start as usize);
            self.offsets.extend(offsets);
            return;
        }
        let positions = table.numbers.chunks_exact(table.stride);
        for (numbers, start) in positions.zip(table.starts) {
            self.keep(numbers, *start as usize);
        }
    }

    fn keep(&mut self, numbers: &[f64], offset: usize) {
        if self.offsets.len() >= self.offsets_max {
            self.beyond += 1;
            return;
        }
        if self.primitive.stride == 0 {
            self.primitive.stride = numbers.len();
        }
        if numbers.len() != self.primitive.stride && self.primitive.stride == 3 {
            self.drop_heights();
        }
        self.mixed |= numbers.len() != self.primitive.stride;
        self.primitive
            .coordinates
            .extend_from_slice(&numbers[..self.primitive.stride]);
        self.offsets.push(offset);
    }

    /// The first position without a height takes all heights away.
    fn drop_heights(&mut self) {
        let flat = self
            .primitive
            .coordinates
            .chunks_exact(3)
            .flat_map(|each| [each[0], each[1]]);
        self.primitive.coordinates = flat.collect();
        self.primitive.stride = 2;
        self.mixed = true;
    }

    fn end_ring(&mut self) {
        let end = u32::try_from(self.offsets.len()).unwrap_or(u32::MAX);
        if self.kind != ShapeKind::MultiPoint {
            let start = self.primitive.ring_ends.last().copied().unwrap_or(0);
            let positions = end.saturating_sub(start);
            self.beyond += u64::from(fewest(self.kind).saturating_sub(positions));
            self.primitive.ring_ends.push(end);
        }
    }

    fn end_part(&mut self) {
        let end = u32::try_from(self.primitive.ring_ends.len()).unwrap_or(u32::MAX);
        if matches!(self.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) {
            self.primitive.part_ends.push(end);
        }
    }

    fn finish(
        mut self,
        value: Value<'_>,
        pointer: String,
        course: &mut Course<'_>,
        report: &mut Report,
    ) -> Option<Located> {
        let read = (self.offsets.len() as u64).saturating_add(self.beyond);
        let spent = course.spend_vertices(read);
        if let Some(violation) = spent {
            report.push(violation.at(pointer, value.start));
            return None;
        }
        if !self.sound {
            return None;
        }
        if self.offsets.is_empty() {
            let message = "the geometry has no positions";
            report.push(Violation::new(Code::GeometryEmpty, message).at(pointer, value.start));
            return None;
        }
        if self.mixed {
            let message = "some positions have a height and some have none";
            report.push(
                Violation::new(Code::GeometryMixedDimensions, message)
                    .at(pointer.as_str(), value.start),
            );
        }
        if self.kind == ShapeKind::Point {
            self.primitive.ring_ends.clear();
        }
        Some(Located {
            primitive: self.primitive,
            pointer,
            start: value.start,
            offsets: self.offsets,
        })
    }
}

/// A finite number, or the code of why it is none.
fn number(element: Value<'_>) -> Result<f64, Code> {
    match element.kind() {
        Kind::Number => element
            .as_f64()
            .filter(|number| number.is_finite())
            .ok_or(Code::GeometryNumberRange),
        Kind::Array => Err(Code::GeometryNesting),
        Kind::Object | Kind::String | Kind::Bool | Kind::Null => Err(Code::GeometryNumberExpected),
    }
}

/// Why it is no finite number, in words.
fn no_number(element: Value<'_>) -> String {
    match element.kind() {
        Kind::Number => {
            let text = super::document::clip(element.raw());
            format!("`{text}` is beyond what a double holds")
        }
        other @ (Kind::Array | Kind::Object | Kind::String | Kind::Bool | Kind::Null) => {
            format!("{} stands where a number belongs", other.as_str())
        }
    }
}
