//! Judges geometries by the rules of OGC Simple Features (06-103r4, clause 6.1) and tells **every** fault with its place.
//!
//! Coordinates go in as one flat, borrowed array with two tables that cut it into rings and parts ([`Shape`]); out comes
//! a [`Judgement`]: valid, or a [`Report`] of faults in document order, each with its kind, its point, whether that point
//! is a vertex of the input, and the part, ring and vertex of both edges to blame.
//!
//! ```
//! use ogc_validity::{FaultKind, Judgement, Limits, Shape, ShapeKind, judge};
//!
//! let bowtie = Shape {
//!     kind: ShapeKind::Polygon,
//!     coordinates: &[0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0],
//!     stride: 2,
//!     ring_ends: &[5],
//!     part_ends: &[1],
//! };
//! let Judgement::Invalid(report) = judge(&bowtie, &Limits::default())? else { panic!() };
//! let fault = report.faults[0];
//! assert_eq!((fault.kind, fault.location), (FaultKind::SelfIntersection, [1.0, 1.0]));
//! assert_eq!((fault.at.vertex, fault.other.map(|other| other.vertex)), (0, Some(2)));
//! # Ok::<(), ogc_validity::ShapeError>(())
//! ```
//!
//! # What it does not do
//!
//! It closes no ring, drops no position, rounds no coordinate, repairs nothing, and knows no JSON, no reference system
//! and no sphere: edges are straight in the plane. It reads no clock and no environment, never panics, never recurses,
//! and its memory is in proportion to the input, however many faults there are ([`Limits::faults_max`]). It does not
//! guess: out of work ([`Limits::work_max`]) it is [`Judgement::Undecided`], or tells the faults so far as incomplete.
//!
//! # How it decides
//!
//! By one exact question, on which side of an edge a vertex lies, asked of the numbers as they are. A point is computed
//! only to be told. Edges that may meet are found by boxes over runs of edges (`runs`, `tree`, `pairs`), and where these
//! overlap too much (spiky rings), by a sweep over the vertices (`sweep`); both find the same. What meets at a vertex is
//! judged by the order of all arms round it (`nodes`); which ring lies in which by a point moved by less than any number
//! (`around`), or, where many lie in each other, for all at once by a second sweep (`forest`); whether the interior holds
//! together by the cycles of rings and touching points (`connection`). What depends on a fault is not judged: no ring is
//! called outside another that it crosses.
//!
//! Steps: n log n, and those that the faults themselves take, of which n edges can have n²/2. Bound the work where the
//! sender is not trusted. Memory beside the input: about 10 bytes a vertex of a large ring, 20 where the sweep runs, 60
//! for thousands of small rings that touch or lie in each other; 20 more where rings have to be copied, which is when one
//! is not as it should be, or has heights.
//!
//! [`judge_first`] stops at the first fault, for those who send nothing back but the verdict.
//!
//! # Geometries of `geo-types`
//!
//! With the feature `geo-types` they convert to an [`OwnedShape`]. `geo_types::Polygon::new` closes rings silently: what
//! comes from outside is to be judged before it becomes one.
//!
//! # Where it differs from GEOS 3.14 `isValid`
//!
//! Valid or not is the same, and the reason that GEOS gives is always among ours, except:
//!
//! | what | GEOS | here | why |
//! |---|---|---|---|
//! | how many | the first it meets | every one | a sender mends all at once |
//! | NaN or infinite z | ignored | `non_finite`, the ring is judged on | no such number can be stored or sent on |
//! | open ring | cannot be built | `not_closed`, in z as well | closing it would hide what was sent |
//! | a ring twice | self-intersection | that, for each edge, and `duplicate_rings` | says what is wrong |
//! | a ring on one line | self-intersection | that, where it turns, and `collapsed` | says what is wrong |
//! | parts with common ground | self-intersection | that, and `overlapping_parts` once a part | tells it from a shared border |
//! | linear ring that crosses itself | ring self-intersection | `self_intersection` | here a ring is a polygon's |
//! | two rings touch twice and others cross | may stop at the touch: disconnected, outside, nested | the crossing | what follows from a crossing is not a fault of its own |
//! | a vertex exactly on an edge, in full mantissas | double-double may miss it | exact | a touch is no crossing |
//! | magnitudes 10²⁹⁶ apart in one polygon | some answer | undecided | no answer would be exact |
//! | empty ring or part | valid | valid | a reader may ask for more, as RFC 7946 does |

#![allow(
    clippy::float_cmp,
    reason = "coordinates are compared exactly; rounding never decides"
)]

