//! What stands in an entry of a stream.

/// The encoded envelope.
pub const ENVELOPE: &str = "envelope";

/// When it was enqueued by the writer's clock, µs since 1970.
pub const AT: &str = "at";

/// Field of other producers: the H3 cell, as text.
pub const H3_CELL: &str = "h3_cell";
/// Field of other producers: what the event is about.
pub const DEVICE_ID: &str = "device_id";
/// Field of other producers: a GeoJSON geometry.
pub const GEOMETRY: &str = "geometry";
/// Field of other producers: when it was seen.
pub const OBSERVED_AT: &str = "observed_at";
