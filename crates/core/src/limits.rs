//! What one request may cost. Everything has a limit, its unit last, its reason beside it.

use serde::{Deserialize, Serialize};

/// The limits of a judgement, as written in settings; each has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of a body. 8 MiB: an isolate of 128 MB
    /// serves several requests at once.
    pub body_bytes_max: u64,
    /// JSON nesting. 128: as deep as common parsers go.
    pub depth_max: u32,
    /// Features in one request. 1,000: one answer stays readable.
    pub features_max: u32,
    /// Positions in one request. 1,000,000: 16 MB of coordinates.
    pub vertices_max: u64,
    /// Violations told; the rest is counted. 100: a person reads no more.
    pub violations_max: u32,
    /// Vertex steps of the validity judge for one request, about a second of work.
    pub work_max: u64,
    /// Positions that go into the overlay of repairs in one request, and as many crossings.
    /// 100,000: 30 MB, and a second at the worst.
    pub repair_vertices_max: u64,
    /// Bytes of one encoded envelope. 8 MiB on the relay; 256 KiB and less on brokers.
    pub envelope_bytes_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 8 << 20,
            depth_max: 128,
            features_max: 1_000,
            vertices_max: 1_000_000,
            violations_max: 100,
            work_max: 10_000_000,
            repair_vertices_max: 100_000,
            envelope_bytes_max: 8 << 20,
        }
    }
}

impl Limits {
    /// No cap on bytes, features, vertices or work: for files on one's own machine. The overlay
    /// of a repair is held under some gigabytes.
    #[must_use]
    pub const fn for_files() -> Self {
        Self {
            body_bytes_max: u64::MAX,
            depth_max: 128,
            features_max: u32::MAX,
            vertices_max: u64::MAX,
            violations_max: u32::MAX,
            work_max: u64::MAX,
            repair_vertices_max: 10_000_000,
            envelope_bytes_max: u64::MAX,
        }
    }
}
