//! The repairs by name, and those that need no overlay.

use ogc_validity::{OwnedShape, ShapeKind};

use crate::geometry::{Tables, narrow, twice_area};

/// Which of two readings of crossing rings `make-valid` takes. GEOS' own two methods differ in area on a third of the
/// outside cases, so the reading has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// What an odd number of rings goes round is inside; all rings of all parts that are repaired together. As GEOS
    /// `linework`. Common ground of two parts is outside.
    EvenOdd,
    /// Each ring by itself is what it goes round (non-zero); holes are taken from their shell, a hole that covers nothing
    /// of it becomes a part, parts are united. As GEOS `structure`.
    Structure,
}

/// One repair, as named in `Prefer: repair="…"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A ring whose last position differs from its first gets the first again at its end. An empty ring stays.
    CloseRing,
    /// A position equal to the one before, in all ordinates, is left out.
    DropRepeats,
    /// Shells counter-clockwise, holes clockwise (RFC 7946 section 3.1.6). A ring without area stays.
    Rewind,
    /// See `make_valid`.
    MakeValid(Rule),
    /// First and second ordinate of every position change places.
    SwapAxes,
    /// See `antimeridian`.
    SplitAntimeridian,
}

impl Step {
    /// Every step with its name. `make-valid` alone is the rule `even_odd`.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("close-ring", Self::CloseRing),
        ("drop-repeats", Self::DropRepeats),
        ("rewind", Self::Rewind),
        ("make-valid", Self::MakeValid(Rule::EvenOdd)),
        ("make-valid:even_odd", Self::MakeValid(Rule::EvenOdd)),
        ("make-valid:structure", Self::MakeValid(Rule::Structure)),
        ("swap-axes", Self::SwapAxes),
        ("split-antimeridian", Self::SplitAntimeridian),
    ];

    /// The step of a name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(each, _)| *each == name);
        found.map(|(_, step)| *step)
    }

    /// Whether this build can do it: without the feature `overlay` there is neither `make-valid` nor
    /// `split-antimeridian`.
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::CloseRing | Self::DropRepeats | Self::Rewind | Self::SwapAxes => true,
            Self::MakeValid(_) | Self::SplitAntimeridian => cfg!(feature = "overlay"),
        }
    }

    /// The name that tells the rule too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CloseRing => "close-ring",
            Self::DropRepeats => "drop-repeats",
            Self::Rewind => "rewind",
            Self::MakeValid(Rule::EvenOdd) => "make-valid:even_odd",
            Self::MakeValid(Rule::Structure) => "make-valid:structure",
            Self::SwapAxes => "swap-axes",
            Self::SplitAntimeridian => "split-antimeridian",
        }
    }
}

/// Rebuilds every ring (or line) by a function that appends it; parts stay.
fn each_ring(
    geometry: &OwnedShape,
    mut write: impl FnMut(usize, &[f64], &mut Vec<f64>),
) -> OwnedShape {
    let mut out = geometry.empty_like();
    out.part_ends.clone_from(&geometry.part_ends);
    out.coordinates.reserve(geometry.coordinates.len());
    for ring in 0..geometry.ring_ends.len() {
        write(ring, geometry.ring(ring), &mut out.coordinates);
        let vertices = out.coordinates.len() / out.stride;
        out.ring_ends.push(narrow(vertices));
    }
    out
}

pub(crate) fn close_ring(geometry: &OwnedShape) -> OwnedShape {
    if !geometry.is_polygonal() {
        return geometry.clone();
    }
    each_ring(geometry, |_, ring, out| {
        out.extend_from_slice(ring);
        let stride = geometry.stride;
        if ring.len() >= stride && ring[..stride] != ring[ring.len() - stride..] {
            out.extend_from_slice(&ring[..stride]);
        }
    })
}

pub(crate) fn drop_repeats(geometry: &OwnedShape) -> OwnedShape {
    if geometry.is_points() {
        return geometry.clone();
    }
    each_ring(geometry, |_, ring, out| {
        let start = out.len();
        for ordinates in ring.chunks_exact(geometry.stride) {
            let repeats = out.len() > start && out[out.len() - geometry.stride..] == *ordinates;
            if !repeats {
                out.extend_from_slice(ordinates);
            }
        }
    })
}

pub(crate) fn rewind(geometry: &OwnedShape) -> OwnedShape {
    if !matches!(geometry.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) {
        return geometry.clone();
    }
    let mut is_shell = vec![false; geometry.ring_ends.len()];
    for part in 0..geometry.part_ends.len() {
        if let Some(shell) = geometry.part(part).next() {
            is_shell[shell] = true;
        }
    }
    each_ring(geometry, |number, ring, out| {
        let area = twice_area(ring, geometry.stride);
        let wrong = if is_shell[number] {
            area < 0.0
        } else {
            area > 0.0
        };
        if wrong {
            let backwards = ring.chunks_exact(geometry.stride).rev();
            out.extend(backwards.flatten());
        } else {
            out.extend_from_slice(ring);
        }
    })
}

pub(crate) fn swap_axes(geometry: &OwnedShape) -> OwnedShape {
    let mut out = geometry.clone();
    for ordinates in out.coordinates.chunks_exact_mut(geometry.stride) {
        ordinates.swap(0, 1);
    }
    out
}
