//! Reference layers as a store keeps them: what events are joined to.
//!
//! # What every source of a layer gives
//! - Every feature of the layer, whole, in an order that is the same each time: the order
//!   decides which matches are told first.
//! - Geometry as ISO or extended well-known binary in degrees, longitude first (EPSG:4326 or
//!   OGC:CRS84). A layer in another system is refused ([`Code::Settings`]), never read as if
//!   it were in degrees.
//! - Properties as a JSON object. Bytes have no place in one and are left out.
//! - [`LayerSource::stamp`] is cheap, and another one whenever the content may be another. A
//!   change may be seen late; none is missed for ever.
//! - A read sees one state and tells its stamp. Where that cannot be had, because the layer
//!   changed meanwhile, it is [`Code::Busy`].
//! - Away, missing or unreadable is a [`Failure`]; it never gives half a layer.
//!
//! Not here: validity, indexes, what matches. Whoever reads judges what it gets.

use crate::failure::{Code, Failure, Part};
use std::fmt;
use std::future::Future;

/// Features of a layer: what fits into memory with its index.
pub const LAYER_FEATURES_MAX: usize = 1_000_000;
/// Bytes of a layer, geometry and properties together, for the same reason.
pub const LAYER_BYTES_MAX: usize = 1 << 30;

/// A feature of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerFeature {
    /// Where it stands, for a person: `fid 17`.
    pub place: String,
    /// Well-known binary; none without a geometry.
    pub wkb: Option<Vec<u8>>,
    /// JSON object text.
    pub properties: String,
}

/// What tells one state of a layer from another; compared, never read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerStamp(String);

impl LayerStamp {
    /// A stamp of that text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for LayerStamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A layer in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerRead {
    /// The state.
    pub stamp: LayerStamp,
    /// Every feature, in order.
    pub features: Vec<LayerFeature>,
}

/// Where a layer is kept.
pub trait LayerSource: Send + Sync + 'static {
    /// The state that the layer is in now.
    fn stamp(&self) -> impl Future<Output = Result<LayerStamp, Failure>> + Send;

    /// All of it.
    fn read(&self) -> impl Future<Output = Result<LayerRead, Failure>> + Send;
}

/// Features under reading, within the limits.
#[derive(Debug, Default)]
pub struct LayerContent {
    features: Vec<LayerFeature>,
    bytes: usize,
}

impl LayerContent {
    /// Takes the next feature.
    ///
    /// # Errors
    /// When the layer is over a limit.
    pub fn push(&mut self, feature: LayerFeature) -> Result<(), Failure> {
        let geometry = feature.wkb.as_ref().map_or(0, Vec::len);
        self.bytes += geometry + feature.properties.len();
        if self.features.len() >= LAYER_FEATURES_MAX || self.bytes > LAYER_BYTES_MAX {
            let detail = format!(
                "a layer has at most {LAYER_FEATURES_MAX} features, {LAYER_BYTES_MAX} bytes"
            );
            return Err(Failure::new(Part::Layers, Code::BatchTooLarge).with_detail(detail));
        }
        self.features.push(feature);
        Ok(())
    }

    /// What was read.
    #[must_use]
    pub fn into_features(self) -> Vec<LayerFeature> {
        self.features
    }
}
