//! `make-valid`: polygons that cross themselves or each other become valid ones; lines without length go.
//!
//! Works on the parts that a fault names and on those whose boxes meet them; every other part is copied as it stands. What
//! comes out is judged, repaired once more where rounding to doubles made it cross again, and refused in the end.

use ogc_validity::{
    FaultKind, Judgement, Limits as JudgeLimits, OwnedShape, Report, judge_metered,
};

use crate::geometry::Tables;
use crate::grid::{Contour, Grid, Origins, Point, Shapes, heights};
use crate::made::Made;
use crate::overlay::{common, difference, even_odd, flat, non_zero};
use crate::report::{Limits, Refusal};
use crate::step::Rule;

/// Faults kept to know the parts they touch; with more, all parts are repaired together.
const FAULTS_MAX: usize = 100_000;
/// Rounds of repair: a later one mends what rounding to doubles did to the one before.
const ROUNDS_MAX: usize = 4;

pub(crate) fn make_valid(
    geometry: &OwnedShape,
    rule: Rule,
    limits: &mut Limits,
) -> Result<Made, Refusal> {
    let mut made = Made::plain(geometry.clone());
    let mut rule = rule;
    for _ in 0..ROUNDS_MAX {
        let Some(report) = faults(&made.geometry, limits)? else {
            return Ok(made);
        };
        if report.totals.get(FaultKind::NonFinite) > 0 {
            return Err(Refusal::NonFinite);
        }
        if !report.complete {
            return Err(Refusal::TooComplex);
        }
        limits.spend_crossings(report.totals.sum())?;
        made.collapsed += count(&report, &[FaultKind::Collapsed, FaultKind::TooFewPoints]);
        if made.geometry.is_polygonal() {
            let (next, moved) = round(&made.geometry, &report, rule, limits)?;
            made.geometry = next;
            made.moved += moved;
            // What is left by now is slivers of rounding, which must not become parts.
            rule = Rule::EvenOdd;
        } else {
            made.geometry = without_short_lines(&made.geometry);
        }
        if made.geometry.coordinates.is_empty() {
            return Err(Refusal::Collapsed);
        }
    }
    match faults(&made.geometry, limits)? {
        None => Ok(made),
        Some(report) => Err(Refusal::InvalidAfter(Box::new(report))),
    }
}

fn count(report: &Report, kinds: &[FaultKind]) -> usize {
    let total: u64 = kinds.iter().map(|kind| report.totals.get(*kind)).sum();
    usize::try_from(total).unwrap_or(usize::MAX)
}

/// The faults of a geometry, `None` when it is valid.
pub(crate) fn faults(
    geometry: &OwnedShape,
    limits: &mut Limits,
) -> Result<Option<Report>, Refusal> {
    let judge_limits = JudgeLimits {
        faults_max: FAULTS_MAX,
        work_max: Some(limits.work_max),
    };
    let (judgement, steps) = judge_metered(&geometry.as_shape(), &judge_limits)?;
    limits.work_max = limits.work_max.saturating_sub(steps);
    match judgement {
        Judgement::Valid => Ok(None),
        Judgement::Invalid(report) => Ok(Some(report)),
        Judgement::Undecided { .. } => Err(Refusal::TooComplex),
    }
}

fn without_short_lines(geometry: &OwnedShape) -> OwnedShape {
    let mut out = geometry.empty_like();
    for line in 0..geometry.ring_ends.len() {
        let range = geometry.ring_range(line);
        let mut places = range.map(|vertex| geometry.xy(vertex));
        let first = places.next();
        if places.any(|place| Some(place) != first) {
            out.coordinates.extend_from_slice(geometry.ring(line));
            out.end_ring();
        }
    }
    out
}

