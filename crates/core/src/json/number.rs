//! Numbers of a well-formed text to the nearest double.
//!
//! Most decimals are a whole number below 2^53 over a power of ten up to 10^22. Both are
//! doubles exactly, so one division rounds once and is right (Clinger, "How to read
//! floating point numbers accurately", 1990). The rest goes through the standard library,
//! which is right too, and slower.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
const WHOLE_MAX: u64 = 1 << 53;
/// Digits that a `u64` holds whatever they are.
const DIGITS_MAX: usize = 19;

/// The number that starts there and the index after it; none when it takes the long way,
/// or is no number of JSON.
pub(super) fn short(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let negative = bytes.get(start) == Some(&b'-');
    let whole = start + usize::from(negative);
    let (mut digits, mut at) = take_digits(bytes, whole, 0);
    let mut count = at - whole;
    if count == 0 || (count > 1 && bytes.get(whole) == Some(&b'0')) {
        return None;
    }
    let mut places = 0;
    if bytes.get(at) == Some(&b'.') {
        let fraction = at + 1;
        (digits, at) = take_digits(bytes, fraction, digits);
        places = at - fraction;
        count += places;
        if places == 0 {
            return None;
        }
    }
    let exponent = matches!(bytes.get(at), Some(b'e' | b'E'));
    if exponent || count > DIGITS_MAX || digits > WHOLE_MAX {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "below 2^53 nothing is lost")]
    let value = digits as f64 / POWERS.get(places)?;
    Some((if negative { -value } else { value }, at))
}

/// Reads on at `at`; wraps around beyond [`DIGITS_MAX`], which the caller refuses.
fn take_digits(bytes: &[u8], mut at: usize, mut digits: u64) -> (u64, usize) {
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        digits = digits
            .wrapping_mul(10)
            .wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    (digits, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_read_the_short_way_keeps_its_sign_and_its_end() {
        assert_eq!(short(b"-12.50,", 0), Some((-12.5, 6)));
        assert!(short(b"-0.0]", 0).is_some_and(|(zero, _)| zero.is_sign_negative()));
        for long in ["1e3", "01", "-", "-.5", "1.", "+1", ""] {
            assert_eq!(short(long.as_bytes(), 0), None, "{long}");
        }
        assert_eq!(short(b"12345678901234567890", 0), None);
        assert_eq!(short(b"9007199254740993", 0), None);
    }

    proptest! {
        #[test]
        fn the_short_way_and_the_long_way_agree(text in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,18})?") {
            if let Some((value, end)) = short(text.as_bytes(), 0) {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits());
                prop_assert_eq!(end, text.len());
            }
        }
    }
}
