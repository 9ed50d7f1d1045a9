//! What is known of an EPSG code.

use crate::table;

/// What became of a look-up.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// Its coordinates can be transformed.
    Supported(System),
    /// EPSG knows it, but only a datum grid transforms it well enough; none is carried.
    NeedsGrid,
    /// No such code, no horizontal system in two dimensions, deprecated, or not computable
    /// within the bounds of the list.
    Unsupported,
}

/// A supported system.
#[derive(Clone, Debug, PartialEq)]
pub struct System {
    /// The EPSG code, an alias resolved.
    pub code: u32,
    /// How far results may lie from those of PROJ by the definition in the EPSG dataset and
    /// without grids, in metres: measured over the area of use, rounded up to 0.001, 0.01,
    /// 0.1, 1, 10 or 20. Nothing beyond is in the list. More than a centimetre means that EPSG
    /// has several operations for parts of the area, and one was taken.
    pub accuracy_m: f64,
    /// How well its datum is tied to WGS 84 at all, in metres: what EPSG states of the datum
    /// operation that is used, 20 at most; none when EPSG does not know.
    pub datum_accuracy_m: Option<f64>,
    /// Where it is meant to be used.
    pub area: Area,
    /// EPSG names the northing (or the latitude) first. Coordinates are x, y all the same:
    /// a hint of what a sender may have confused.
    pub northing_first: bool,
    /// Its coordinates are degrees.
    pub geographic: bool,
    pub(crate) definition: String,
}

impl System {
    /// The definition by which it is computed, in the notation of PROJ 4.
    #[must_use]
    pub fn definition(&self) -> &str {
        &self.definition
    }
}

/// A box in degrees on WGS 84; it crosses the antimeridian when `west` is greater than `east`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Western edge.
    pub west: f64,
    /// Southern edge.
    pub south: f64,
    /// Eastern edge.
    pub east: f64,
    /// Northern edge.
    pub north: f64,
}

impl Area {
    /// Whether a place lies inside, or within `margin` degrees of it.
    #[must_use]
    pub fn contains(&self, lon: f64, lat: f64, margin: f64) -> bool {
        let (west, east) = (self.west - margin, self.east + margin);
        let in_longitude = if self.west <= self.east {
            (west..=east).contains(&lon)
        } else {
            (lon >= west || lon <= east) && lon.abs() <= 180.0
        };
        in_longitude && (self.south - margin..=self.north + margin).contains(&lat)
    }
}

/// Looks up an EPSG code. The names that Web Mercator had before EPSG took it in (102100 of
/// Esri, 900913 of Google) are 3857; 4979 is 4326 with heights.
#[must_use]
pub fn look_up(code: u32) -> Lookup {
    let code = match code {
        102_100 | 900_913 => 3857,
        4979 => 4326,
        code => code,
    };
    if let Some(system) = table::line(table::SYSTEMS, code).and_then(|row| read(code, row)) {
        return Lookup::Supported(system);
    }
    match table::line(table::NEEDS_GRID, code) {
        Some(_) => Lookup::NeedsGrid,
        None => Lookup::Unsupported,
    }
}

/// Every supported code, ascending; aliases apart.
pub fn codes() -> impl Iterator<Item = u32> {
    let first = |line: &str| line.split(' ').next().and_then(|code| code.parse().ok());
    table::SYSTEMS.lines().filter_map(first)
}

fn read(code: u32, row: &str) -> Option<System> {
    let mut fields = row.splitn(7, ' ');
    let accuracy_m = fields.next()?.parse().ok()?;
    let datum_accuracy_m = fields.next()?.parse().ok();
    let northing_first = fields.next()? == "n";
    let area = table::line(table::AREAS, fields.next()?.parse().ok()?)?;
    let shape = table::line(table::SHAPES, fields.next()?.parse().ok()?)?;
    let datum = table::line(table::DATUMS, fields.next()?.parse().ok()?)?;
    let definition = definition(shape, fields.next().unwrap_or(""), datum);
    Some(System {
        code,
        accuracy_m,
        datum_accuracy_m,
        area: read_area(area)?,
        northing_first,
        geographic: shape == "proj=longlat",
        definition,
    })
}

fn read_area(row: &str) -> Option<Area> {
    let mut edges = row.split(' ').map(str::parse);
    Some(Area {
        west: edges.next()?.ok()?,
        south: edges.next()?.ok()?,
        east: edges.next()?.ok()?,
        north: edges.next()?.ok()?,
    })
}

/// `proj=tmerc lon_0=$`, `9` and `ellps=bessel` are `+proj=tmerc +lon_0=9 +ellps=bessel`.
fn definition(shape: &str, values: &str, datum: &str) -> String {
    let mut values = values.split(' ');
    let mut text = String::with_capacity(160);
    for part in shape.split(' ').chain(datum.split(' ')) {
        if part.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push('+');
        match part.strip_suffix('$') {
            Some(name) => {
                text.push_str(name);
                text.push_str(values.next().unwrap_or_default());
            }
            None => text.push_str(part),
        }
    }
    text
}
