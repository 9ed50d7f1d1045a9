//! Numbers in sentences and pointers, without the machinery of `fmt`: a refused request
//! pays for each piece of code that it wakes.

use std::fmt::Write as _;

/// The digits of a whole number.
pub(crate) struct Digits {
    digits: [u8; 20],
    start: usize,
}

impl Digits {
    pub(crate) fn of(mut number: u64) -> Self {
        let mut digits = [0; 20];
        let mut start = digits.len();
        for slot in digits.iter_mut().rev() {
            #[allow(clippy::cast_possible_truncation, reason = "one digit")]
            let digit = (number % 10) as u8;
            *slot = b'0' + digit;
            start -= 1;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        Self { digits, start }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.digits.get(self.start..).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// With the point.
const BYTES_OF_15_DIGITS: usize = 16;

/// Adds the shortest decimal that reads back as the number, as `Display` writes it: never
/// an exponent, and no fraction where there is none.
pub(crate) fn push_number(text: &mut String, number: f64) {
    let mut buffer = zmij::Buffer::new();
    let printed = buffer.format(number);
    // Up to 15 digits there is one shortest decimal. Of more there may be two, equally near,
    // and `Display` takes another of them than most.
    let one = printed.len() <= BYTES_OF_15_DIGITS && !printed.contains('e');
    if one && number.is_finite() {
        text.push_str(printed.strip_suffix(".0").unwrap_or(printed));
    } else {
        // Writing to a string does not fail.
        let _ = write!(text, "{number}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pushed(number: f64) -> String {
        let mut text = String::new();
        push_number(&mut text, number);
        text
    }

    proptest! {
        #[test]
        fn numbers_are_written_as_display_writes_them(
            bits: u64,
            millionths in -1_000_000_000_i32..1_000_000_000,
            whole: u64,
        ) {
            let short = f64::from(millionths) / 1e6;
            // Halves of ever smaller powers of two, where two decimals are equally near.
            let even = f64::from(millionths >> 6) / f64::from(1_i32 << (whole % 31));
            for number in [f64::from_bits(bits), short, short * 1e6, even] {
                prop_assert_eq!(pushed(number), number.to_string());
            }
            let digits = Digits::of(whole);
            prop_assert_eq!(digits.as_str(), whole.to_string());
        }
    }

    #[test]
    fn the_ends_of_the_range_are_too() {
        let numbers = [0.0, -0.0, 1e15, 1e16, 1e17, 1e-5, 1e-7, f64::MAX, 5e-324];
        for number in numbers.into_iter().chain([f64::NAN, f64::NEG_INFINITY]) {
            assert_eq!(pushed(number), number.to_string());
        }
        assert_eq!(Digits::of(0).as_str(), "0");
        assert_eq!(Digits::of(u64::MAX).as_str(), u64::MAX.to_string());
    }
}