/// One repair of the parts concerned; the others are copied. Also how many vertices were merged.
fn round(
    geometry: &OwnedShape,
    report: &Report,
    rule: Rule,
    limits: &mut Limits,
) -> Result<(OwnedShape, usize), Refusal> {
    let concerned = concerned(geometry, report);
    let vertices = vertices_of(geometry, &concerned);
    limits.spend_vertices(vertices.len())?;
    let flat_xy = vertices.iter().flat_map(|vertex| geometry.xy(*vertex));
    let grid = Grid::over(flat_xy)?;
    let mut origins = Origins::default();
    for vertex in &vertices {
        origins.note(grid.point(geometry.xy(*vertex)), *vertex);
    }
    let noted = vertices.iter().map(|v| (grid.point(geometry.xy(*v)), *v));
    let moved = origins.merged(geometry, noted);
    let shapes = match rule {
        Rule::EvenOdd => {
            let rings = each_part(&concerned).flat_map(|part| contours(geometry, part, &grid));
            even_odd(&rings.collect::<Vec<_>>())
        }
        Rule::Structure => structure(geometry, &concerned, &grid, limits)?,
    };
    let mut out = geometry.empty_like();
    let mut written = false;
    for (part, is_concerned) in concerned.iter().enumerate() {
        if !is_concerned {
            out.copy_part(geometry, part);
        } else if !written {
            write(&mut out, geometry, &shapes, &grid, &origins);
            written = true;
        }
    }
    out.widen();
    Ok((out, moved))
}

fn each_part(concerned: &[bool]) -> impl Iterator<Item = usize> + '_ {
    let parts = concerned.iter().enumerate();
    parts.filter(|(_, yes)| **yes).map(|(part, _)| part)
}

fn vertices_of(geometry: &OwnedShape, concerned: &[bool]) -> Vec<usize> {
    each_part(concerned)
        .flat_map(|part| geometry.part(part))
        .flat_map(|ring| geometry.ring_range(ring))
        .collect()
}

/// The parts that a fault names, and those whose boxes meet one of these.
fn concerned(geometry: &OwnedShape, report: &Report) -> Vec<bool> {
    let parts = geometry.part_ends.len();
    let kept = u64::try_from(report.faults.len()).unwrap_or(u64::MAX);
    if report.totals.sum() > kept {
        return vec![true; parts];
    }
    let mut faulty = vec![false; parts];
    for fault in &report.faults {
        for place in [Some(fault.at), fault.other].into_iter().flatten() {
            if let Some(flag) = faulty.get_mut(place.part as usize) {
                *flag = true;
            }
        }
    }
    let boxes: Vec<Bounds> = (0..parts).map(|part| Bounds::of(geometry, part)).collect();
    neighbours(&boxes, &faulty)
}

/// Sweeps from left to right: faulty boxes that are still open are compared with what begins, and the other way round.
fn neighbours(boxes: &[Bounds], faulty: &[bool]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    order.sort_by(|a, b| boxes[*a].low[0].total_cmp(&boxes[*b].low[0]));
    let mut concerned = faulty.to_vec();
    let mut open: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for at in order {
        let other = usize::from(!faulty[at]);
        for list in &mut open {
            list.retain(|each| boxes[*each].high[0] >= boxes[at].low[0]);
        }
        // Faulty ones are in list 1; a faulty box looks at the others, another one at the faulty.
        for each in &open[other] {
            if boxes[*each].meets(&boxes[at]) {
                concerned[*each] = true;
                concerned[at] = true;
            }
        }
        open[usize::from(faulty[at])].push(at);
    }
    concerned
}

/// The box of a part.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    low: [f64; 2],
    high: [f64; 2],
}

impl Bounds {
    fn of(geometry: &OwnedShape, part: usize) -> Self {
        let mut bounds = Self {
            low: [f64::INFINITY; 2],
            high: [f64::NEG_INFINITY; 2],
        };
        for vertex in geometry
            .part(part)
            .flat_map(|ring| geometry.ring_range(ring))
        {
            for (axis, value) in geometry.xy(vertex).into_iter().enumerate() {
                if value < bounds.low[axis] {
                    bounds.low[axis] = value;
                }
                if value > bounds.high[axis] {
                    bounds.high[axis] = value;
                }
            }
        }
        bounds
    }

