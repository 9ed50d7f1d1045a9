//! The outlines of a file: every position that can be drawn, with where it stands in the
//! bytes.
//!
//! It judges nothing and refuses nothing: of a broken geometry it takes the positions there
//! are. Numbers beyond a double have no place and are left out, as is a text that is no
//! JSON. Iterative; collections are followed [`DEPTH_MAX`] deep.

mod coordinates;
mod members;

use crate::form::Form;
use members::Geometry;
use serde_json::value::RawValue;
use std::ops::Range;

/// Collections within collections that are followed; each level is looked through once
/// more.
const DEPTH_MAX: usize = 16;

/// A position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    pub(crate) xy: [f64; 2],
    /// Where its `[` stands.
    pub(crate) offset: usize,
}

/// What positions in a row are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Points,
    Line,
    Ring,
}

/// Positions in a row, up to `end` among the vertices.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: Kind,
    end: usize,
}

/// Everything in a file that can be drawn, in the order of its bytes.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    vertices: Vec<Vertex>,
    rows: Vec<Row>,
}

impl Outlines {
    /// Those of a file.
    pub(crate) fn of(body: &[u8], form: Form) -> Self {
        let mut outlines = Self::default();
        for text in form.texts(body) {
            if let Ok(whole) = serde_json::from_slice::<&RawValue>(text.trim_ascii()) {
                for geometry in geometries(whole, body) {
                    coordinates::read(&geometry, &mut outlines);
                }
            }
        }
        outlines
    }

    /// Every position.
    pub(crate) fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Positions in a row: what they are, and which.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Kind, Range<usize>)> {
        let mut start = 0;
        self.rows.iter().map(move |row| {
            let range = start..row.end;
            start = row.end;
            (row.kind, range)
        })
    }

    /// The position that the offset points at or into, and its row.
    pub(crate) fn at(&self, offset: u64) -> Option<(usize, Range<usize>)> {
        let behind = self
            .vertices
            .partition_point(|vertex| vertex.offset as u64 <= offset);
        let index = behind.checked_sub(1)?;
        let row = self.rows.partition_point(|row| row.end <= index);
        let start = row.checked_sub(1).map_or(0, |before| self.rows[before].end);
        Some((index, start..self.rows.get(row)?.end))
    }

    fn end_row(&mut self, kind: Kind) {
        let start = self.rows.last().map_or(0, |row| row.end);
        let end = self.vertices.len();
        if end > start {
            self.rows.push(Row { kind, end });
        }
    }
}

/// The geometries in a text, in the order of their coordinates.
fn geometries<'a>(whole: &'a RawValue, body: &[u8]) -> Vec<Geometry<'a>> {
    let mut found = Vec::new();
    let mut waiting = vec![(whole, 0)];
    while let Some((value, depth)) = waiting.pop() {
        let object = members::read(value, body);
        found.extend(object.geometry);
        if depth < DEPTH_MAX {
            waiting.extend(object.inner.into_iter().map(|inner| (inner, depth + 1)));
        }
    }
    found.sort_by_key(|geometry| geometry.offset);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(Kind, Vec<[f64; 2]>)> {
        let outlines = Outlines::of(text.as_bytes(), Form::Document);
        let row = |(kind, range): (Kind, Range<usize>)| {
            let vertices = &outlines.vertices()[range];
            (kind, vertices.iter().map(|vertex| vertex.xy).collect())
        };
        outlines.rows().map(row).collect()
    }

    #[test]
    fn positions_of_every_type_are_taken_in_rows() {
        let text = r#"{"type":"FeatureCollection","features":[
            {"geometry":{"coordinates":[[[0,0],[1,0,9],[0,0]],[[2,2]]],"type":"Polygon"}},
            {"geometry":{"type":"GeometryCollection","geometries":[
                {"type":"Point","coordinates":[5,6]},
                {"type":"MultiPoint","coordinates":[[1,2],[3,4]]},
                {"type":"LineString","coordinates":[[1e1,-2.5],[3,4]]}]}}]}"#;
        let expected = [
            (Kind::Ring, vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]),
            (Kind::Ring, vec![[2.0, 2.0]]),
            (Kind::Points, vec![[5.0, 6.0]]),
            (Kind::Points, vec![[1.0, 2.0], [3.0, 4.0]]),
            (Kind::Line, vec![[10.0, -2.5], [3.0, 4.0]]),
        ];
        assert_eq!(rows(text), expected);
    }

    #[test]
    fn of_what_is_broken_the_positions_there_are() {
        let text = r#"{"type":"Polygon","coordinates":[[[0,0],["a]",1],[1e400,1],[],[null],[1,[2,3]],[7,8]],5,null]}"#;
        let expected = [
            (Kind::Ring, vec![[0.0, 0.0], [2.0, 3.0]]),
            (Kind::Ring, vec![[7.0, 8.0]]),
        ];
        assert_eq!(rows(text), expected);
        for text in ["", "{", "5", "[[1,2]]", r#"{"features":5,"geometry":[1]}"#] {
            assert!(rows(text).is_empty(), "{text}");
        }
        let twice = r#"{"type":"Point","coordinates":[1,2],"coordinates":[3,4]}"#;
        assert_eq!(rows(twice), [(Kind::Points, vec![[3.0, 4.0]])]);
    }

    #[test]
    fn a_position_is_found_by_its_offset_in_the_file() {
        let text = "{\"type\":\"Point\",\"coordinates\":[1,2]}\n\n {\"coordinates\":[[3,4],[5,6]]}";
        let outlines = Outlines::of(text.as_bytes(), Form::Lines);
        let found = |needle: &str| {
            let offset = text.find(needle).unwrap() as u64;
            let (index, row) = outlines.at(offset).unwrap();
            (outlines.vertices()[index].xy, row)
        };
        assert_eq!(found("[1,2"), ([1.0, 2.0], 0..1));
        assert_eq!(found("[5,6"), ([5.0, 6.0], 1..3));
        assert_eq!(found("6]]"), ([5.0, 6.0], 1..3));
        assert_eq!(outlines.at(3), None);
    }
}
