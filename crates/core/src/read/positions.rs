//! Coordinates: nested arrays of numbers into flat tables, iteratively.

use super::Course;
use super::document::wrong_kind;
use super::located::{Located, Source};
use crate::code::Code;
use crate::geometry::Primitive;
use crate::json::{Kind, Table, Tables, Value};
use crate::pointer;
use crate::violation::{Report, Violation};
use ogc_validity::ShapeKind;
use std::ops::Range;

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
pub(super) fn read<'a>(
    value: Value<'a>,
    pointer: String,
    kind: ShapeKind,
    course: &mut Course<'_>,
    report: &mut Report,
) -> Option<Located<'a>> {
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
        tables: value.tables(),
        run: 0..0,
        positions: 0,
        sources: Vec::new(),
        strays: Vec::new(),
        positions_max: usize::try_from(course.vertices_left).unwrap_or(usize::MAX),
        beyond: 0,
        mixed: false,
        sound: true,
    };
    reader.walk(value, &pointer, report);
    reader.finish(value, pointer, course, report)
}

struct Reader<'a> {
    kind: ShapeKind,
    primitive: Primitive,
    tables: &'a Tables,
    /// Numbers of tables that come after those in `primitive`.
    run: Range<usize>,
    /// Those kept.
    positions: usize,
    /// Where the positions of each ring or line stand.
    sources: Vec<Source>,
    /// Where those stand that are in no table.
    strays: Vec<usize>,
    /// Positions that the budget has room for.
    positions_max: usize,
    /// What is charged besides the positions kept: those that the budget has no room for,
    /// and those that a ring or line is short of. It costs its judge as much without them.
    beyond: u64,
    mixed: bool,
    sound: bool,
}

impl<'a> Reader<'a> {
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
        if value.as_table().is_none() && value.elements().next().is_none() {
            self.sound = false;
            report.push_with(Code::GeometryEmpty, || {
                let message = "an empty array stands where positions belong";
                Violation::new(Code::GeometryEmpty, message).at(pointer, value.start)
            });
        }
    }

    fn sequence(&mut self, value: Value<'_>, pointer: &str, report: &mut Report) {
        if let Some(table) = value.as_table() {
            self.sources.push(Source::Table(table.number));
            return self.keep_table(table);
        }
        self.sources.push(Source::Strays(self.strays.len()));
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
            if self.kind != ShapeKind::Point {
                self.strays.push(value.start);
            }
            self.keep(&numbers[..count]);
        } else {
            self.sound = false;
        }
    }

    fn keep_table(&mut self, table: Table) {
        let fits = table.len() <= self.positions_max.saturating_sub(self.positions);
        let fresh = self.positions == 0;
        if fits && (fresh || self.primitive.stride == table.stride) {
            self.primitive.stride = table.stride;
            self.positions += table.len();
            let numbers = table.numbers();
            if self.run.end != numbers.start {
                self.settle();
                self.run.start = numbers.start;
            }
            self.run.end = numbers.end;
            return;
        }
        let tables = self.tables;
        tables.see(table.numbers(), |numbers| {
            for position in numbers.chunks_exact(table.stride) {
                self.keep(position);
            }
        });
    }

    /// Copies what waits among the numbers of tables.
    fn settle(&mut self) {
        let run = std::mem::take(&mut self.run);
        let coordinates = &mut self.primitive.coordinates;
        self.tables
            .see(run, |numbers| coordinates.extend_from_slice(numbers));
    }

    fn keep(&mut self, numbers: &[f64]) {
        if self.positions >= self.positions_max {
            self.beyond += 1;
            return;
        }
        self.settle();
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
        self.positions += 1;
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

    /// Takes over the numbers of the tables as they are when nothing else is in them.
    fn complete(&mut self) {
        if self.primitive.coordinates.is_empty()
            && let Some(all) = self.tables.take(&self.run)
        {
            self.primitive.coordinates = all;
            return;
        }
        self.settle();
    }

    fn end_ring(&mut self) {
        let end = u32::try_from(self.positions).unwrap_or(u32::MAX);
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
    ) -> Option<Located<'a>> {
        let read = (self.positions as u64).saturating_add(self.beyond);
        let spent = course.spend_vertices(read);
        if let Some(violation) = spent {
            report.push(violation.at(pointer, value.start));
            return None;
        }
        if !self.sound {
            return None;
        }
        if self.positions == 0 {
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
        self.complete();
        Some(Located {
            primitive: self.primitive,
            pointer,
            start: value.start,
            tables: self.tables,
            sources: self.sources,
            strays: self.strays,
            derived: false,
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
