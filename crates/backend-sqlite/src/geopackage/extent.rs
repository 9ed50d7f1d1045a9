//! The layer's extent in `gpkg_contents`, which QGIS zooms to. Read from the root node of
//! the R-tree: one row however large the layer, shrinking with deletes, rounded outwards
//! to 32-bit floats as SQLite keeps them.

use rusqlite::{Connection, OptionalExtension};

/// Bytes of a root node before its cells: depth, count.
const HEAD_BYTES: usize = 4;
/// A cell: id, then minx, maxx, miny, maxy.
const CELL_BYTES: usize = 8 + 4 * 4;

/// Brings extent and time of change of `features` up to date.
pub(crate) fn refresh(connection: &Connection, now_us: i64) -> rusqlite::Result<()> {
    let root: Option<Vec<u8>> = connection
        .prepare_cached("SELECT data FROM rtree_features_geom_node WHERE nodeno = 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let extent = root.as_deref().and_then(of_root);
    let [min_x, max_x, min_y, max_y] = extent.map_or([None; 4], |extent| extent.map(Some));
    connection
        .prepare_cached(
            "UPDATE gpkg_contents SET min_x = ?1, max_x = ?2, min_y = ?3, max_y = ?4,
               last_change = coalesce(
                 strftime('%Y-%m-%dT%H:%M:%fZ', ?5 / 1000000.0, 'unixepoch'), last_change)
             WHERE table_name = 'features'",
        )?
        .execute((min_x, max_x, min_y, max_y, now_us))?;
    Ok(())
}

/// minx, maxx, miny, maxy of all cells; none without any.
fn of_root(node: &[u8]) -> Option<[f64; 4]> {
    let (head, cells) = node.split_first_chunk::<HEAD_BYTES>()?;
    let count = usize::from(u16::from_be_bytes([head[2], head[3]]));
    let cells = cells.chunks_exact(CELL_BYTES).take(count).filter_map(cell);
    cells.reduce(|a, b| {
        [
            a[0].min(b[0]),
            a[1].max(b[1]),
            a[2].min(b[2]),
            a[3].max(b[3]),
        ]
    })
}

fn cell(bytes: &[u8]) -> Option<[f64; 4]> {
    let number = |at: usize| {
        let bytes = bytes.get(8 + at * 4..12 + at * 4)?.try_into().ok()?;
        Some(f64::from(f32::from_be_bytes(bytes)))
    };
    Some([number(0)?, number(1)?, number(2)?, number(3)?])
}
