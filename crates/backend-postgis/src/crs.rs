//! The CRS that the map is stored in, and which geometries have a place in it.
//!
//! EPSG:3857 is refused beyond its own area of use, latitude ±85.06: metres mean nothing
//! there, no tile shows it, and clipping would change what the sender said. Such a row is
//! `persist.rejected` and ends among the dead letters with its bytes; a map whose events
//! reach the poles is stored in EPSG:4326.

use hexlane_core::geometry::{Bounds, wkb_bounds};

/// The CRS of the map's geometry. Fixed when the map is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapCrs {
    /// Longitude and latitude on WGS 84, as received.
    #[default]
    Epsg4326,
    /// Web Mercator, by `ST_Transform` in the statement that stores it.
    Epsg3857,
}

impl MapCrs {
    /// How far from the equator EPSG:3857 reaches, by its entry in the EPSG registry.
    pub const MERCATOR_LATITUDE_MAX: f64 = 85.06;

    /// The EPSG code.
    #[must_use]
    pub const fn epsg(self) -> i32 {
        match self {
            Self::Epsg4326 => 4326,
            Self::Epsg3857 => 3857,
        }
    }

    /// How a column `wkb` becomes the stored geometry.
    pub(crate) const fn expression(self) -> &'static str {
        match self {
            Self::Epsg4326 => "@postgis.ST_GeomFromWKB(g.wkb, 4326)",
            Self::Epsg3857 => "@postgis.ST_Transform(@postgis.ST_GeomFromWKB(g.wkb, 4326), 3857)",
        }
    }

    /// Why a geometry cannot be stored; nothing when it can. PostGIS says the same with a
    /// SQLSTATE that tells a bad row not from a defect, so it is asked first.
    pub(crate) fn refusal(self, wkb: &[u8]) -> Option<String> {
        match wkb_bounds(wkb) {
            Err(error) => Some(error.to_string()),
            Ok(None) => None,
            Ok(Some(bounds)) => match self {
                Self::Epsg4326 => None,
                Self::Epsg3857 => beyond_mercator(&bounds),
            },
        }
    }
}

fn beyond_mercator(bounds: &Bounds) -> Option<String> {
    let [south, north] = bounds.y;
    let furthest = if -south > north { south } else { north };
    let inside = furthest.abs() <= MapCrs::MERCATOR_LATITUDE_MAX;
    (!inside).then(|| {
        format!(
            "latitude {furthest} has no place in EPSG:3857, which ends at ±{}",
            MapCrs::MERCATOR_LATITUDE_MAX
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexlane_backend::conformance::sample::point_wkb;

    #[test]
    fn mercator_ends_before_the_poles_and_degrees_do_not() {
        for (latitude, inside) in [
            (85.06, true),
            (-85.06, true),
            (85.061, false),
            (-90.0, false),
        ] {
            let wkb = point_wkb(10.0, latitude);
            assert_eq!(
                MapCrs::Epsg3857.refusal(&wkb).is_none(),
                inside,
                "{latitude}"
            );
            assert_eq!(MapCrs::Epsg4326.refusal(&wkb), None, "{latitude}");
        }
    }

    #[test]
    fn bytes_that_are_no_geometry_are_refused_in_both() {
        for crs in [MapCrs::Epsg4326, MapCrs::Epsg3857] {
            assert!(crs.refusal(&[1]).is_some());
        }
    }
}
