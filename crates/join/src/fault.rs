//! What is wrong with a reference feature, or with a whole layer.

use std::fmt;

/// A feature that is not as it should be, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands in its file or table: `/features/17`, `fid 17`.
    pub place: String,
    /// What is wrong, and where on the map.
    pub reason: String,
    /// Whether it is in the layer all the same, mended.
    pub mended: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let became = if self.mended { "mended" } else { "left out" };
        write!(formatter, "{}: {} ({became})", self.place, self.reason)
    }
}

/// Why there is no layer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayerError {
    /// The file is not GeoJSON, or not a collection of features.
    #[error("not a GeoJSON feature collection: {0}")]
    NotGeoJson(String),
    /// It says that it is in another system than degrees, longitude first.
    #[error("it is in `{0}`, and layers are in OGC:CRS84 or EPSG:4326")]
    Crs(String),
    /// The properties of a feature are not a JSON object.
    #[error("{place}: the properties are not a JSON object")]
    Properties {
        /// The feature's place.
        place: String,
    },
    /// The chosen properties of a feature are too many bytes to be copied into each match.
    #[error("{place}: the chosen properties have {bytes} bytes, at most {max} fit", max = crate::PROPERTIES_BYTES_MAX)]
    PropertiesTooLarge {
        /// The feature's place.
        place: String,
        /// Their bytes.
        bytes: usize,
    },
    /// More features than fit.
    #[error("it has more than {max} features", max = crate::FEATURES_MAX)]
    TooManyFeatures,
    /// A feature is not valid, and the rules say to refuse then.
    #[error("{place}: {reason}")]
    Faulty {
        /// The feature's place.
        place: String,
        /// What is wrong.
        reason: String,
    },
}
