//! `Content-Encoding`: gzip (RFC 1952) is undone, under the same cap as a body that came
//! plain. A bomb stops at the cap; nothing but the last member's end may end the body.

use crate::head::Head;
use crate::problem::Problem;
use flate2::bufread::GzDecoder;
use std::borrow::Cow;
use std::io::{ErrorKind, Read};

/// What the cap of a body leaves room for, many times over: a block compressor writes one
/// member for 64 KiB. Each costs a decoder of some 40 KiB to set up.
const MEMBERS_MAX: usize = 1_024;
/// Bytes undone at a time.
const STEP_BYTES: u64 = 64 * 1024;

/// How the bytes on the wire are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As they are.
    Identity,
    /// RFC 1952, any number of members.
    Gzip,
}

/// What is wrong with coded bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingFault {
    /// Not gzip, or damaged: header, data, checksum or length.
    Broken,
    /// They end inside a member.
    Truncated,
    /// Something that is no member follows one.
    Trailing,
    /// More members than are read.
    Members,
}

impl CodingFault {
    /// The stable code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Broken => "encoding.broken",
            Self::Truncated => "encoding.truncated",
            Self::Trailing => "encoding.trailing_bytes",
            Self::Members => "encoding.members",
        }
    }
}

impl Coding {
    /// That of a request's head.
    pub(crate) fn of(head: &Head) -> Result<Self, Problem> {
        let Some(name) = head.header("content-encoding") else {
            return Ok(Self::Identity);
        };
        let is = |known: &[&str]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
        if is(&["", "identity"]) {
            Ok(Self::Identity)
        } else if is(&["gzip", "x-gzip"]) {
            Ok(Self::Gzip)
        } else {
            Err(Problem::Encoding)
        }
    }

    /// The bytes as they were before they were coded; at most `bytes_max` of them.
    pub(crate) fn undone(self, wire: &[u8], bytes_max: u64) -> Result<Cow<'_, [u8]>, Problem> {
        match self {
            Self::Identity => Ok(Cow::Borrowed(wire)),
            Self::Gzip => gunzip(wire, bytes_max).map(Cow::Owned),
        }
    }
}

fn gunzip(wire: &[u8], bytes_max: u64) -> Result<Vec<u8>, Problem> {
    let (mut rest, mut plain) = (wire, Vec::new());
    for member in 0.. {
        if member > 0 && rest.is_empty() {
            break;
        }
        if member == MEMBERS_MAX {
            return Err(Problem::Coded(CodingFault::Members));
        }
        if member > 0 && !looks_like_a_member(rest) {
            return Err(Problem::Coded(CodingFault::Trailing));
        }
        rest = inflate(rest, &mut plain, bytes_max)?;
    }
    Ok(plain)
}

/// The two bytes that start every member, or the one that is left of them.
fn looks_like_a_member(rest: &[u8]) -> bool {
    rest.starts_with(&[0x1f, 0x8b]) || rest == [0x1f]
}

/// Undoes one member; gives what follows it.
fn inflate<'a>(wire: &'a [u8], plain: &mut Vec<u8>, bytes_max: u64) -> Result<&'a [u8], Problem> {
    let mut decoder = GzDecoder::new(wire);
    loop {
        let room = bytes_max.saturating_sub(plain.len() as u64);
        // One byte beyond the cap tells a body at the cap from one above it.
        let step = room.saturating_add(1).min(STEP_BYTES);
        let busy = || Problem::Busy;
        plain
            .try_reserve(usize::try_from(step).map_err(|_| busy())?)
            .map_err(|_| busy())?;
        let read = decoder.by_ref().take(step).read_to_end(plain);
        let read = read.map_err(|error| Problem::Coded(fault(&error)))?;
        if plain.len() as u64 > bytes_max {
            return Err(Problem::TooLarge { bytes_max });
        }
        if read == 0 {
            return Ok(decoder.into_inner());
        }
    }
}

fn fault(error: &std::io::Error) -> CodingFault {
    if error.kind() == ErrorKind::UnexpectedEof {
        CodingFault::Truncated
    } else {
        CodingFault::Broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    fn told(wire: &[u8]) -> Result<Vec<u8>, &'static str> {
        let undone = Coding::Gzip.undone(wire, 1_000_000);
        undone
            .map(Cow::into_owned)
            .map_err(|problem| problem.code())
    }

    #[test]
    fn members_are_one_body() {
        let wire = [gzip(b"ab"), gzip(b""), gzip(b"c")].concat();
        assert_eq!(told(&wire), Ok(b"abc".to_vec()));
        assert_eq!(told(&gzip(b"")), Ok(Vec::new()));
    }

    #[test]
    fn each_way_to_be_broken_has_its_code() {
        let whole = gzip(b"some bytes that are more than a few");
        for end in 0..whole.len() {
            assert_eq!(told(&whole[..end]), Err("encoding.truncated"), "{end}");
        }
        for bytes in [&b"x"[..], &[0], &[0x1f, 0x8c, 0, 0], b"{}"] {
            let wire = [&whole, bytes].concat();
            assert_eq!(told(&wire), Err("encoding.trailing_bytes"));
        }
        for end in 1..whole.len() {
            let wire = [&whole, &whole[..end]].concat();
            assert_eq!(told(&wire), Err("encoding.truncated"), "{end}");
        }
        assert_eq!(told(b"{\"type\":\"Point\"}"), Err("encoding.broken"));
        let mut summed = whole.clone();
        let crc = summed.len() - 8;
        summed[crc] ^= 1;
        assert_eq!(told(&summed), Err("encoding.broken"));
        let mut length = whole;
        let last = length.len() - 1;
        length[last] ^= 1;
        assert_eq!(told(&length), Err("encoding.broken"));
    }

    #[test]
    fn a_bomb_stops_at_the_cap() {
        let bomb = gzip(&vec![b' '; 4_000_000]);
        assert!(bomb.len() < 5_000);
        assert_eq!(told(&bomb), Err("limit.bytes"));
        let one = gzip(&vec![b' '; 400_000]);
        assert_eq!(told(&one.repeat(3)), Err("limit.bytes"));
        assert_eq!(
            told(&gzip(&vec![b' '; 1_000_000])).map(|plain| plain.len()),
            Ok(1_000_000)
        );
        assert_eq!(told(&gzip(&vec![b' '; 1_000_001])), Err("limit.bytes"));
    }

    #[test]
    fn members_without_end_are_not_read_to_the_end() {
        assert_eq!(told(&gzip(b"").repeat(1_024)), Ok(Vec::new()));
        assert_eq!(told(&gzip(b"").repeat(100_000)), Err("encoding.members"));
    }
}