    fn meets(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }
}

/// The rings of a part on the grid, without the position that closes them; those without area are left out.
fn contours(geometry: &OwnedShape, part: usize, grid: &Grid) -> Vec<Contour> {
    let rings = geometry
        .part(part)
        .map(|ring| contour(geometry, ring, grid));
    rings.filter(|contour| contour.len() >= 3).collect()
}

fn contour(geometry: &OwnedShape, ring: usize, grid: &Grid) -> Contour {
    let vertices = geometry.ring_range(ring);
    let mut points: Contour = vertices.map(|v| grid.point(geometry.xy(v))).collect();
    points.dedup();
    while points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    points
}

fn structure(
    geometry: &OwnedShape,
    concerned: &[bool],
    grid: &Grid,
    limits: &mut Limits,
) -> Result<Shapes, Refusal> {
    let mut all = Vec::new();
    for part in each_part(concerned) {
        let rings = geometry.part(part);
        let vertices: usize = rings
            .clone()
            .map(|ring| geometry.ring_range(ring).len())
            .sum();
        let work = (rings.len() as u64).saturating_mul(vertices as u64);
        limits.spend_work(work)?;
        let mut filled = rings.map(|ring| flat(non_zero(&[contour(geometry, ring, grid)])));
        let shell = filled.next().unwrap_or_default();
        let (mut holes, mut apart) = (Vec::new(), Vec::new());
        for hole in filled {
            if common(&shell, &hole).is_empty() {
                apart.extend(hole);
            } else {
                holes.extend(hole);
            }
        }
        all.extend(flat(difference(&shell, &holes)));
        all.extend(apart);
    }
    Ok(non_zero(&all))
}

/// Appends shapes of the grid as parts: closed, a vertex of the input with its own bits.
fn write(
    out: &mut OwnedShape,
    input: &OwnedShape,
    shapes: &Shapes,
    grid: &Grid,
    origins: &Origins,
) {
    for shape in shapes {
        for contour in shape {
            write_ring(out, input, contour, grid, origins);
        }
        out.end_part();
    }
}

fn write_ring(
    out: &mut OwnedShape,
    input: &OwnedShape,
    contour: &[Point],
    grid: &Grid,
    origins: &Origins,
) {
    let place = |point: &Point| match origins.near(*point) {
        Some(vertex) => (input.xy(vertex), input.vertex(vertex).get(2).copied()),
        None => (grid.place(*point), None),
    };
    let ring: Vec<_> = contour.iter().map(place).collect();
    append_ring(out, &ring, mean_height(input));
}

/// Appends a ring and closes it; heights only where there are any.
pub(crate) fn append_ring(out: &mut OwnedShape, ring: &[([f64; 2], Option<f64>)], otherwise: f64) {
    let heights = if out.stride == 3 {
        heights(ring, otherwise)
    } else {
        Vec::new()
    };
    let start = out.coordinates.len();
    for (at, (place, _)) in ring.iter().enumerate() {
        // Two points of the grid can be one place: the second would be a repeat.
        if at > 0 && ring[at - 1].0 == *place {
            continue;
        }
        out.coordinates.extend(place);
        out.coordinates.extend(heights.get(at));
    }
    if out.coordinates.len() > start {
        let last = out.coordinates.len() - out.stride;
        if last > start && out.coordinates[last..last + 2] == out.coordinates[start..start + 2] {
            out.coordinates.truncate(last);
        }
        out.coordinates
            .extend_from_within(start..start + out.stride);
    }
    out.end_ring();
}

/// The height of a ring that has none of its own.
#[allow(clippy::cast_precision_loss, reason = "a mean")]
pub(crate) fn mean_height(geometry: &OwnedShape) -> f64 {
    if geometry.stride < 3 {
        return 0.0;
    }
    let heights = geometry.coordinates.chunks_exact(3).map(|each| each[2]);
    heights.sum::<f64>() / geometry.vertices().max(1) as f64
}
