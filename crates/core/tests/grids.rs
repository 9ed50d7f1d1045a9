//! Lanes by the cells of S2 and of quadkeys, beside those of H3.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test stops where it is surprised"
)]

use hexlane_core::envelope::Envelope;
use hexlane_core::judge::{Entry, Format, Request, judge};
use hexlane_core::lane::{Cell, Grid, ShardMap};
use hexlane_core::limits::Limits;
use hexlane_core::source::{AuthSettings, SourceSettings};
use proptest::prelude::*;

const GRIDS: [Grid; 3] = [Grid::H3, Grid::S2, Grid::Quadkey];

fn event(grid: Grid, resolution: Option<u8>) -> Envelope {
    let mut settings = SourceSettings::new(AuthSettings::None);
    (settings.grid, settings.resolution) = (grid, resolution);
    let source = settings.resolve("fleet", |_| None).unwrap();
    let body = br#"{"type":"Point","coordinates":[13.377704,52.516275]}"#;
    let request = Request {
        source: &source,
        body,
        format: Format::Document,
        event: None,
        content_type: "application/geo+json",
        content_crs: None,
        key: None,
        repair: &[],
        traceparent: None,
        accepted_at_us: 1_796_040_000_000_000,
    };
    let judged = judge(&request, &Limits::default(), ShardMap::default());
    match judged.entries.into_iter().next() {
        Some(Entry::Event(envelope)) => *envelope,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_cell_of_a_sources_grid_is_the_lane_and_survives_the_wire() {
    for (grid, resolution, lane) in [
        (Grid::H3, None, "861f1d48fffffff"),
        (Grid::H3, Some(5), "851f1d4bfffffff"),
        (Grid::S2, None, "47a851c"),
        (Grid::S2, Some(4), "47b"),
        (Grid::Quadkey, None, "1202102332220"),
        (Grid::Quadkey, Some(1), "1"),
    ] {
        let envelope = event(grid, resolution);
        assert_eq!(envelope.lane_key.as_str(), lane, "{grid:?}");
        assert_eq!(envelope.cell.map(Cell::grid), Some(grid));
        assert_eq!(
            envelope.shard,
            ShardMap::default().shard(&envelope.lane_key)
        );
        assert_eq!(Envelope::decode(&envelope.encode()), Ok(envelope));
    }
}

#[test]
fn a_resolution_that_the_grid_does_not_have_is_a_mistake() {
    let mistake = |grid, resolution| {
        let mut settings = SourceSettings::new(AuthSettings::None);
        (settings.grid, settings.resolution) = (grid, Some(resolution));
        let resolved = settings.resolve("a", |_| None);
        resolved.map_or_else(|error| error.to_string(), |_| String::new())
    };
    for (grid, least, most) in [(Grid::H3, 0, 15), (Grid::S2, 0, 30), (Grid::Quadkey, 1, 30)] {
        assert_eq!(
            (mistake(grid, least), mistake(grid, most)),
            Default::default()
        );
        let name = grid.as_str();
        let expected = format!(
            "source `a`: `resolution` is {}, {name} has {least} to {most}",
            most + 1
        );
        assert_eq!(mistake(grid, most + 1), expected);
    }
    assert_ne!(mistake(Grid::Quadkey, 0), "");
}

#[test]
fn one_place_has_one_cell_at_180_degrees_and_at_the_poles() {
    for grid in GRIDS {
        let at = |longitude, latitude| grid.cell_at(longitude, latitude, 6).unwrap();
        for latitude in [-80.0, 0.0, 33.3] {
            assert_eq!(at(180.0, latitude), at(-180.0, latitude), "{grid:?}");
            assert_eq!(at(190.0, latitude), at(-170.0, latitude), "{grid:?}");
        }
        assert!(grid.cell_at(0.0, 90.0, 6).is_some() && grid.cell_at(0.0, -90.0, 6).is_some());
        assert_eq!(grid.cell_at(0.0, 90.1, 6), None);
        assert_eq!(grid.cell_at(f64::NAN, 0.0, 6), None);
        assert_eq!(grid.cell_at(0.0, 0.0, 31), None);
    }
}

#[test]
fn a_place_on_a_border_has_the_cell_that_it_has_in_wasm() {
    // Native sines of a platform's own library gave `8dc3681436124bf`.
    let cell = Grid::H3.cell_at(-66.445_408_370_754_27, -35.101_814_104_731_5, 13);
    assert_eq!(cell.unwrap().to_string(), "8dc3681436a187f");
}

proptest! {
    #[test]
    fn a_cell_is_known_by_its_grid_and_number(
        longitude in -180.0..180.0_f64,
        latitude in -90.0..=90.0_f64,
        level in 1_u8..=15,
    ) {
        for grid in GRIDS {
            let cell = grid.cell_at(longitude, latitude, level).unwrap();
            prop_assert_eq!(grid.cell(cell.get()), Some(cell));
        }
    }

    /// A coarser cell holds the finer one: their texts say so.
    #[test]
    fn a_quadkey_starts_with_those_around_it(
        longitude in -180.0..180.0_f64,
        latitude in -90.0..=90.0_f64,
    ) {
        let text = |level| Grid::Quadkey.cell_at(longitude, latitude, level).unwrap().to_string();
        let leaf = text(30);
        for level in 1..30 {
            prop_assert_eq!(text(level), &leaf[..usize::from(level)]);
        }
    }
}
