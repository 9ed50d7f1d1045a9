//! Mends geometries, each mend by its name, and tells what it changed. Nothing is mended that was not asked for.
//!
//! ```
//! use hexlane_repair::{Limits, Rule, Step, repair};
//! use ogc_validity::{Shape, ShapeKind, is_valid};
//!
//! let bowtie = Shape {
//!     kind: ShapeKind::Polygon,
//!     coordinates: &[0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0],
//!     stride: 2,
//!     ring_ends: &[5],
//!     part_ends: &[1],
//! };
//! let step = Step::by_name("make-valid").unwrap_or(Step::MakeValid(Rule::EvenOdd));
//! let repaired = repair(&bowtie, &[step], &Limits::default())?;
//! assert_eq!(is_valid(&repaired.geometry.as_shape())?, Some(true));
//! assert_eq!(repaired.geometry.kind, ShapeKind::MultiPolygon);
//! let change = repaired.changes[0];
//! assert_eq!((change.parts, change.area[1], change.vertices_added), ([1, 2], 2.0, 1));
//! # Ok::<(), hexlane_repair::Refusal>(())
//! ```
//!
//! # How it is called
//!
//! [`repair`] takes a shape, the steps in the order in which they are done, and [`Limits`]. It gives a [`Repaired`]: the
//! [`Geometry`] (arrays of the same layout; [`Geometry::as_shape`] lends them to the judge) and a [`Change`] for each step
//! that changed something. Or a [`Refusal`] with a stable [code](Refusal::code), and then nothing of any step stands.
//! [`Step::by_name`] reads the names of `Prefer: repair="…"`, [`Step::NAMES`] lists them. A `Polygon` becomes a
//! `MultiPolygon` (a line likewise) where it falls into several; never the other way round.
//!
//! # What stays as it was
//!
//! `make-valid` works on the parts that a fault names and on those whose boxes meet these; all other parts are copied bit by
//! bit, in their place. In a part that is repaired, a vertex that stays keeps its bits, a crossing becomes a new vertex,
//! rings begin anew (shells counter-clockwise). A vertex on a straight edge stays. A height stays with its vertex; a new
//! vertex takes one from its neighbours along the ring, by length, or the mean of all heights where its ring has none. Where
//! several vertices share a place the first one's height counts. A line keeps everything.
//!
//! # What bounds the work
//!
//! n edges cross n²/2 times at most, and every crossing becomes a vertex. The judge counts the crossings first, under
//! [`Limits::work_max`]; more than [`Limits::crossings_max`] is [`Refusal::TooComplex`] before the overlay begins.
//!
//! # Where `make-valid` differs from GEOS and `PostGIS`
//!
//! | what | GEOS | here | why |
//! |---|---|---|---|
//! | what collapses to lines or points beside polygons | kept in a collection | gone, [`Change::collapsed`] counts the rings | a lane and a map take one dimension |
//! | what collapses altogether | a line or a point | [`Refusal::Collapsed`] | another kind of geometry is not what was sent |
//! | NaN or infinite | dropped | [`Refusal::NonFinite`] | a guess |
//! | an open ring | cannot be built (`PostGIS` closes it) | closed | as `PostGIS` |
//! | a part whose box meets no fault | built anew | untouched | bits, and time |
//! | `structure`, a hole that only touches its shell from outside | dropped | a part | it covers nothing of the shell |
//!
//! It knows no JSON, no reference system (but ±180° where `split-antimeridian` is asked), no clock, no chance; it does no I/O.

#![allow(
    clippy::float_cmp,
    reason = "coordinates are compared exactly; a bit that changed is a change"
)]

mod antimeridian;
mod geometry;
mod grid;
mod make_valid;
mod overlay;
mod report;
mod step;

pub use geometry::Geometry;
pub use report::{Change, Limits, Refusal, Repaired};
pub use step::{Rule, Step};

use make_valid::Made;
use ogc_validity::Shape;
use std::collections::BTreeSet;

/// Does the steps one after the other. All or nothing.
pub fn repair(shape: &Shape<'_>, steps: &[Step], limits: &Limits) -> Result<Repaired, Refusal> {
    let mut geometry = Geometry::of(shape)?;
    if geometry.vertex_count() > limits.vertices_max {
        return Err(Refusal::TooManyVertices);
    }
    let mut changes = Vec::new();
    for step in steps {
        let made = take(&geometry, *step, limits)?;
        if !is_bit_equal(&made.geometry, &geometry) {
            changes.push(change(*step, &geometry, &made));
            geometry = made.geometry;
        }
    }
    Ok(Repaired { geometry, changes })
}

fn take(geometry: &Geometry, step: Step, limits: &Limits) -> Result<Made, Refusal> {
    let plain = |geometry: Geometry, moved| Made {
        geometry,
        moved,
        collapsed: 0,
    };
    Ok(match step {
        Step::CloseRing => plain(step::close_ring(geometry), 0),
        Step::DropRepeats => plain(step::drop_repeats(geometry), 0),
        Step::Rewind => plain(step::rewind(geometry), 0),
        Step::SwapAxes => plain(step::swap_axes(geometry), geometry.vertex_count()),
        Step::MakeValid(rule) => make_valid::make_valid(geometry, rule, limits)?,
        Step::SplitAntimeridian => antimeridian::split(geometry, limits)?,
    })
}

fn is_bit_equal(a: &Geometry, b: &Geometry) -> bool {
    let bits = |geometry: &Geometry| {
        geometry
            .coordinates
            .iter()
            .map(|each| each.to_bits())
            .collect::<Vec<_>>()
    };
    a.kind == b.kind
        && a.ring_ends == b.ring_ends
        && a.part_ends == b.part_ends
        && bits(a) == bits(b)
}

fn change(step: Step, before: &Geometry, made: &Made) -> Change {
    let after = &made.geometry;
    let [old, new] = [places(before), places(after)];
    let swapped = step == Step::SwapAxes;
    let unless_swapped = |count: usize| if swapped { 0 } else { count };
    Change {
        step,
        parts: [parts(before), parts(after)],
        rings: [before.ring_ends.len(), after.ring_ends.len()],
        area: [before.area(), after.area()],
        vertices_added: unless_swapped(new.difference(&old).count()),
        vertices_dropped: unless_swapped(old.difference(&new).count()),
        vertices_moved: made.moved,
        collapsed: made.collapsed,
    }
}

fn parts(geometry: &Geometry) -> usize {
    if geometry.is_polygonal() {
        geometry.part_ends.len()
    } else if geometry.is_points() {
        geometry.vertex_count()
    } else {
        geometry.ring_ends.len()
    }
}

/// The distinct places of the vertices; 0 and -0 are one.
fn places(geometry: &Geometry) -> BTreeSet<[u64; 2]> {
    let vertices = 0..geometry.vertex_count();
    vertices
        .map(|vertex| geometry.xy(vertex).map(|each| (each + 0.0).to_bits()))
        .collect()
}
