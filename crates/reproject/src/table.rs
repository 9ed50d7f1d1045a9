//! The list as text, one line a row, sorted by the number that each line starts with: it is
//! read where it lies, so that nothing is unpacked before the first look-up, and it packs
//! well. `data/generate.py` writes it.

/// A supported code: `code accuracy datum_accuracy northing area shape datum values`.
pub(crate) const SYSTEMS: &str = include_str!("../data/systems.txt");
/// Definitions with a `$` for each value.
pub(crate) const SHAPES: &str = include_str!("../data/shapes.txt");
/// Ellipsoid, shift to WGS 84, prime meridian, unit.
pub(crate) const DATUMS: &str = include_str!("../data/datums.txt");
/// West, south, east, north.
pub(crate) const AREAS: &str = include_str!("../data/areas.txt");
/// Codes that need a datum grid.
pub(crate) const NEEDS_GRID: &str = include_str!("../data/needs_grid.txt");

/// The line that starts with a number, without it.
pub(crate) fn line(table: &'static str, number: u32) -> Option<&'static str> {
    let bytes = table.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low.midpoint(high);
        let before = bytes.get(low..middle)?;
        let start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(low, |newline| low + newline + 1);
        let rest = table.get(start..)?;
        let line = rest.split('\n').next()?;
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        match first.parse::<u32>().ok()?.cmp(&number) {
            core::cmp::Ordering::Equal => return Some(rest),
            core::cmp::Ordering::Less => low = start + line.len() + 1,
            core::cmp::Ordering::Greater => high = start,
        }
    }
    None
}
