//! A power of two that brings coordinates into the range where products of differences neither overflow nor underflow,
//! so that the predicates are exact. Nearly always 1.
//!
//! The range spans 984 binary orders of magnitude. A shape that mixes more is not judged: no power would do.

/// Exponents between which a product of two differences is exact to its last bit.
const EXPONENT_MIN: i32 = -484;
const EXPONENT_MAX: i32 = 500;

/// Two factors, because their product may itself be out of range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    factors: [f64; 2],
}

impl Scale {
    pub(crate) const ONE: Self = Self {
        factors: [1.0, 1.0],
    };

    /// By x and y of all vertices; `None` when they mix magnitudes too far apart.
    pub(crate) fn of(coordinates: &[f64], stride: usize) -> Option<Self> {
        let mut vertices = coordinates.chunks_exact(stride);
        if vertices.all(|vertex| is_ordinary(vertex[0]) && is_ordinary(vertex[1])) {
            return Some(Self::ONE);
        }
        let (mut least, mut most) = (f64::INFINITY, 0.0);
        for magnitude in coordinates
            .chunks_exact(stride)
            .flat_map(|vertex| [vertex[0].abs(), vertex[1].abs()])
        {
            if magnitude < least && magnitude > 0.0 {
                least = magnitude;
            }
            if magnitude > most && magnitude < f64::INFINITY {
                most = magnitude;
            }
        }
        if most == 0.0 || (exponent(least) >= EXPONENT_MIN && exponent(most) <= EXPONENT_MAX) {
            return Some(Self::ONE);
        }
        let shift = EXPONENT_MAX - exponent(most);
        let fits = exponent(least) + shift >= EXPONENT_MIN;
        fits.then(|| Self {
            factors: [power(shift / 2), power(shift - shift / 2)],
        })
    }

    /// Also turns a negative zero into zero, so that equal numbers have equal bits.
    pub(crate) fn apply(&self, point: [f64; 2]) -> [f64; 2] {
        point.map(|ordinate| ordinate * self.factors[0] * self.factors[1] + 0.0)
    }

    pub(crate) fn undo(&self, point: [f64; 2]) -> [f64; 2] {
        point.map(|ordinate| ordinate / self.factors[1] / self.factors[0])
    }
}

/// Whether a number is zero, or between the exponents: by its bits, which rise with its magnitude.
#[inline]
pub(crate) fn is_ordinary(ordinate: f64) -> bool {
    const LOW: u64 = power(EXPONENT_MIN).to_bits();
    const HIGH: u64 = power(EXPONENT_MAX).to_bits();
    let magnitude = ordinate.abs().to_bits();
    (magnitude == 0) | (magnitude.wrapping_sub(LOW) <= HIGH - LOW)
}

/// The binary exponent; of a subnormal number, that of the smallest normal one or below.
fn exponent(magnitude: f64) -> i32 {
    const SUBNORMAL_SHIFT: i32 = 64;
    let biased = |number: f64| i32::try_from((number.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
    if magnitude < f64::MIN_POSITIVE {
        biased(magnitude * power(SUBNORMAL_SHIFT)) - SUBNORMAL_SHIFT
    } else {
        biased(magnitude)
    }
}

/// Two to a power between -1022 and 1023.
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).cast_unsigned() as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_coordinates_are_left_as_they_are() {
        let inside =
            Scale::of(&[180.0, -90.0, 1e-12, 0.0], 2).map(|scale| scale.apply([12.5, -0.0]));
        assert_eq!(inside, Some([12.5, 0.0]));
        assert!(inside.is_some_and(|[_, y]| y.is_sign_positive()));
    }

    #[test]
    fn the_smallest_and_the_largest_numbers_come_back_unchanged() {
        for extreme in [5e-324, 1e-310, 1e-200, 1e200, f64::MAX] {
            let scale = Scale::of(&[extreme, 0.0], 2).unwrap();
            let inside = scale.apply([extreme, 0.0]);
            assert_eq!(exponent(inside[0]), EXPONENT_MAX);
            assert_eq!(scale.undo(inside), [extreme, 0.0]);
        }
    }

    #[test]
    fn magnitudes_too_far_apart_have_no_scale() {
        assert!(Scale::of(&[180.0, 1e-280], 2).is_some());
        assert!(Scale::of(&[180.0, 1e-300], 2).is_none());
        assert!(Scale::of(&[180.0, 1.0, 1e-300], 3).is_some());
    }
}
