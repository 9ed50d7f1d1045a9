//! S2 cells, from the published definition (`S2CellId` of the S2 Geometry library): a point on
//! the unit sphere, the face of the cube around it, the quadratic transform, the Hilbert curve.
//!
//! Only what a lane needs: the cell of a place, and whether a number is a cell. Sine and cosine
//! are those of `libm`, so that native and wasm agree to the bit.

use std::f64::consts::PI;

/// Levels go from a face of the cube to the leaves.
pub(super) const LEVEL_MAX: u8 = 30;

/// Leaves along one side of a face.
const SIDE: u32 = 1 << LEVEL_MAX;

/// Where the curve starts swaps its axes.
const SWAP: usize = 1;
/// Where the curve ends inverts them.
const INVERT: usize = 2;

/// The place on the curve of the quadrant `i << 1 | j`, by orientation.
const PLACE_OF: [[u64; 4]; 4] = [[0, 1, 3, 2], [0, 3, 1, 2], [2, 3, 1, 0], [2, 1, 3, 0]];

/// What each place on the curve does to the orientation.
const TURN_OF: [usize; 4] = [SWAP, 0, 0, INVERT | SWAP];

/// The cell of a place on the earth, in degrees.
pub(super) fn cell(longitude: f64, latitude: f64, level: u8) -> Option<u64> {
    if level > LEVEL_MAX {
        return None;
    }
    let (face, u, v) = on_cube(longitude, latitude);
    Some(parent(leaf(face, index(u), index(v)), level))
}

/// Whether it is the number of a cell.
pub(super) const fn is_cell(id: u64) -> bool {
    let lowest = id & id.wrapping_neg();
    id >> 61 < 6 && lowest & 0x1555_5555_5555_5555 != 0
}

/// The fixed text: hexadecimal without the zeros at its end.
pub(super) fn token(id: u64) -> String {
    let digits = format!("{id:016x}");
    digits.trim_end_matches('0').to_owned()
}

/// The face, and u and v on it.
fn on_cube(longitude: f64, latitude: f64) -> (u64, f64, f64) {
    let (phi, theta) = (latitude * (PI / 180.0), longitude * (PI / 180.0));
    let across = libm::cos(phi);
    let x = across * libm::cos(theta);
    let y = across * libm::sin(theta);
    let z = libm::sin(phi);
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    if ax > ay && ax > az {
        face_of(0, x, [y, z], [z, y])
    } else if ay > az {
        face_of(1, y, [-x, z], [z, -x])
    } else {
        face_of(2, z, [-x, -y], [-y, -x])
    }
}

/// The face of that axis or, on its far side, the one opposite.
fn face_of(axis: u64, along: f64, near: [f64; 2], far: [f64; 2]) -> (u64, f64, f64) {
    let (face, [u, v]) = if along < 0.0 {
        (axis + 3, far)
    } else {
        (axis, near)
    };
    (face, u / along, v / along)
}

/// Which leaf along a side, by the quadratic transform.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is between 0 and the side of a face, and a cast cuts what is not"
)]
fn index(along: f64) -> u32 {
    let share = if along >= 0.0 {
        0.5 * (1.0 + 3.0 * along).sqrt()
    } else {
        1.0 - 0.5 * (1.0 - 3.0 * along).sqrt()
    };
    let leaf = (f64::from(SIDE) * share).floor();
    (leaf as u32).min(SIDE - 1)
}

/// The leaf cell: the face, then two bits a level along the curve, then a one.
fn leaf(face: u64, i: u32, j: u32) -> u64 {
    let mut turn = usize::from(face & 1 == 1) * SWAP;
    let mut id = face;
    for level in (0..LEVEL_MAX).rev() {
        let bit = |side: u32| usize::from(side >> level & 1 == 1);
        let place = PLACE_OF[turn][bit(i) << 1 | bit(j)];
        id = id << 2 | place;
        turn ^= TURN_OF[usize::from(place.to_le_bytes()[0])];
    }
    id << 1 | 1
}

/// The cell of that level around a leaf.
const fn parent(leaf: u64, level: u8) -> u64 {
    let lowest = 1_u64 << (2 * (LEVEL_MAX - level));
    leaf & lowest.wrapping_neg() | lowest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the tests of the reference implementations (`CellIDLatLng` in Go).
    #[test]
    fn the_published_cells_of_places_are_found() {
        for (expected, latitude, longitude) in [
            (0x47a1_cbd5_9552_2b39, 49.703_498_679, 11.770_681_595),
            (0x4652_5318_b63b_e0f9, 55.685_376_759, 12.588_490_937),
            (0x52b3_0b71_698e_729d, 45.486_546_517, -93.449_700_022),
            (0x46ed_8886_cfad_da85, 58.299_984_854, 23.049_300_056),
            (0x3663_f18a_24cb_e857, 34.364_439_040, 108.330_699_969),
            (0x010a_06c0_a948_cf5d, -30.694_551_352, -30.048_758_753),
            (0x2b2b_fd07_6787_c5df, -25.285_264_027, 133.823_116_966),
            (0xb09d_ff88_2a78_09e1, -75.000_000_031, 0.000_000_133),
            (0xb112_966a_aaaa_aaab, -69.219_262_171, 49.670_072_392),
        ] {
            let found = cell(longitude, latitude, 30).unwrap();
            let known: u64 = expected;
            // The places are rounded to nine decimals: the leaf or its neighbour, some cells
            // being larger than the rounding.
            assert_eq!(
                parent(found, 22),
                parent(known, 22),
                "{latitude} {longitude}"
            );
        }
    }

    #[test]
    fn a_number_is_a_cell_only_with_its_mark_and_a_face() {
        assert!(is_cell(0x47a1_cbd5_9552_2b39) && is_cell(1 << 60));
        assert!(!is_cell(0) && !is_cell(2) && !is_cell(6 << 61 | 1) && !is_cell(1 << 61));
        assert_eq!(cell(0.0, 0.0, 31), None);
    }

    #[test]
    fn a_token_is_short_for_a_large_cell() {
        assert_eq!(token(1 << 60), "1");
        assert_eq!(token(0x47a1_cbd5_9552_2b39), "47a1cbd595522b39");
    }
}
