//! Coordinates from one system to a target, in place.

use crate::code::System;
use crate::mercator;
use proj4rs::Proj;

/// Where coordinates go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// EPSG:4326 in the order of GeoJSON: longitude, latitude in degrees.
    LonLat,
    /// EPSG:3857: metres, within ±85.051129° of latitude.
    WebMercator,
}

/// What became of a position that has no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position {position}: {kind}")]
pub struct Failure {
    /// Which position of the slice, from 0.
    pub position: usize,
    /// Why.
    pub kind: FailureKind,
}

/// Why a position has no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailureKind {
    /// It was not finite, or the projection is not defined there.
    #[error("the projection has no finite result here")]
    NotFinite,
    /// The result is no longitude and latitude.
    #[error("the result is beyond 180 degrees of longitude or 90 of latitude")]
    OutOfRange,
    /// A latitude that Web Mercator has not.
    #[error("latitudes beyond 85.051129 degrees have no place in EPSG:3857")]
    BeyondMercator,
}

/// A definition that cannot be computed with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("definition `{definition}`: {reason}")]
pub struct DefinitionError {
    /// The text, in the notation of PROJ 4.
    pub definition: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A prepared way from one system to a target. Preparing costs some microseconds and
/// allocates; using it does not.
#[derive(Clone, Debug)]
pub struct Transform {
    way: Way,
    target: Target,
}

#[derive(Clone, Debug)]
enum Way {
    /// Degrees that are taken as degrees on WGS 84.
    Degrees,
    /// Web Mercator.
    Mercator,
    Projection(Box<Projection>),
}

#[derive(Clone, Debug)]
struct Projection {
    from: Proj,
    wgs84: Proj,
    is_degrees: bool,
}

const WGS84: &str = "+proj=longlat +ellps=WGS84 +towgs84=0,0,0";

impl Transform {
    /// From a system of the list.
    ///
    /// # Errors
    /// None of a system of the list: each is prepared in the tests.
    pub fn new(from: &System, target: Target) -> Result<Self, DefinitionError> {
        if from.code == 3857 {
            let way = Way::Mercator;
            return Ok(Self { way, target });
        }
        Self::from_definition(&from.definition, target)
    }

    /// From a definition in the notation of PROJ 4: for the generator of the list, and for
    /// systems of one's own.
    ///
    /// # Errors
    /// When the text is not understood, or has no inverse.
    pub fn from_definition(definition: &str, target: Target) -> Result<Self, DefinitionError> {
        let parse = |text: &str| {
            Proj::from_proj_string(text).map_err(|error| DefinitionError {
                definition: text.to_owned(),
                reason: error.to_string(),
            })
        };
        let from = parse(definition)?;
        let plain = ["+towgs84", "+pm", "+axis", "+geoc"];
        let is_degrees = from.is_latlong();
        let way = if is_degrees && !plain.iter().any(|part| definition.contains(part)) {
            Way::Degrees
        } else if from.has_inverse() && !from.is_geocent() {
            Way::Projection(Box::new(Projection {
                from,
                wgs84: parse(WGS84)?,
                is_degrees,
            }))
        } else {
            return Err(DefinitionError {
                definition: definition.to_owned(),
                reason: "it has no inverse in two dimensions".to_owned(),
            });
        };
        Ok(Self { way, target })
    }

    /// Changes every position of a flat slice, `stride` numbers each (2 or 3; the third is
    /// left as it is). Numbers behind the last whole position are left too. What crosses the
    /// antimeridian comes out with longitudes of both signs: splitting it is the caller's.
    ///
    /// # Errors
    /// At the first position without an image; those before it are changed already.
    pub fn apply(&self, coordinates: &mut [f64], stride: usize) -> Result<(), Failure> {
        for (position, place) in coordinates.chunks_exact_mut(stride.max(2)).enumerate() {
            let (x, y) = self
                .point(place[0], place[1])
                .map_err(|kind| Failure { position, kind })?;
            (place[0], place[1]) = (x, y);
        }
        Ok(())
    }

    /// One position.
    ///
    /// # Errors
    /// When it has no image.
    pub fn point(&self, x: f64, y: f64) -> Result<(f64, f64), FailureKind> {
        if !(x.is_finite() && y.is_finite()) {
            return Err(FailureKind::NotFinite);
        }
        let (lon, lat) = match &self.way {
            Way::Degrees => (x, y),
            Way::Mercator => {
                let (lon, lat) = mercator::inverse(x, y);
                (clamped(lon), lat)
            }
            Way::Projection(projection) => projection.inverse(x, y)?,
        };
        if lon.abs() > 180.0 || lat.abs() > 90.0 {
            return Err(FailureKind::OutOfRange);
        }
        match self.target {
            Target::LonLat => Ok((lon, lat)),
            Target::WebMercator if lat.abs() > mercator::LATITUDE_MAX => {
                Err(FailureKind::BeyondMercator)
            }
            Target::WebMercator => Ok(match self.way {
                Way::Mercator => (x, y),
                Way::Degrees | Way::Projection(_) => mercator::forward(lon, lat),
            }),
        }
    }
}

impl Projection {
    fn inverse(&self, x: f64, y: f64) -> Result<(f64, f64), FailureKind> {
        let mut point = if self.is_degrees {
            if x.abs() > 180.0 || y.abs() > 90.0 {
                return Err(FailureKind::OutOfRange);
            }
            (x.to_radians(), y.to_radians(), 0.0)
        } else {
            (x, y, 0.0)
        };
        proj4rs::transform::transform(&self.from, &self.wgs84, &mut point)
            .map_err(|_| FailureKind::NotFinite)?;
        let (lon, lat) = (point.0.to_degrees(), point.1.to_degrees());
        if !(lon.is_finite() && lat.is_finite()) {
            return Err(FailureKind::NotFinite);
        }
        Ok((wrapped(clamped(lon)), lat))
    }
}

/// A longitude that rounding carried over the antimeridian is on it: else the edge of a map
/// would jump to the other side.
fn clamped(lon: f64) -> f64 {
    let beyond = lon.abs() - 180.0;
    if beyond > 0.0 && beyond < 1e-9 {
        180.0_f64.copysign(lon)
    } else {
        lon
    }
}

/// A prime meridian or a datum shift may carry a longitude over the antimeridian, once.
fn wrapped(lon: f64) -> f64 {
    if lon > 180.0 {
        lon - 360.0
    } else if lon < -180.0 {
        lon + 360.0
    } else {
        lon
    }
}
