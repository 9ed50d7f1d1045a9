//! What a repair changed, as changes of the text. A position whose numbers stay is written as
//! it stood, digit by digit; everything outside the coordinates, and a `type` that no longer
//! fits, is never touched.

use super::derive::Text;
use super::located::Located;
use crate::decimal::push_number;
use crate::geometry::Primitive;
use ogc_validity::ShapeKind;
use std::collections::BTreeMap;
use std::ops::Range;

/// A piece of text that takes the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which bytes of the text it replaces.
    pub range: Range<usize>,
    /// What stands there instead.
    pub text: String,
}

impl Edit {
    /// The same in a text in which this one starts there.
    pub(crate) fn moved(&self, start: usize) -> Self {
        Self {
            range: self.range.start + start..self.range.end + start,
            text: self.text.clone(),
        }
    }
}

/// Whether edits are told. By a function, so that a program that never asks for them, as the
/// Worker, does not hold what tells them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edits(Option<Tell>);

type Tell = fn(Text<'_>, &Located<'_>, &Primitive, &mut Vec<Edit>);

impl Edits {
    /// They are not.
    pub(crate) const NOT_TOLD: Self = Self(None);
    /// They are.
    pub(crate) const TOLD: Self = Self(Some(tell));

    pub(super) fn tell(
        self,
        text: Text<'_>,
        sent: &Located<'_>,
        now: &Primitive,
        edits: &mut Vec<Edit>,
    ) {
        if let Some(tell) = self.0 {
            tell(text, sent, now, edits);
        }
    }
}

/// Tells what makes the text of one primitive that of another, in the order of the text.
fn tell(text: Text<'_>, sent: &Located<'_>, now: &Primitive, edits: &mut Vec<Edit>) {
    let start = edits.len();
    let coordinates = text.coordinates;
    edits.push(Edit {
        range: coordinates.start..coordinates.end,
        text: Writer::of(text, sent).write(now),
    });
    if let Some(kind) = text.kind.filter(|_| sent.primitive.kind != now.kind) {
        edits.push(Edit {
            range: kind.start..kind.end,
            text: format!("\"{}\"", name(now.kind)),
        });
    }
    if let Some(added) = edits.get_mut(start..) {
        added.sort_by_key(|edit| edit.range.start);
    }
}

const fn name(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Point => "Point",
        ShapeKind::MultiPoint => "MultiPoint",
        ShapeKind::LineString => "LineString",
        ShapeKind::MultiLineString => "MultiLineString",
        ShapeKind::Polygon => "Polygon",
        ShapeKind::MultiPolygon => "MultiPolygon",
    }
}

struct Writer<'a> {
    /// The positions as they stood, by their numbers.
    stood: BTreeMap<Vec<u64>, &'a str>,
    out: String,
}

impl<'a> Writer<'a> {
    fn of(text: Text<'a>, sent: &Located<'_>) -> Self {
        let raw = text.coordinates.raw();
        let stride = sent.primitive.stride;
        let positions = sent.primitive.coordinates.chunks_exact(stride);
        let mut stood = BTreeMap::new();
        for (numbers, offset) in positions.zip(sent.offsets()) {
            let rest = offset
                .checked_sub(text.coordinates.start)
                .and_then(|at| raw.get(at..));
            // A position holds numbers alone: its bracket is the first that closes.
            let whole = rest.and_then(|rest| rest.get(..=rest.find(']')?));
            if let Some(whole) = whole {
                stood.entry(bits(numbers)).or_insert(whole);
            }
        }
        Self {
            stood,
            out: String::with_capacity(raw.len()),
        }
    }

    fn write(mut self, now: &Primitive) -> String {
        let rings: Vec<Range<usize>> = now.rings().collect();
        match now.kind {
            ShapeKind::Point => self.position(now, 0),
            ShapeKind::MultiPoint | ShapeKind::LineString => self.positions(now, 0..now.vertices()),
            ShapeKind::Polygon | ShapeKind::MultiLineString => self.rings(now, &rings),
            ShapeKind::MultiPolygon => {
                let parts: Vec<Range<usize>> = now.parts().collect();
                self.list(&parts, |writer, part| {
                    let rings = rings.get(part.clone()).unwrap_or_default();
                    writer.rings(now, rings);
                });
            }
        }
        self.out
    }

    fn rings(&mut self, now: &Primitive, rings: &[Range<usize>]) {
        self.list(rings, |writer, ring| writer.positions(now, ring.clone()));
    }

    fn positions(&mut self, now: &Primitive, vertices: Range<usize>) {
        self.list(vertices, |writer, vertex| writer.position(now, vertex));
    }

    fn position(&mut self, now: &Primitive, vertex: usize) {
        let at = vertex * now.stride;
        let numbers = now.coordinates.get(at..at + now.stride).unwrap_or_default();
        if let Some(stood) = self.stood.get(&bits(numbers)) {
            self.out.push_str(stood);
            return;
        }
        self.list(numbers, |writer, number| {
            push_number(&mut writer.out, *number);
        });
    }

    fn list<I: IntoIterator>(&mut self, items: I, mut write: impl FnMut(&mut Self, I::Item)) {
        self.out.push('[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.out.push(']');
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}