mod around;
mod connection;
mod contact;
mod crossings;
mod exact;
mod fault;
mod forest;
#[cfg(feature = "geo-types")]
mod geo_types;
mod ledger;
mod lines;
mod marks;
mod meter;
mod nesting;
mod nodes;
mod owned;
mod pairs;
mod passes;
mod polygons;
mod report;
mod rings;
mod runs;
mod scale;
mod shape;
mod sweep;
mod tree;
mod twins;

#[doc(hidden)]
pub use crossings::Path;
pub use fault::{Fault, FaultKind, Place};
#[cfg(feature = "geo-types")]
pub use geo_types::IsCollection;
pub use owned::OwnedShape;
pub use report::{Judgement, Limits, Report, Totals};
pub use shape::{Shape, ShapeError, ShapeKind};

use ledger::Ledger;
use meter::{Meter, Stopped};

/// Judges one geometry.
///
/// Refuses tables that do not describe a shape; whatever the coordinates are, it answers.
pub fn judge(shape: &Shape<'_>, limits: &Limits) -> Result<Judgement, ShapeError> {
    judge_metered(shape, limits).map(|(judgement, _)| judgement)
}

/// As [`judge`], and tells the vertex steps it took: for a budget over several geometries.
pub fn judge_metered(shape: &Shape<'_>, limits: &Limits) -> Result<(Judgement, u64), ShapeError> {
    judge_by(shape, limits, Path::Auto)
}

/// As [`judge_metered`], with the way in which edges that meet are found: for tests that compare the two.
#[doc(hidden)]
pub fn judge_by(
    shape: &Shape<'_>,
    limits: &Limits,
    path: Path,
) -> Result<(Judgement, u64), ShapeError> {
    let ledger = Ledger::new(limits.faults_max);
    judge_into(ledger, shape, limits.work_max, path)
}

/// Judges one geometry and stops at the first fault it meets: valid or invalid is as [`judge`] says, for less work where
/// there is a fault. `work_max` is that of [`Limits`].
///
/// The report holds that one fault, which is one of those [`judge`] tells, and is never `complete`. It is the first in
/// the order in which things are looked at, not in the document:
///
/// 1. what is wrong with a ring, line or point alone, the first in the document;
/// 2. a ring that is there already;
/// 3. edges that cross or overlap, any pair of them;
/// 4. rings that cross at a vertex, or that come back to one, from the west;
/// 5. a ring that lies where it must not;
/// 6. an interior that falls apart; parts with common ground are told by what crosses.
///
/// The same shape gives the same fault each time. Another version of this crate may tell another one.
pub fn judge_first(shape: &Shape<'_>, work_max: Option<u64>) -> Result<Judgement, ShapeError> {
    judge_first_by(shape, work_max, Path::Auto).map(|(judgement, _)| judgement)
}

/// As [`judge_first`], with the way in which edges that meet are found, and the vertex steps it took.
#[doc(hidden)]
pub fn judge_first_by(
    shape: &Shape<'_>,
    work_max: Option<u64>,
    path: Path,
) -> Result<(Judgement, u64), ShapeError> {
    judge_into(Ledger::of_first(), shape, work_max, path)
}

fn judge_into(
    mut ledger: Ledger,
    shape: &Shape<'_>,
    work_max: Option<u64>,
    path: Path,
) -> Result<(Judgement, u64), ShapeError> {
    shape.check()?;
    let mut meter = Meter::new(work_max);
    let outcome = judge_kind(shape, &mut meter, &mut ledger, path);
    let work_done = meter.done();
    let judgement = match outcome {
        Ok(()) if ledger.is_empty() => Judgement::Valid,
        Err(Stopped) if ledger.is_empty() => Judgement::Undecided { work_done },
        outcome => Judgement::Invalid(ledger.close(outcome.is_ok())),
    };
    Ok((judgement, work_done))
}

/// Whether a geometry is valid. `None` where [`judge`] would not decide.
pub fn is_valid(shape: &Shape<'_>) -> Result<Option<bool>, ShapeError> {
    Ok(match judge_first(shape, None)? {
        Judgement::Valid => Some(true),
        Judgement::Invalid(_) => Some(false),
        Judgement::Undecided { .. } => None,
    })
}

fn judge_kind(
    shape: &Shape<'_>,
    meter: &mut Meter,
    ledger: &mut Ledger,
    path: Path,
) -> Result<(), Stopped> {
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => lines::judge_points(shape, meter, ledger),
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            lines::judge_lines(shape, meter, ledger)
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => polygons::judge(shape, meter, ledger, path),
    }
}

/// Counts of one shape fit 32 bits: [`Shape::check`] refuses more vertices.
fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
