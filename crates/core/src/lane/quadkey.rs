//! Quadkeys, from the published definition (Bing Maps Tile System): a tile of the spherical
//! Mercator map, its two indices interleaved, one digit of 0 to 3 a level.
//!
//! Beyond 85.05112878 degrees the map ends: what is nearer to a pole is of the last row. Sine
//! and logarithm are those of `libm`, so that native and wasm agree to the bit.

use std::f64::consts::PI;

/// Level 1 has four tiles; level 30 is a tile of four centimetres.
pub(super) const LEVEL_MIN: u8 = 1;
pub(super) const LEVEL_MAX: u8 = 30;

/// Where the map ends, in degrees.
const LATITUDE_MAX: f64 = 85.051_128_78;

/// The digits as a number: a one, then two bits a level. None beyond the levels.
pub(super) fn cell(longitude: f64, latitude: f64, level: u8) -> Option<u64> {
    if !(LEVEL_MIN..=LEVEL_MAX).contains(&level) {
        return None;
    }
    let latitude = latitude.clamp(-LATITUDE_MAX, LATITUDE_MAX);
    let sine = libm::sin(latitude * (PI / 180.0));
    let x = (longitude + 180.0) / 360.0;
    let y = 0.5 - libm::log((1.0 + sine) / (1.0 - sine)) / (4.0 * PI);
    let (column, row) = (tile(x, level), tile(y, level));
    let digits = (0..level).rev().fold(1, |digits, bit| {
        digits << 2 | (row >> bit & 1) << 1 | column >> bit & 1
    });
    Some(digits)
}

/// Which tile of a side.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is clamped to the tiles there are"
)]
fn tile(share: f64, level: u8) -> u64 {
    let side = 1_u64 << level;
    let last = f64::from(u32::try_from(side - 1).unwrap_or(u32::MAX));
    (share * (last + 1.0)).floor().clamp(0.0, last) as u64
}

/// Whether it is the number of a quadkey.
pub(super) const fn is_cell(id: u64) -> bool {
    let bits = 63_u32.saturating_sub(id.leading_zeros());
    id != 0 && bits.is_multiple_of(2) && bits >= 2 && bits <= 2 * LEVEL_MAX as u32
}

/// The fixed text: its digits.
pub(super) fn text(id: u64) -> String {
    let levels = (63_u32.saturating_sub(id.leading_zeros())) / 2;
    let digit = |level: u32| char::from(b'0' + (id >> (2 * level) & 3).to_le_bytes()[0]);
    (0..levels).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(longitude: f64, latitude: f64, level: u8) -> String {
        text(cell(longitude, latitude, level).unwrap())
    }

    /// The example of the published definition, tile 3, 5 of level 3; and the four of level 1.
    #[test]
    fn the_published_quadkey_is_found() {
        assert_eq!(key(-22.5, -50.0, 3), "213");
        let quarters = [(-1.0, 1.0), (1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
        assert_eq!(quarters.map(|(x, y)| key(x, y, 1)), ["0", "1", "2", "3"]);
    }

    #[test]
    fn the_poles_are_of_the_last_rows() {
        assert_eq!(key(0.0, 90.0, 4), "1000");
        assert_eq!(key(0.0, -90.0, 4), "3222");
        assert_eq!(key(180.0, 90.0, 4), "1111");
    }

    #[test]
    fn a_number_is_a_quadkey_only_with_its_mark() {
        assert!(is_cell(0b100) && is_cell(0b1_0111));
        assert!(!is_cell(0b10_0111) && !is_cell(0) && !is_cell(1) && !is_cell(1 << 62));
        assert_eq!((cell(0.0, 0.0, 0), cell(0.0, 0.0, 31)), (None, None));
    }
}
