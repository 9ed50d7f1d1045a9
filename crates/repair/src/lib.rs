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
//! geometry (an `ogc_validity::OwnedShape`) and a [`Change`] for each step
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
//! Without the feature `overlay`, which is on by default, there is neither `make-valid` nor `split-antimeridian`
//! ([`Step::is_available`]): asked for all the same they are [`Refusal::Unavailable`]. The rest is a few kilobytes.
//!
//! It knows no JSON, no reference system (but ±180° where `split-antimeridian` is asked), no clock, no chance; it does no I/O.

#![allow(
    clippy::float_cmp,
    reason = "coordinates are compared exactly; a bit that changed is a change"
)]

#[cfg(feature = "overlay")]
mod antimeridian;
mod geometry;
#[cfg(feature = "overlay")]
mod grid;
mod made;
#[cfg(feature = "overlay")]
mod make_valid;
#[cfg(feature = "overlay")]
mod overlay;
mod report;
mod step;

pub use report::{Change, Limits, Refusal, Repaired};
pub use step::{Rule, Step};

use geometry::Tables;
use made::Made;
use ogc_validity::{OwnedShape, Shape};

/// Does the steps one after the other. All or nothing.
pub fn repair(shape: &Shape<'_>, steps: &[Step], limits: &Limits) -> Result<Repaired, Refusal> {
    let mut limits = *limits;
    repair_within(shape, steps, &mut limits)
}

/// As [`repair`], and takes what it spent from the limits, refused or not: for a budget over several geometries.
pub fn repair_within(
    shape: &Shape<'_>,
    steps: &[Step],
    limits: &mut Limits,
) -> Result<Repaired, Refusal> {
    let mut geometry = geometry::copy_of(shape)?;
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

#[cfg_attr(
    not(feature = "overlay"),
    allow(unused_variables, reason = "only the overlay has limits")
)]
fn take(geometry: &OwnedShape, step: Step, limits: &mut Limits) -> Result<Made, Refusal> {
    Ok(match step {
        Step::CloseRing => Made::plain(step::close_ring(geometry)),
        Step::DropRepeats => Made::plain(step::drop_repeats(geometry)),
        Step::Rewind => Made::plain(step::rewind(geometry)),
        Step::SwapAxes => Made {
            moved: geometry.vertices(),
            ..Made::plain(step::swap_axes(geometry))
        },
        #[cfg(feature = "overlay")]
        Step::MakeValid(rule) => make_valid::make_valid(geometry, rule, limits)?,
        #[cfg(feature = "overlay")]
        Step::SplitAntimeridian => antimeridian::split(geometry, limits)?,
        #[cfg(not(feature = "overlay"))]
        Step::MakeValid(_) | Step::SplitAntimeridian => return Err(Refusal::Unavailable),
    })
}

fn is_bit_equal(a: &OwnedShape, b: &OwnedShape) -> bool {
    let bits = |geometry: &OwnedShape| {
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

fn change(step: Step, before: &OwnedShape, made: &Made) -> Change {
    let after = &made.geometry;
    let [dropped, added] = apart(&places(before), &places(after));
    let swapped = step == Step::SwapAxes;
    let unless_swapped = |count: usize| if swapped { 0 } else { count };
    Change {
        step,
        parts: [parts(before), parts(after)],
        rings: [before.ring_ends.len(), after.ring_ends.len()],
        area: [before.area(), after.area()],
        vertices_added: unless_swapped(added),
        vertices_dropped: unless_swapped(dropped),
        vertices_moved: made.moved,
        collapsed: made.collapsed,
    }
}

fn parts(geometry: &OwnedShape) -> usize {
    if geometry.is_polygonal() {
        geometry.part_ends.len()
    } else if geometry.is_points() {
        geometry.vertices()
    } else {
        geometry.ring_ends.len()
    }
}

/// The distinct places of the vertices, in order; 0 and -0 are one.
fn places(geometry: &OwnedShape) -> Vec<[u64; 2]> {
    let vertices = 0..geometry.vertices();
    let mut places: Vec<[u64; 2]> = vertices
        .map(|vertex| geometry.xy(vertex).map(|each| (each + 0.0).to_bits()))
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// How many of the first are not among the second, and the other way round.
fn apart(old: &[[u64; 2]], new: &[[u64; 2]]) -> [usize; 2] {
    let (mut dropped, mut added) = (0, 0);
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        match (old.peek().copied(), new.peek().copied()) {
            (Some(one), Some(other)) if one == other => {
                old.next();
                new.next();
            }
            (Some(one), Some(other)) if one < other => {
                old.next();
                dropped += 1;
            }
            (Some(_), Some(_)) => {
                new.next();
                added += 1;
            }
            (Some(_), None) | (None, _) => return [dropped + old.count(), added + new.count()],
        }
    }
}
