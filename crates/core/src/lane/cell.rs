//! A cell of one of the grids, and how it is found, stored and told.

use super::{quadkey, s2};
use h3o::{CellIndex, LatLng, Resolution};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The grid that a source's cells are of.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Grid {
    /// H3: hexagons, resolutions 0 to 15.
    #[default]
    H3,
    /// S2: curved squares on the cube, levels 0 to 30.
    S2,
    /// Quadkeys: tiles of the web's Mercator map, levels 1 to 30.
    Quadkey,
}

impl Grid {
    /// The fixed name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::H3 => "h3",
            Self::S2 => "s2",
            Self::Quadkey => "quadkey",
        }
    }

    /// The resolutions it has.
    #[must_use]
    pub const fn resolutions(self) -> std::ops::RangeInclusive<u8> {
        match self {
            Self::H3 => 0..=15,
            Self::S2 => 0..=s2::LEVEL_MAX,
            Self::Quadkey => quadkey::LEVEL_MIN..=quadkey::LEVEL_MAX,
        }
    }

    /// The usual one: cells of some 20 to 40 km².
    #[must_use]
    pub const fn resolution_default(self) -> u8 {
        match self {
            Self::H3 => 6,
            Self::S2 => 11,
            Self::Quadkey => 13,
        }
    }

    /// The cell of a place in degrees. Longitude is wrapped; none when the latitude is
    /// outside ±90, a number is not finite, or the grid has no such resolution.
    #[must_use]
    pub fn cell_at(self, longitude: f64, latitude: f64, resolution: u8) -> Option<Cell> {
        if !longitude.is_finite() || !(-90.0..=90.0).contains(&latitude) {
            return None;
        }
        let longitude = wrap_longitude(longitude);
        match self {
            Self::H3 => {
                let resolution = Resolution::try_from(resolution).ok()?;
                let place = LatLng::new(latitude, longitude).ok()?;
                Some(Cell(Inner::H3(place.to_cell(resolution))))
            }
            Self::S2 => s2::cell(longitude, latitude, resolution).map(|id| Cell(Inner::S2(id))),
            Self::Quadkey => {
                let id = quadkey::cell(longitude, latitude, resolution)?;
                Some(Cell(Inner::Quadkey(id)))
            }
        }
    }

    /// The cell of that number, when the grid has it.
    #[must_use]
    pub fn cell(self, raw: u64) -> Option<Cell> {
        let inner = match self {
            Self::H3 => CellIndex::try_from(raw).ok().map(Inner::H3),
            Self::S2 => s2::is_cell(raw).then_some(Inner::S2(raw)),
            Self::Quadkey => quadkey::is_cell(raw).then_some(Inner::Quadkey(raw)),
        };
        inner.map(Cell)
    }
}

/// A cell of one of the grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(Inner);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Inner {
    H3(CellIndex),
    S2(u64),
    Quadkey(u64),
}

impl Cell {
    /// The cell of that H3 index, when it is one.
    #[must_use]
    pub fn new(raw: u64) -> Option<Self> {
        Grid::H3.cell(raw)
    }

    /// The H3 cell of a place in degrees, as [`Grid::cell_at`] gives it.
    #[must_use]
    pub fn at(longitude: f64, latitude: f64, resolution: u8) -> Option<Self> {
        Grid::H3.cell_at(longitude, latitude, resolution)
    }

    /// Its grid.
    #[must_use]
    pub const fn grid(self) -> Grid {
        match self.0 {
            Inner::H3(_) => Grid::H3,
            Inner::S2(_) => Grid::S2,
            Inner::Quadkey(_) => Grid::Quadkey,
        }
    }

    /// Its number within the grid: the H3 index, the S2 cell id, or the quadkey's digits as
    /// two bits each behind a one.
    #[must_use]
    pub fn get(self) -> u64 {
        match self.0 {
            Inner::H3(index) => index.into(),
            Inner::S2(id) | Inner::Quadkey(id) => id,
        }
    }
}

/// As the grid's own tools write it: the H3 index, the S2 token, the quadkey.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Inner::H3(index) => write!(formatter, "{:x}", u64::from(index)),
            Inner::S2(id) => formatter.write_str(&s2::token(id)),
            Inner::Quadkey(id) => formatter.write_str(&quadkey::text(id)),
        }
    }
}

/// −180 is 180; anything further out is brought back by whole turns.
fn wrap_longitude(longitude: f64) -> f64 {
    if longitude > -180.0 && longitude <= 180.0 {
        return longitude;
    }
    180.0 - (180.0 - longitude).rem_euclid(360.0)
}
