//! Which map gives the leases of a queue.
//!
//! Epochs grow within one map. Two maps that give leases on the same queue would fence each
//! other's holders, and what one took the other would never see: so a queue outside of its
//! map keeps the name of the map, and a process with another one does not start.

use std::fmt;

/// The name of a map: random, made once with it. A copy of a map has the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority(String);

impl Authority {
    /// Hexadecimal digits of a name: 128 bits of chance.
    pub const DIGITS: usize = 32;

    /// Reads 32 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let fits = text.len() == Self::DIGITS && text.bytes().all(digit);
        fits.then(|| Self(text.to_owned()))
    }

    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_32_digits() {
        let good = "0123456789abcdef0123456789abcdef";
        assert_eq!(Authority::parse(good).unwrap().to_string(), good);
        for bad in ["", "0123", &good.to_uppercase(), &good.replace('f', "g")] {
            assert_eq!(Authority::parse(bad), None, "{bad}");
        }
    }
}
