//! `Retry-After`: unsigned decimal seconds, or an HTTP-date in any of its three forms
//! (RFC 9110, 5.6.7 and 10.2.3).
//!
//! Signs, fractions, names of numbers and overflow are not values: a malformed header
//! never changes the schedule. A date that has passed is a wait of 0. The wait is
//! clamped before any clock arithmetic; the text is kept apart, cut to
//! [`RetryAfter::RAW_BYTES_MAX`].

use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::TimeZone;

/// A header as received, and the wait it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryAfter {
    /// The text, cut at a character boundary.
    pub raw: String,
    /// From now, clamped; none when the text is malformed.
    pub wait_ms: Option<u64>,
}

/// IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT`.
const IMF_FIXDATE: &str = "%a, %d %b %Y %H:%M:%S GMT";
/// RFC 850, `Sunday, 06-Nov-94 08:49:37 GMT`.
const RFC_850: &str = "%A, %d-%b-%y %H:%M:%S GMT";
/// ANSI C asctime, `Sun Nov  6 08:49:37 1994`.
const ASCTIME: &str = "%a %b %e %H:%M:%S %Y";

impl RetryAfter {
    /// What is kept of the text: enough for any valid form and for a person to see
    /// what was wrong.
    pub const RAW_BYTES_MAX: usize = 128;

    /// Reads a header's value at `now_us` (µs since 1970), clamped to `wait_ms_max`.
    #[must_use]
    pub fn parse(raw: &str, now_us: i64, wait_ms_max: u64) -> Self {
        let now_ms = now_us.div_euclid(1_000);
        let text = raw.trim_matches([' ', '\t']);
        let wait_ms = if text.len() > Self::RAW_BYTES_MAX {
            None
        } else {
            seconds(text).or_else(|| date(text, now_ms))
        };
        let mut raw = raw.to_owned();
        raw.truncate(raw.floor_char_boundary(Self::RAW_BYTES_MAX));
        Self {
            raw,
            wait_ms: wait_ms.map(|wait_ms| wait_ms.min(wait_ms_max)),
        }
    }
}

fn seconds(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse::<u64>().ok()?.checked_mul(1_000)
}

fn date(text: &str, now_ms: i64) -> Option<u64> {
    let parsed = [IMF_FIXDATE, RFC_850, ASCTIME]
        .into_iter()
        .find_map(|form| {
            Some((
                form,
                fixed_width(form, text).then(|| strtime::parse(form, text).ok())??,
            ))
        })?;
    let (form, parts) = parsed;
    let at_ms = if form == RFC_850 {
        two_digit_year(&parts, now_ms)?
    } else {
        at_ms(&parts, parts.year()?)?
    };
    Some(u64::try_from(at_ms.saturating_sub(now_ms)).unwrap_or(0))
}

/// The grammar fixes the width of two forms; `strtime` by itself would let digits and
/// blanks be missing or doubled.
fn fixed_width(form: &str, text: &str) -> bool {
    match form {
        IMF_FIXDATE => text.len() == "Sun, 06 Nov 1994 08:49:37 GMT".len(),
        ASCTIME => text.len() == "Sun Nov  6 08:49:37 1994".len(),
        _ => text
            .split_once(", ")
            .is_some_and(|(_, rest)| rest.len() == "06-Nov-94 08:49:37 GMT".len()),
    }
}

/// A two-digit year that seems more than 50 years ahead is the last one that ended in
/// those digits (RFC 9110, 5.6.7).
fn two_digit_year(parts: &BrokenDownTime, now_ms: i64) -> Option<i64> {
    let now = TimeZone::UTC.to_datetime(jiff::Timestamp::from_millisecond(now_ms).ok()?);
    let century = now.year().checked_div(100)?.checked_mul(100)?;
    let mut year = century.checked_add(parts.year()?.rem_euclid(100))?;
    if year > now.year().checked_add(50)? {
        year = year.checked_sub(100)?;
    }
    at_ms(parts, year)
}

fn at_ms(parts: &BrokenDownTime, year: i16) -> Option<i64> {
    let (month, day) = (parts.month()?, parts.day()?);
    let (hour, minute, second) = (parts.hour()?, parts.minute()?, parts.second()?);
    let civil = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    Some(TimeZone::UTC.to_timestamp(civil).ok()?.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const THEN_MS: i64 = 784_111_777_000;
    const CEILING_MS: u64 = 900_000;

    fn wait_ms(raw: &str, now_ms: i64) -> Option<u64> {
        RetryAfter::parse(raw, now_ms * 1_000, CEILING_MS).wait_ms
    }

    #[test]
    fn seconds_are_honoured_and_clamped() {
        assert_eq!(wait_ms("0", 0), Some(0));
        assert_eq!(wait_ms("120", 0), Some(120_000));
        assert_eq!(wait_ms(" 007\t", 0), Some(7_000));
        assert_eq!(wait_ms("86400", 0), Some(CEILING_MS));
        assert_eq!(wait_ms("18446744073709551", 0), Some(CEILING_MS));
    }

    #[test]
    fn all_three_forms_of_an_http_date_name_the_same_moment() {
        for raw in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(wait_ms(raw, THEN_MS - 5_000), Some(5_000), "{raw}");
            assert_eq!(wait_ms(raw, THEN_MS + 1), Some(0), "{raw}");
            assert_eq!(
                wait_ms(raw, THEN_MS - 864_000_000),
                Some(CEILING_MS),
                "{raw}"
            );
        }
    }

    #[test]
    fn a_two_digit_year_is_never_more_than_fifty_years_ahead() {
        let in_2026_ms = 1_780_000_000_000;
        assert_eq!(
            wait_ms("Sunday, 06-Nov-94 08:49:37 GMT", in_2026_ms),
            Some(0)
        );
        assert_eq!(
            wait_ms("Friday, 06-Nov-70 08:49:37 GMT", in_2026_ms),
            Some(CEILING_MS)
        );
    }

    #[test]
    fn malformed_values_are_no_values() {
        for raw in [
            "",
            " ",
            "+5",
            "-5",
            "1.5",
            "1e3",
            "0x10",
            "inf",
            "NaN",
            "five",
            "5 s",
            "5,6",
            "٣",
            "99999999999999999999",
            "18446744073709552",
            "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 08:49:37 PST",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Nov 6 1994",
        ] {
            assert_eq!(wait_ms(raw, THEN_MS - 1_000), None, "{raw}");
        }
    }

    proptest! {
        #[test]
        fn invariant_17_no_header_asks_for_more_than_the_ceiling(raw: String, now_us: i64, ceiling: u64) {
            let read = RetryAfter::parse(&raw, now_us, ceiling);
            prop_assert!(read.raw.len() <= RetryAfter::RAW_BYTES_MAX);
            prop_assert!(raw.starts_with(&read.raw));
            prop_assert!(read.wait_ms.is_none_or(|wait_ms| wait_ms <= ceiling));
        }

        #[test]
        fn invariant_17_text_that_is_almost_a_date_never_panics(
            raw in "[SM][uo]n(day)?,? ?[0-9 -]{1,4}(Nov|Dec|-Jan-)[ 0-9:-]{4,20}( GMT)?", now_us: i64,
        ) {
            let _ = RetryAfter::parse(&raw, now_us, CEILING_MS);
        }

        #[test]
        fn invariant_17_every_unsigned_number_of_seconds_is_honoured(seconds in 0..u64::MAX / 1_000) {
            prop_assert_eq!(wait_ms(&seconds.to_string(), 0), Some((seconds * 1_000).min(CEILING_MS)));
        }
    }
}
