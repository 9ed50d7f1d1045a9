//! Numbers of JSON: their grammar, and the nearest double.
//!
//! Most decimals are a whole number below 2^53 over a power of ten up to 10^22. Both are
//! doubles exactly, so one division rounds once and is right (Clinger, "How to read
//! floating point numbers accurately", 1990). The rest goes through the standard library,
//! which is right too, and slower.

#![allow(
    clippy::inline_always,
    reason = "a position is four of these calls; measured, a third of the instructions"
)]

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
const WHOLE_MAX: u64 = 1 << 53;
/// Digits that a `u64` holds whatever they are.
const DIGITS_MAX: usize = 19;

/// The finite number that starts there and the index after it.
#[inline(always)]
pub(super) fn read(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    short(bytes, start).or_else(|| long(bytes, start))
}

#[cold]
fn long(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let end = end(bytes, start).ok()?;
    let text = std::str::from_utf8(bytes.get(start..end)?).ok()?;
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some((number, end))
}

/// Bytes looked at together: a sign, seven digits, the point, and sixteen more.
const WINDOW: usize = 25;
/// Digits that are read as lanes of one word.
const LANES: usize = 8;
/// 10 to the power of digits that one word of lanes holds.
const SHIFTS: [u64; LANES + 1] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// None when it takes the long way, or is no number of JSON.
#[inline(always)]
fn short(bytes: &[u8], start: usize) -> Option<(f64, usize)> {
    let (value, length) = match bytes.get(start..)?.first_chunk::<WINDOW>() {
        Some(window) => in_window(window)?,
        None => near_the_end(bytes.get(start..)?)?,
    };
    Some((value, start + length))
}

/// Close to the end of the text: the same over a copy.
#[inline(never)]
fn near_the_end(rest: &[u8]) -> Option<(f64, usize)> {
    let mut window = [0; WINDOW];
    window.get_mut(..rest.len())?.copy_from_slice(rest);
    in_window(&window)
}

/// The number at the start of the window, and its bytes.
#[inline(always)]
fn in_window(window: &[u8; WINDOW]) -> Option<(f64, usize)> {
    let negative = window[0] == b'-';
    let start = usize::from(negative);
    let (mut number, mut at) = (0, start);
    while at < LANES {
        let digit = window[at].wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number * 10 + u64::from(digit);
        at += 1;
    }
    let whole = at - start;
    if whole == 0 || at == LANES || (whole > 1 && window[start] == b'0') {
        return None;
    }
    let mut places = 0;
    if window[at] == b'.' {
        let (fraction, count) = digits(window, at + 1)?;
        if count == 0 {
            return None;
        }
        number = number * SHIFTS[count] + fraction;
        places = count;
        if count == LANES {
            let (fraction, more) = digits(window, at + 1 + LANES)?;
            places += more;
            if more == LANES || whole + places > DIGITS_MAX {
                return None;
            }
            number = number * SHIFTS[more] + fraction;
            if number > WHOLE_MAX {
                return None;
            }
        }
        at += 1 + places;
    }
    if window.get(at).is_some_and(|byte| byte | 0x20 == b'e') {
        return None;
    }
    #[allow(clippy::cast_precision_loss, reason = "below 2^53 nothing is lost")]
    let value = number as f64 / POWERS.get(places)?;
    let sign = u64::from(negative) << 63;
    Some((f64::from_bits(value.to_bits() | sign), at))
}

/// The number that the digits from `at` on are, and how many there are, up to [`LANES`].
#[inline(always)]
fn digits(window: &[u8; WINDOW], at: usize) -> Option<(u64, usize)> {
    let chunk = window.get(at..)?.first_chunk::<LANES>()?;
    // A digit becomes its value; a byte that is none has its high bit set in `others`.
    let lanes = u64::from_le_bytes(*chunk) ^ 0x3030_3030_3030_3030;
    let others = (lanes.wrapping_add(0x7676_7676_7676_7676) | lanes) & 0x8080_8080_8080_8080;
    let count = (others.trailing_zeros() / 8) as usize;
    if count == 0 {
        return Some((0, 0));
    }
    // Zeros in front of the digits; then neighbours are joined, two, four and eight wide.
    let lanes = lanes << (8 * (LANES - count));
    let pairs = (lanes.wrapping_mul(10).wrapping_add(lanes >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let eight = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff;
    Some((eight, count))
}

/// The end of the number that starts there; where it goes wrong when it is none.
pub(super) fn end(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let digits = |mut at: usize| {
        while matches!(bytes.get(at), Some(b'0'..=b'9')) {
            at += 1;
        }
        at
    };
    let whole = if bytes.get(start) == Some(&b'-') {
        start + 1
    } else {
        start
    };
    let mut at = match bytes.get(whole) {
        Some(b'0') => whole + 1,
        Some(b'1'..=b'9') => digits(whole),
        _ => return Err(whole),
    };
    if bytes.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return Err(end);
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign);
        if end == at + 1 + sign {
            return Err(end);
        }
        at = end;
    }
    if matches!(bytes.get(at), Some(b'0'..=b'9')) {
        Err(at)
    } else {
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_read_the_short_way_keeps_its_sign_and_its_end() {
        assert_eq!(short(b"-12.50,", 0), Some((-12.5, 6)));
        assert!(short(b"-0.0]", 0).is_some_and(|(zero, _)| zero.is_sign_negative()));
        for long in ["1e3", "01", "-", "-.5", "1.", "1.,0000000", "+1", ""] {
            assert_eq!(short(long.as_bytes(), 0), None, "{long}");
        }
        assert_eq!(short(b"12345678901234567890", 0), None);
        assert_eq!(short(b"9007199254740993", 0), None);
    }

    #[test]
    fn what_is_no_finite_number_of_json_is_none() {
        for text in [
            "1e400", "-1e400", "01", "1.", "1e", "NaN", "Infinity", "1.5.", "",
        ] {
            let end = read(text.as_bytes(), 0).map(|(_, end)| end);
            assert!(end.is_none_or(|end| end < text.len()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_number_is_the_nearest_double(
            text in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?",
            after in "[],\\]} \\n/:;~0-9a-z\u{e9}]{0,9}",
        ) {
            let whole = format!("{text},{after}");
            let (value, end) = read(whole.as_bytes(), 0).unwrap();
            prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits());
            prop_assert_eq!(end, text.len());
        }
    }
}
