//! Reference layers in memory, and which of their features match a geometry.
//!
//! A layer is made once of all its features ([`LayerBuilder`], from well-known binary or a
//! GeoJSON file), indexed, and then only read: a reload makes another one. Each feature is
//! judged at that moment; a faulty one is told with its place and mended, left out, or the
//! layer is refused, as the [`LayerRules`] say. An event's geometry is read once
//! ([`Subject`]) and asked of each layer ([`Layer::matches`]); [`document`] writes the
//! answers down.
//!
//! Everything is planar, in degrees, longitude first: edges are straight on the map, and so
//! nothing reaches over the antimeridian or round a pole. A feature that crosses it is cut
//! there, as RFC 7946 asks. The order of matches is that of the layer, so the same layer
//! gives the same text.
//!
//! It opens no file and speaks no SQL, knows no event and no clock, and keeps nothing from
//! one question to the next. Sizes: [`FEATURES_MAX`], [`PROPERTIES_BYTES_MAX`],
//! [`MATCHES_MAX`].

mod builder;
mod document;
mod edges;
mod fault;
mod geojson_file;
mod judge;
mod layer;
mod mend;
mod part;
mod rules;
mod subject;

pub use builder::{LayerBuilder, Made};
pub use document::document;
pub use fault::{Fault, LayerError};
pub use layer::{Layer, Matches};
pub use rules::{Faulty, LayerRules, Predicate};
pub use subject::{Subject, Unreadable};

/// Features of a layer: what fits into memory with its index.
pub const FEATURES_MAX: usize = 1_000_000;
/// Bytes of a feature's chosen properties as text: they are copied into every match.
pub const PROPERTIES_BYTES_MAX: usize = 64 * 1024;
/// Matches of one event that can be kept of a layer: they stand in one column.
pub const MATCHES_MAX: usize = 1_000;
/// Faults told of a layer; the rest is counted. A person reads no more.
pub const FAULTS_MAX: usize = 100;
