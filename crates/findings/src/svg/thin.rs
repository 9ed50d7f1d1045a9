//! Fewer positions where a picture cannot show them all: what is near a fault stays as it is,
//! elsewhere a position that lies closer to the one before than a step is left out, and of
//! outlines smaller than a step one is drawn in each square of that size.

use super::frame::{Frame, square};
use super::{Sketch, VERTICES_MAX};
use crate::outline::Kind;
use std::collections::HashSet;
use std::ops::Range;

/// Steps in the picture, a thousand wide: the first cannot be seen, the last can.
const STEPS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// How near to a fault everything is drawn: as far as there is room for.
const NEAR: [f64; 7] = [8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125];

/// How much is left out.
#[derive(Clone, Copy)]
struct Detail {
    step: f64,
    near: f64,
}

/// Positions in a row that are drawn: which, and whether to the last digit.
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) vertices: Vec<(usize, bool)>,
}

/// What is drawn, of each file.
pub(super) struct Thinned {
    pub(super) rows: Vec<Vec<Row>>,
    all: usize,
    detail: Option<Detail>,
}

impl Thinned {
    /// What to say of it, when something was left out.
    pub(super) fn note(&self) -> Option<String> {
        let Detail { step, near } = self.detail?;
        let rows = self.rows.iter().flatten();
        let drawn: usize = rows.map(|row| row.vertices.len()).sum();
        Some(format!(
            "simplified: {drawn} of {} positions drawn; lines moved by up to {step} of this \
             picture's 1000, and not within {near} of a fault",
            self.all
        ))
    }
}

/// So many positions near faults, and as many elsewhere; the ends of the offending edges are
/// drawn in any case.
pub(super) fn thin(sketches: &[Sketch], frame: &Frame) -> Thinned {
    let counts = sketches
        .iter()
        .map(|sketch| sketch.outlines.vertices().len());
    let all: usize = counts.sum();
    if all <= VERTICES_MAX {
        let rows = sketches.iter().map(whole).collect();
        return Thinned {
            rows,
            all,
            detail: None,
        };
    }
    let fits = |near: &f64| near_positions(sketches, frame, *near) <= VERTICES_MAX;
    let near = NEAR.into_iter().find(fits).unwrap_or(NEAR[NEAR.len() - 1]);
    let mut thinned = Thinned {
        rows: Vec::new(),
        all,
        detail: None,
    };
    for step in STEPS {
        let detail = Detail { step, near };
        let rows = sketches
            .iter()
            .map(|sketch| Thinning::of(sketch, frame, detail).rows());
        thinned.rows = rows.collect();
        thinned.detail = Some(detail);
        let positions = thinned.rows.iter().flatten().flat_map(|row| &row.vertices);
        if positions.filter(|(_, fine)| !fine).count() <= VERTICES_MAX {
            break;
        }
    }
    thinned
}

fn near_positions(sketches: &[Sketch], frame: &Frame, near: f64) -> usize {
    let step = STEPS[0];
    let counts = sketches.iter().map(|sketch| {
        let thinning = Thinning::of(sketch, frame, Detail { step, near });
        let vertices = 0..sketch.outlines.vertices().len();
        vertices
            .filter(|index| thinning.is_beside_mark(*index))
            .count()
    });
    counts.sum()
}

fn whole(sketch: &Sketch) -> Vec<Row> {
    let row = |(kind, range): (Kind, Range<usize>)| Row {
        kind,
        vertices: range.map(|index| (index, true)).collect(),
    };
    sketch.outlines.rows().map(row).collect()
}

struct Thinning<'a> {
    sketch: &'a Sketch,
    frame: &'a Frame,
    detail: Detail,
    /// Squares in which everything is drawn.
    near: HashSet<(i64, i64)>,
    /// Squares that have their dot.
    dots: HashSet<(i64, i64)>,
}

impl<'a> Thinning<'a> {
    fn of(sketch: &'a Sketch, frame: &'a Frame, detail: Detail) -> Self {
        let mut squares = HashSet::new();
        for mark in &sketch.marks {
            for place in mark.end.into_iter().chain([mark.at]) {
                let (column, line) = square(frame.place(place), detail.near);
                let around = (-1..=1).flat_map(|right| (-1..=1).map(move |down| (right, down)));
                squares.extend(around.map(|(right, down)| (column + right, line + down)));
            }
        }
        Self {
            sketch,
            frame,
            detail,
            near: squares,
            dots: HashSet::new(),
        }
    }

    fn rows(mut self) -> Vec<Row> {
        let rows = self.sketch.outlines.rows();
        let thinned = rows.filter_map(|(kind, range)| {
            let vertices = match kind {
                Kind::Points => range.filter_map(|index| self.point(index)).collect(),
                Kind::Line | Kind::Ring => self.line(range),
            };
            (!vertices.is_empty()).then_some(Row { kind, vertices })
        });
        thinned.collect()
    }

    fn place(&self, index: usize) -> [f64; 2] {
        let vertex = self.sketch.outlines.vertices().get(index);
        vertex.map_or([0.0; 2], |vertex| self.frame.place(vertex.xy))
    }

    fn is_beside_mark(&self, index: usize) -> bool {
        let square = square(self.place(index), self.detail.near);
        self.near.contains(&square)
    }

    fn is_near(&self, index: usize) -> bool {
        self.is_beside_mark(index) || self.sketch.kept.contains(&index)
    }

    fn point(&mut self, index: usize) -> Option<(usize, bool)> {
        if self.is_near(index) {
            return Some((index, true));
        }
        self.dot(index)
    }

    /// One position for everything in its square.
    fn dot(&mut self, index: usize) -> Option<(usize, bool)> {
        let square = square(self.place(index), self.detail.step);
        self.dots.insert(square).then_some((index, false))
    }

    fn line(&mut self, range: Range<usize>) -> Vec<(usize, bool)> {
        let Range { start, end } = range;
        let mut drawn: Vec<(usize, bool)> = Vec::new();
        let mut last = [f64::INFINITY; 2];
        let mut before_is_near = false;
        let mut is_near = start < end && self.is_near(start);
        let mut is_small = true;
        for index in start..end {
            let next_is_near = index + 1 < end && self.is_near(index + 1);
            let place = self.place(index);
            let fine = is_near || before_is_near || next_is_near;
            let far = apart(place, last) >= self.detail.step;
            // The first is far from nothing.
            is_small &= !fine && (index == start || !far);
            if fine || far || index + 1 == end {
                drawn.push((index, fine));
                last = place;
            }
            (before_is_near, is_near) = (is_near, next_is_near);
        }
        if is_small && start < end {
            return self.dot(start).into_iter().collect();
        }
        drawn
    }
}

fn apart(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).abs().max((a[1] - b[1]).abs())
}
