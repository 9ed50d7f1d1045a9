//! White space between tokens.

/// The first index that holds none.
#[inline]
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at)
        && *byte <= b' '
        && matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
    {
        at += 1;
    }
    at
}
