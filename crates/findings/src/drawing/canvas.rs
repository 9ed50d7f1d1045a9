//! A window on the map, as a field of braille dots: two across and four down in a character,
//! so that dots are about as far apart in both directions.

/// Characters.
const COLUMNS: usize = 24;
/// Lines.
const LINES: usize = 7;
/// Dots across and down.
const DOTS: [f64; 2] = [48.0, 28.0];
/// The bits of a braille character by line and column of the dot.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

pub(super) struct Canvas {
    centre: [f64; 2],
    /// Units of the coordinates between two dots.
    unit: f64,
    cells: [[u8; COLUMNS]; LINES],
}

impl Canvas {
    /// The character that the centre lies in.
    pub(super) const MIDDLE: (usize, usize) = (LINES / 2, COLUMNS / 2);

    pub(super) fn around(centre: [f64; 2], half_height: f64) -> Self {
        Self {
            centre,
            unit: half_height / (DOTS[1] / 2.0),
            cells: [[0; COLUMNS]; LINES],
        }
    }

    pub(super) fn width(&self) -> f64 {
        self.unit * DOTS[0]
    }

    /// The part of a line that lies in the window. A line of no length is a dot.
    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        let (from, to) = (self.place(from), self.place(to));
        let Some((first, last)) = clip(from, to) else {
            return;
        };
        let [right, down] = [last[0] - first[0], last[1] - first[1]];
        // Half a dot at a time leaves no gap; a window is at most so many dots wide.
        let steps = (right.abs().max(down.abs()) * 2.0).ceil().clamp(1.0, 200.0);
        let mut step = 0.0;
        while step <= steps {
            let along = step / steps;
            self.dot([first[0] + right * along, first[1] + down * along]);
            step += 1.0;
        }
    }

    /// In dots, from the upper left. The centre is in the middle of its character.
    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            (x - self.centre[0]) / self.unit + DOTS[0] / 2.0 + 1.0,
            DOTS[1] / 2.0 - (y - self.centre[1]) / self.unit,
        ]
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast of a float saturates, and what is outside has no cell"
    )]
    fn dot(&mut self, [x, y]: [f64; 2]) {
        let (column, line) = (x.floor() as usize, y.floor() as usize);
        let cells = self.cells.get_mut(line / 4);
        if let Some(cell) = cells.and_then(|cells| cells.get_mut(column / 2)) {
            *cell |= BITS[line % 4][column % 2];
        }
    }

    pub(super) fn lines(&self) -> Vec<Vec<char>> {
        let letter = |bits: &u8| char::from_u32(0x2800 + u32::from(*bits)).unwrap_or(' ');
        let line = |cells: &[u8; COLUMNS]| cells.iter().map(letter).collect();
        self.cells.iter().map(line).collect()
    }
}

/// The part of a line that lies in the window (Liang and Barsky, 1984); none when that is
/// nothing, or when its ends are no numbers.
fn clip(from: [f64; 2], to: [f64; 2]) -> Option<([f64; 2], [f64; 2])> {
    let length = [to[0] - from[0], to[1] - from[1]];
    if !length.iter().chain(&from).all(|number| number.is_finite()) {
        return None;
    }
    let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        // Dots at the last edge would be outside.
        let (low, high) = (0.0, DOTS[axis] - 1e-6);
        if length[axis] == 0.0 {
            if from[axis] < low || from[axis] > high {
                return None;
            }
        } else {
            let ends = [
                (low - from[axis]) / length[axis],
                (high - from[axis]) / length[axis],
            ];
            enters = enters.max(ends[0].min(ends[1]));
            leaves = leaves.min(ends[0].max(ends[1]));
        }
    }
    let at = |along: f64| [from[0] + length[0] * along, from[1] + length[1] * along];
    (enters <= leaves).then(|| (at(enters), at(leaves)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_window() {
        assert_eq!(
            clip([-10.0, 5.0], [100.0, 5.0]).map(|(from, to)| (from[0], to[0] > 47.9)),
            Some((0.0, true))
        );
        assert_eq!(clip([-10.0, 5.0], [-1.0, 50.0]), None);
        assert_eq!(clip([3.0, 4.0], [3.0, 4.0]), Some(([3.0, 4.0], [3.0, 4.0])));
        assert_eq!(clip([60.0, 4.0], [60.0, 4.0]), None);
        assert_eq!(clip([f64::INFINITY, 4.0], [0.0, 4.0]), None);
        assert_eq!(clip([f64::NAN, 4.0], [0.0, 4.0]), None);
    }
}
