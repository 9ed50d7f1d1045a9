//! From coordinates to the picture: the longer side is a thousand wide, north is up.

use super::Sketch;

const SIDE: f64 = 1_000.0;
const MARGIN: f64 = 20.0;

/// The window on the map that holds everything.
#[derive(Debug)]
pub(super) struct Frame {
    left: f64,
    top: f64,
    scale: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Differences of coordinates at the ends of what a double holds must not overflow.
const SHRINK: f64 = 0.25;

impl Frame {
    pub(super) fn around(sketches: &[Sketch]) -> Self {
        let mut low = [f64::INFINITY; 2];
        let mut high = [f64::NEG_INFINITY; 2];
        let mut take = |place: [f64; 2]| {
            for axis in 0..2 {
                low[axis] = low[axis].min(place[axis] * SHRINK);
                high[axis] = high[axis].max(place[axis] * SHRINK);
            }
        };
        for sketch in sketches {
            sketch
                .outlines
                .vertices()
                .iter()
                .for_each(|vertex| take(vertex.xy));
            let marks = sketch.marks.iter();
            marks
                .flat_map(|mark| mark.end.into_iter().chain([mark.at]))
                .for_each(&mut take);
        }
        if low[0] > high[0] {
            (low, high) = ([0.0; 2], [0.0; 2]);
        }
        let (across, down) = (high[0] - low[0], high[1] - low[1]);
        let scale = (SIDE - 2.0 * MARGIN) / across.max(down);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        Self {
            left: low[0],
            top: high[1],
            scale,
            width: SIDE,
            height: down * scale + 2.0 * MARGIN,
        }
    }

    /// Where a place lies in the picture.
    pub(super) fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            (x * SHRINK - self.left) * self.scale + MARGIN,
            (self.top - y * SHRINK) * self.scale + MARGIN,
        ]
    }
}

/// The square of that size that a place in the picture lies in.
#[allow(
    clippy::cast_possible_truncation,
    reason = "a picture is some thousand squares wide; a cast of a float saturates"
)]
pub(super) fn square([x, y]: [f64; 2], size: f64) -> (i64, i64) {
    ((x / size).floor() as i64, (y / size).floor() as i64)
}

/// The same for what an eye cannot tell apart.
pub(super) fn pixel(place: [f64; 2]) -> (i64, i64) {
    square(place, 1.0)
}
