//! Failure classes and stages: the two words under which every refusal, retry and
//! dead letter is filed. They never carry a cause: the code and the sentence do.

/// What kind of failure it was; decides between retry and poison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FailureClass {
    /// May succeed when tried again as it is.
    Transient,
    /// The geometry is not valid (OGC 06-103r4) or not a geometry (RFC 7946).
    InvalidGeometry,
    /// The document breaks RFC 7946, JSON, or the source's contract.
    SchemaViolation,
    /// Declared in another CRS than the source takes.
    CrsMismatch,
    /// Nobody knows yet; retried within its budget, then a person looks.
    Unknown,
}

impl FailureClass {
    /// Every class, in the order of the declaration.
    pub const ALL: [Self; 5] = [
        Self::Transient,
        Self::InvalidGeometry,
        Self::SchemaViolation,
        Self::CrsMismatch,
        Self::Unknown,
    ];

    /// The fixed name in dead letters, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::InvalidGeometry => "invalid_geometry",
            Self::SchemaViolation => "schema_violation",
            Self::CrsMismatch => "crs_mismatch",
            Self::Unknown => "unknown",
        }
    }

    /// The class of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == name)
    }
}

/// Where on its way an event failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Bytes to JSON.
    Parse,
    /// JSON to GeoJSON, and the source's contract.
    Schema,
    /// The declared CRS and its coordinates.
    CrsTransform,
    /// OGC Simple Features validity.
    TopologyValidation,
    /// Reference layers.
    SpatialJoin,
    /// The sink.
    Persist,
}

impl Stage {
    /// Every stage, in the order an event passes them.
    pub const ALL: [Self; 6] = [
        Self::Parse,
        Self::Schema,
        Self::CrsTransform,
        Self::TopologyValidation,
        Self::SpatialJoin,
        Self::Persist,
    ];

    /// The fixed name in reports, dead letters, metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Schema => "schema",
            Self::CrsTransform => "crs_transform",
            Self::TopologyValidation => "topology_validation",
            Self::SpatialJoin => "spatial_join",
            Self::Persist => "persist",
        }
    }

    /// The stage of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

/// Where dead letters go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Destination {
    /// Worth trying again as it is.
    Retry,
    /// Will never succeed as it is, or must not be tried without a person.
    Poison,
}

impl Destination {
    /// Both, in the order of the declaration.
    pub const ALL: [Self; 2] = [Self::Retry, Self::Poison];

    /// The fixed name in metrics, tables and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Poison => "poison",
        }
    }

    /// The destination of that fixed name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|destination| destination.as_str() == name)
    }
}
