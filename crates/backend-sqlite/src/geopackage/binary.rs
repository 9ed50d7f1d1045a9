//! GeoPackage binary (OGC 12-128r19, 2.1.3): a header with the bounds, then well-known
//! binary.

use hexlane_core::geometry::{Bounds, WkbError, wkb_bounds};

const MAGIC: [u8; 2] = *b"GP";
const VERSION_1: u8 = 0;
const LITTLE_ENDIAN: u8 = 1;
const ENVELOPE_XY: u8 = 1 << 1;
const EMPTY: u8 = 1 << 4;
/// The geometry is in a form of an extension's own.
const EXTENDED: u8 = 1 << 5;
/// Magic, version, flags, srs id.
const HEAD_BYTES: usize = 8;

/// Well-known binary as a GeoPackage geometry, with its bounds in the header.
pub(crate) fn encode(wkb: &[u8], srs_id: i32) -> Result<Vec<u8>, WkbError> {
    let bounds = wkb_bounds(wkb)?;
    let kind = if bounds.is_some() { ENVELOPE_XY } else { EMPTY };
    let mut bytes = Vec::with_capacity(HEAD_BYTES + 32 + wkb.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[VERSION_1, LITTLE_ENDIAN | kind]);
    bytes.extend_from_slice(&srs_id.to_le_bytes());
    if let Some(Bounds { x, y }) = bounds {
        for number in [x[0], x[1], y[0], y[1]] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    bytes.extend_from_slice(wkb);
    Ok(bytes)
}

/// The well-known binary in a GeoPackage geometry of any writer; none when it is none.
pub(crate) fn well_known(bytes: &[u8]) -> Option<&[u8]> {
    let (flags, _, wkb) = cut(bytes)?;
    (flags & EXTENDED == 0).then_some(wkb)
}

/// Flags, bounds and well-known binary.
fn cut(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
    if head[..2] != MAGIC {
        return None;
    }
    let flags = head[3];
    let envelope_bytes = match (flags >> 1) & 7 {
        0 => 0,
        1 => 32,
        2 | 3 => 48,
        4 => 64,
        _ => return None,
    };
    let (envelope, wkb) = rest.split_at_checked(envelope_bytes)?;
    Some((flags, envelope, wkb))
}

/// Bounds of a GeoPackage geometry of any writer; none when it is empty or is none.
pub(crate) fn bounds(bytes: &[u8]) -> Option<Bounds> {
    let (flags, envelope, wkb) = cut(bytes)?;
    if flags & EMPTY != 0 {
        return None;
    }
    if envelope.is_empty() {
        return wkb_bounds(wkb).ok().flatten();
    }
    let number = |at: usize| double(envelope, at, flags & LITTLE_ENDIAN != 0);
    Some(Bounds {
        x: [number(0)?, number(1)?],
        y: [number(2)?, number(3)?],
    })
}

fn double(bytes: &[u8], index: usize, little_endian: bool) -> Option<f64> {
    let bytes = bytes.get(index * 8..index * 8 + 8)?.try_into().ok()?;
    let number = if little_endian {
        f64::from_le_bytes(bytes)
    } else {
        f64::from_be_bytes(bytes)
    };
    Some(number).filter(|number| !number.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_backend::conformance::sample::point_wkb;

    #[test]
    fn a_point_carries_its_bounds_and_its_system() {
        let bytes = encode(&point_wkb(8.5, 47.25), 4326).unwrap();
        assert_eq!(&bytes[..8], &[b'G', b'P', 0, 0b11, 0xe6, 0x10, 0, 0]);
        assert_eq!(
            bounds(&bytes),
            Some(Bounds {
                x: [8.5, 8.5],
                y: [47.25, 47.25]
            })
        );
        assert_eq!(&bytes[40..], point_wkb(8.5, 47.25));
    }

    #[test]
    fn an_empty_geometry_says_so() {
        let bytes = encode(&point_wkb(f64::NAN, f64::NAN), 4326).unwrap();
        assert_eq!(bytes[3], 0b1_0001);
        assert_eq!(bounds(&bytes), None);
    }

    #[test]
    fn the_bounds_of_a_writer_without_them_are_found() {
        let bare = [
            &[b'G', b'P', 0, 1, 0xe6, 0x10, 0, 0][..],
            &point_wkb(1.0, 2.0),
        ]
        .concat();
        assert_eq!(
            bounds(&bare),
            Some(Bounds {
                x: [1.0, 1.0],
                y: [2.0, 2.0]
            })
        );
    }

    #[test]
    fn what_is_no_geometry_has_no_bounds() {
        for bytes in [
            &b""[..],
            b"GP",
            b"XX\0\x03\0\0\0\0",
            b"GP\0\x03\0\0\0\0short",
        ] {
            assert_eq!(bounds(bytes), None);
        }
    }
}
