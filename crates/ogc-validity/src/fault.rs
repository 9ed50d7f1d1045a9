//! One fault: what is wrong, where it lies, and which vertices or edges are to blame.

/// What is wrong. The [code](FaultKind::code) is contract: it never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultKind {
    /// An ordinate is NaN or infinite.
    NonFinite,
    /// A ring's last position differs from its first, in any ordinate.
    NotClosed,
    /// A line of fewer than two distinct positions, or a ring of fewer than four once repeats are dropped.
    TooFewPoints,
    /// A ring of enough positions, all on one straight line: it encloses nothing.
    Collapsed,
    /// A ring that is there already, wherever it starts and whichever way it runs.
    DuplicateRings,
    /// Two edges cross, or run along each other (a spike too), or two rings cross at a vertex.
    SelfIntersection,
    /// A ring comes back to a point of its own.
    RingSelfIntersection,
    /// Two parts cover common ground. Told once for each part, at the first proof, beside the intersections themselves.
    OverlappingParts,
    /// A hole is not inside its shell.
    HoleOutsideShell,
    /// A hole lies inside another hole of its polygon.
    NestedHoles,
    /// A polygon lies inside another one of the same geometry, and not in a hole of it.
    NestedShells,
    /// Rings touch so that the interior falls apart.
    DisconnectedInterior,
}

impl FaultKind {
    /// Every kind, in the order in which totals are listed.
    pub const ALL: [Self; 12] = [
        Self::NonFinite,
        Self::NotClosed,
        Self::TooFewPoints,
        Self::Collapsed,
        Self::DuplicateRings,
        Self::SelfIntersection,
        Self::RingSelfIntersection,
        Self::OverlappingParts,
        Self::HoleOutsideShell,
        Self::NestedHoles,
        Self::NestedShells,
        Self::DisconnectedInterior,
    ];

    /// The stable name for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NonFinite => "non_finite",
            Self::NotClosed => "not_closed",
            Self::TooFewPoints => "too_few_points",
            Self::Collapsed => "collapsed",
            Self::DuplicateRings => "duplicate_rings",
            Self::SelfIntersection => "self_intersection",
            Self::RingSelfIntersection => "ring_self_intersection",
            Self::OverlappingParts => "overlapping_parts",
            Self::HoleOutsideShell => "hole_outside_shell",
            Self::NestedHoles => "nested_holes",
            Self::NestedShells => "nested_shells",
            Self::DisconnectedInterior => "disconnected_interior",
        }
    }

    /// The clause of OGC 06-103r4 (Simple Features, part 1) that the fault offends.
    #[must_use]
    pub const fn clause(self) -> &'static str {
        match self {
            Self::NonFinite => {
                "OGC 06-103r4 6.1.4: a point is a single location in coordinate space"
            }
            Self::NotClosed => "OGC 06-103r4 6.1.7.1: a linear ring is closed",
            Self::TooFewPoints => {
                "OGC 06-103r4 6.1.7.1: each consecutive pair of points defines a line segment"
            }
            Self::Collapsed => {
                "OGC 06-103r4 6.1.11.1 d: a polygon has no cut lines, spikes or punctures"
            }
            Self::DuplicateRings => {
                "OGC 06-103r4 6.1.11.1 c: rings meet at single points only, as a tangent"
            }
            Self::SelfIntersection => {
                "OGC 06-103r4 6.1.11.1 c: no two rings cross, and a ring is simple"
            }
            Self::RingSelfIntersection => "OGC 06-103r4 6.1.7.1: a linear ring is simple",
            Self::OverlappingParts | Self::NestedShells => {
                "OGC 06-103r4 6.1.14.1 a: the interiors of two polygons do not intersect"
            }
            Self::HoleOutsideShell => {
                "OGC 06-103r4 6.1.11.1 b: interior rings lie inside the exterior ring"
            }
            Self::NestedHoles => {
                "OGC 06-103r4 6.1.11.1 f: each hole is one component of the exterior"
            }
            Self::DisconnectedInterior => {
                "OGC 06-103r4 6.1.11.1 e: the interior is a connected point set"
            }
        }
    }
}

/// A vertex or an edge by its numbers in the input, from 0. Repeated positions count.
///
/// An edge goes by its first vertex. A single point or line is part 0, ring 0; in a multi-point the part counts the
/// points, in a multi-line the ring counts the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Which part.
    pub part: u32,
    /// Which ring of that part; 0 is the shell.
    pub ring: u32,
    /// Which vertex of that ring.
    pub vertex: u32,
}

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// Where, in the units of the input. May hold what is not a number when that is the fault.
    pub location: [f64; 2],
    /// The other end, where two edges run along each other.
    pub location_end: Option<[f64; 2]>,
    /// Whether `location` (and `location_end`) is a vertex of the input. Otherwise it is computed, for reading only.
    pub location_exact: bool,
    /// The vertex or edge to blame; of two, the earlier one, save where the kind is about the later ring or part.
    pub at: Place,
    /// The other one, where two are needed.
    pub other: Option<Place>,
}
