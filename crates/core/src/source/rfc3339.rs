//! Reads a time of RFC 3339, and the two shorter forms of ISO 8601 that senders write.

/// µs since 1970 of a time with an offset; a shorter fraction of a second is cut off.
///
/// `T`, `t` or a space stands before the time. Seconds may be left out, and so may the colon or
/// the minutes of an offset; a leap second is the second before it. A date or a time without an
/// offset is none.
#[must_use]
pub(crate) fn rfc3339_us(text: &str) -> Option<i64> {
    let mut rest = Rest(text.as_bytes());
    let days = rest.date()?;
    rest.one_of(b"Tt ")?;
    let (seconds, fraction_us) = rest.time()?;
    let offset_s = rest.offset()?;
    if !rest.0.is_empty() {
        return None;
    }
    let seconds = days * 86_400 + seconds - offset_s;
    Some(seconds * 1_000_000 + fraction_us)
}

/// What is left to read.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    /// Days since 1970.
    fn date(&mut self) -> Option<i64> {
        let year = self.digits(4)?;
        self.one_of(b"-")?;
        let month = self.digits(2)?;
        self.one_of(b"-")?;
        let day = self.digits(2)?;
        let stands = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
        stands.then(|| days_since_1970(year, month, day))
    }

    /// Seconds of the day, and µs of the second.
    fn time(&mut self) -> Option<(i64, i64)> {
        let hour = self.digits(2).filter(|hour| *hour < 24)?;
        self.one_of(b":")?;
        let minute = self.digits(2).filter(|minute| *minute < 60)?;
        let to_minute = hour * 3_600 + minute * 60;
        if self.one_of(b":").is_none() {
            return Some((to_minute, 0));
        }
        let second = self.digits(2).filter(|second| *second <= 60)?;
        let fraction_us = match self.one_of(b".,") {
            Some(_) => self.fraction_us()?,
            None => 0,
        };
        Some((to_minute + second.min(59), fraction_us))
    }

    /// The digits behind the point, as µs.
    fn fraction_us(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit());
        let length = digits.count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        let six = digits.iter().chain(std::iter::repeat(&b'0')).take(6);
        let us = six.fold(0, |us, digit| us * 10 + i64::from(digit - b'0'));
        (length > 0).then_some(us)
    }

    /// Seconds east of Greenwich.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        let minutes = if self.0.is_empty() {
            0
        } else {
            self.one_of(b":");
            self.digits(2).filter(|minutes| *minutes < 60)?
        };
        Some(sign * (hours * 3_600 + minutes * 60))
    }

    /// A number of so many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        let all = digits.iter().all(u8::is_ascii_digit);
        let number = digits
            .iter()
            .fold(0, |number, digit| number * 10 + i64::from(digit & 0x0f));
        all.then_some(number)
    }

    /// The next byte when it is one of these; else nothing is read.
    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        let byte = accepted.contains(byte).then_some(*byte)?;
        self.0 = rest;
        Some(byte)
    }
}

/// Days of a month.
const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar, year 0 or later.
///
/// The year begins in March, so that a leap day is its last: what a month begins at is then
/// `(153 m + 2) / 5`, whatever the year.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    const DAYS_TO_1970: i64 = 719_468;
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use proptest::prelude::*;

    #[test]
    fn a_time_without_an_offset_is_no_time() {
        let noon_us = Some(1_796_040_000_000_000);
        assert_eq!(rfc3339_us("2026-11-30T12:00:00Z"), noon_us);
        assert_eq!(rfc3339_us("2026-11-30T13:00:00+01:00"), noon_us);
        assert_eq!(rfc3339_us("2026-11-30 13:00+0100"), noon_us);
        assert_eq!(rfc3339_us("2026-11-30t11:00:00,0-01"), noon_us);
        assert_eq!(rfc3339_us("2026-11-30T12:00:00"), None);
        assert_eq!(rfc3339_us("2026-11-30"), None);
        assert_eq!(rfc3339_us("yesterday"), None);
        assert_eq!(rfc3339_us("2026-11-30T12:00:00Z "), None);
        assert_eq!(rfc3339_us("２026-11-30T12:00:00Z"), None);
    }

    #[test]
    fn every_day_of_ten_thousand_years_is_where_jiff_has_it() {
        let mut us = rfc3339_us("0000-01-01T00:00:00Z").unwrap();
        for year in 0..10_000 {
            for month in 1..=13 {
                for day in 0..=32 {
                    let text = format!("{year:04}-{month:02}-{day:02}T00:00:00Z");
                    let Some(read) = rfc3339_us(&text) else {
                        assert!(text.parse::<Timestamp>().is_err(), "{text}");
                        continue;
                    };
                    assert_eq!(read, us, "{text}");
                    us += 86_400_000_000;
                }
            }
        }
        assert_eq!(
            us,
            rfc3339_us("9999-12-31T00:00:00Z").unwrap() + 86_400_000_000
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// The numbers reach past what a clock shows.
        #[test]
        fn times_are_read_as_jiff_reads_them(
            date in (1900..2200_i32, 0..14_u32, 0..33_u32),
            separator in "[Tt _]",
            time in (0..26_u32, 0..62_u32, 0..62_u32),
            fraction in "([.,][0-9]{0,9})?",
            offset in "(Z|z|[+-][01][0-9](:?[0-6][0-9])?)?",
        ) {
            let (year, month, day) = date;
            let (hour, minute, second) = time;
            let text = format!(
                "{year:04}-{month:02}-{day:02}{separator}{hour:02}:{minute:02}:{second:02}{fraction}{offset}"
            );
            let theirs = text.parse::<Timestamp>().ok();
            let theirs_us = theirs.map(|time| time.as_nanosecond().div_euclid(1_000));
            prop_assert_eq!(rfc3339_us(&text).map(i128::from), theirs_us, "{}", text);
        }
    }
}
