//! The overlay engine on whole numbers: fills and combines contours.

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{ContourDirection, IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;

use crate::grid::{Contour, Point, Shapes};

fn engine(capacity: usize) -> Overlay<i64> {
    let mut options = IntOverlayOptions::ogc();
    // A vertex on a straight edge is the sender's, and where rings touch it keeps the touch at a vertex.
    options.preserve_input_collinear = true;
    options.preserve_output_collinear = true;
    options.output_direction = ContourDirection::CounterClockwise;
    Overlay::new_custom(
        capacity,
        options,
        i_overlay::core::solver::Solver::default(),
    )
}

fn combine(subject: &[Contour], clip: &[Contour], rule: OverlayRule, fill: FillRule) -> Shapes {
    let edges = subject.iter().chain(clip).map(Vec::len).sum();
    let mut overlay = engine(edges);
    overlay.add_source(subject, ShapeType::Subject);
    overlay.add_source(clip, ShapeType::Clip);
    overlay.overlay(rule, fill)
}

/// What an odd number of contours goes round.
pub(crate) fn even_odd(contours: &[Contour]) -> Shapes {
    combine(contours, &[], OverlayRule::Subject, FillRule::EvenOdd)
}

/// What the contours go round together, by their directions.
pub(crate) fn non_zero(contours: &[Contour]) -> Shapes {
    combine(contours, &[], OverlayRule::Subject, FillRule::NonZero)
}

/// Filled contours less others.
pub(crate) fn difference(subject: &[Contour], clip: &[Contour]) -> Shapes {
    combine(subject, clip, OverlayRule::Difference, FillRule::NonZero)
}

/// Common ground of filled contours.
pub(crate) fn common(subject: &[Contour], clip: &[Contour]) -> Shapes {
    combine(subject, clip, OverlayRule::Intersect, FillRule::NonZero)
}

/// What lies in a box, by the even-odd rule.
pub(crate) fn within(contours: &[Contour], low: Point, high: Point) -> Shapes {
    let frame = vec![
        low,
        Point::new(high.x, low.y),
        high,
        Point::new(low.x, high.y),
    ];
    combine(
        contours,
        &[frame],
        OverlayRule::Intersect,
        FillRule::EvenOdd,
    )
}

pub(crate) fn flat(shapes: Shapes) -> Vec<Contour> {
    shapes.into_iter().flatten().collect()
}
