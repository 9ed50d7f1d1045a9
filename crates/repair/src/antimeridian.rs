//! `split-antimeridian`: cuts lines and polygons at ±180°, as RFC 7946 section 3.1.9 asks.
//!
//! An edge takes the shorter way round: one that spans more than 180° crosses the antimeridian; one that spans exactly 180°
//! stays as it is, and so does one of exactly 360° along a parallel. Longitudes beyond ±180° are brought back. So a
//! geometry whose edges truly span more than 180° is read wrongly, which is why somebody has to ask for this. A hole goes
//! where its shell is. A ring that goes round a pole is refused: closing it over the pole would need a line that nobody
//! sent. Polygons must be valid once they are laid out flat; they are never mended here.

use ogc_validity::{OwnedShape, ShapeKind};

use crate::geometry::Tables;
use crate::grid::{Contour, Grid, Origins, Point, Shapes};
use crate::made::Made;
use crate::make_valid::{append_ring, faults, mean_height};
use crate::overlay::within;
use crate::report::{Limits, Refusal};

const HALF: f64 = 180.0;
const TURN: f64 = 360.0;
/// Longitudes that are read as turns round the globe; beyond they are no degrees.
const LONGITUDE_MAX: f64 = 1e6;

pub(crate) fn split(geometry: &OwnedShape, limits: &mut Limits) -> Result<Made, Refusal> {
    if geometry.coordinates.iter().any(|each| !each.is_finite()) {
        return Err(Refusal::NonFinite);
    }
    let mut vertices = geometry.coordinates.chunks_exact(geometry.stride);
    if vertices.any(|each| each[0].abs() > LONGITUDE_MAX) {
        return Err(Refusal::Magnitude);
    }
    let (out, polygonal) = match geometry.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => (geometry.clone(), false),
        ShapeKind::LineString | ShapeKind::MultiLineString => (lines(geometry), false),
        ShapeKind::Polygon | ShapeKind::MultiPolygon => (polygons(geometry, limits)?, true),
    };
    if out.coordinates.is_empty() && !geometry.coordinates.is_empty() {
        return Err(Refusal::Collapsed);
    }
    if polygonal
        && out != *geometry
        && let Some(report) = faults(&out, limits)?
    {
        return Err(Refusal::InvalidAfter(Box::new(report)));
    }
    let beyond = geometry.coordinates.chunks_exact(geometry.stride);
    let moved = if geometry.is_points() {
        0
    } else {
        beyond.filter(|each| each[0].abs() > HALF).count()
    };
    Ok(Made {
        geometry: out,
        moved,
        collapsed: 0,
    })
}

/// Longitudes of a ring or line laid out flat: each edge the shorter way.
fn laid_out(geometry: &OwnedShape, ring: usize) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::new();
    let mut before: Option<[f64; 2]> = None;
    let mut shift = 0.0;
    for vertex in geometry.ring_range(ring) {
        let [x, y] = geometry.xy(vertex);
        if let Some([x0, y0]) = before {
            shift -= round_trip(x - x0, y - y0);
        }
        out.push(x + shift);
        before = Some([x, y]);
    }
    out
}

/// The whole turns that an edge of this span takes too many.
fn round_trip(span: f64, rise: f64) -> f64 {
    if span.abs() <= HALF || (span.abs() == TURN && rise == 0.0) {
        return 0.0;
    }
    let turns = ((span.abs() - HALF) / TURN).ceil();
    turns * TURN * span.signum()
}

/// The strip of the globe laid out flat in which a longitude lies; 0 is from -180° to 180°.
fn strip(x: f64) -> f64 {
    ((x - HALF) / TURN).ceil()
}

/// A longitude laid out flat, as written in its strip; a vertex keeps its own bits where it can.
fn written(x: f64, strip: f64, own: Option<f64>) -> f64 {
    let inside = x - strip * TURN;
    match own {
        _ if inside >= HALF => HALF,
        _ if inside <= -HALF => -HALF,
        Some(own) if own.abs() <= HALF => own,
        _ => inside,
    }
}

fn stays(geometry: &OwnedShape, ring: usize, flat: &[f64]) -> bool {
    let own = geometry
        .ring_range(ring)
        .map(|vertex| geometry.xy(vertex)[0]);
    own.zip(flat)
        .all(|(own, flat)| own == *flat && own.abs() <= HALF)
}

fn lines(geometry: &OwnedShape) -> OwnedShape {
    let mut out = geometry.empty_like();
    for line in 0..geometry.ring_ends.len() {
        let flat = laid_out(geometry, line);
        if stays(geometry, line, &flat) {
            out.coordinates.extend_from_slice(geometry.ring(line));
            out.end_ring();
        } else {
            cut_line(&mut out, geometry, line, &flat);
        }
    }
    out.widen();
    out
}

/// A position of a line laid out flat: its longitude, the other ordinates, its own longitude when it is a vertex.
#[derive(Clone)]
struct Stop {
    x: f64,
    rest: Vec<f64>,
    own: Option<f64>,
}

fn cut_line(out: &mut OwnedShape, geometry: &OwnedShape, line: usize, flat: &[f64]) {
    let stops = with_borders(geometry, line, flat);
    let mut current: Option<f64> = None;
    for pair in stops.windows(2) {
        let along_border = pair[0].x == pair[1].x && strip(pair[0].x) != strip(pair[0].x.next_up());
        let here = strip(f64::midpoint(pair[0].x, pair[1].x));
        let here = match current {
            Some(strip) if along_border => strip,
            _ => here,
        };
        if current != Some(here) {
            if current.is_some() {
                out.end_ring();
            }
            write_stop(out, &pair[0], here);
            current = Some(here);
        }
        write_stop(out, &pair[1], here);
    }
    if current.is_some() {
        out.end_ring();
    }
}

fn write_stop(out: &mut OwnedShape, stop: &Stop, strip: f64) {
    out.coordinates.push(written(stop.x, strip, stop.own));
    out.coordinates.extend(&stop.rest);
}

/// The positions of a line, and those where it crosses the antimeridian.
fn with_borders(geometry: &OwnedShape, line: usize, flat: &[f64]) -> Vec<Stop> {
    let vertices = geometry.ring_range(line).zip(flat);
    let vertices = vertices.map(|(vertex, x)| Stop {
        x: *x,
        rest: geometry.vertex(vertex)[1..].to_vec(),
        own: Some(geometry.xy(vertex)[0]),
    });
    let mut stops: Vec<Stop> = Vec::new();
    for next in vertices {
        if let Some(last) = stops.last().cloned() {
            let (low, high) = if last.x < next.x {
                (last.x, next.x)
            } else {
                (next.x, last.x)
            };
            let border = strip(low.next_up()) * TURN + HALF;
            if low < border && border < high {
                let share = (border - last.x) / (next.x - last.x);
                let rest = last.rest.iter().zip(&next.rest);
                stops.push(Stop {
                    x: border,
                    rest: rest.map(|(a, b)| a + (b - a) * share).collect(),
                    own: None,
                });
            }
        }
        stops.push(next);
    }
    stops
}

fn polygons(geometry: &OwnedShape, limits: &mut Limits) -> Result<OwnedShape, Refusal> {
    let mut out = geometry.empty_like();
    for part in 0..geometry.part_ends.len() {
        let mut flat = Vec::new();
        let mut as_sent = true;
        for ring in geometry.part(part) {
            let longitudes = laid_out(geometry, ring);
            as_sent &= stays(geometry, ring, &longitudes);
            flat.push(longitudes);
        }
        if as_sent {
            out.copy_part(geometry, part);
        } else {
            cut_polygon(&mut out, geometry, part, flat, limits)?;
        }
    }
    out.widen();
    Ok(out)
}

fn range(values: &[f64]) -> [f64; 2] {
    values
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], each| {
            [
                if *each < low { *each } else { low },
                if *each > high { *each } else { high },
            ]
        })
}

/// Moves holes by whole turns to where their shell lies.
fn gather(rings: &mut [Vec<f64>]) {
    let Some((shell, holes)) = rings.split_first_mut() else {
        return;
    };
    let [low, high] = range(shell);
    for hole in holes {
        let [from, to] = range(hole);
        let nearest = ((low + high - from - to) / (2.0 * TURN)).round();
        let fits = |turns: &f64| from + turns * TURN >= low && to + turns * TURN <= high;
        let near = [nearest, nearest - 1.0, nearest + 1.0];
        let turns = near.into_iter().find(fits).unwrap_or(nearest);
        if turns != 0.0 {
            for x in hole {
                *x += turns * TURN;
            }
        }
    }
}

fn cut_polygon(
    out: &mut OwnedShape,
    geometry: &OwnedShape,
    part: usize,
    mut flat: Vec<Vec<f64>>,
    limits: &mut Limits,
) -> Result<(), Refusal> {
    for (ring, longitudes) in geometry.part(part).zip(&flat) {
        let vertices = geometry.ring_range(ring);
        let closed =
            !vertices.is_empty() && geometry.xy(vertices.start) == geometry.xy(vertices.end - 1);
        if closed && longitudes.first() != longitudes.last() {
            return Err(Refusal::Pole);
        }
    }
    gather(&mut flat);
    let sheet = sheet(geometry, part, &flat);
    if let Some(report) = faults(&sheet, limits)? {
        return Err(Refusal::InvalidBefore(Box::new(report)));
    }
    let first = geometry
        .part(part)
        .next()
        .map_or(0, |ring| geometry.ring_range(ring).start);
    let vertices = sheet.vertices();
    limits.spend_vertices(vertices)?;
    let xs: Vec<f64> = flat.concat();
    let [west, east] = range(&xs);
    let ys: Vec<f64> = (0..vertices).map(|vertex| sheet.xy(vertex)[1]).collect();
    let [south, north] = range(&ys);
    let (low, high) = (strip(west.next_up()), strip(east));
    #[allow(clippy::cast_precision_loss, reason = "an estimate of work")]
    if (high - low + 1.0) * vertices as f64 > limits.work_max as f64 {
        return Err(Refusal::TooComplex);
    }
    let frame = [
        low * TURN - HALF,
        high * TURN + HALF,
        south - 1.0,
        north + 1.0,
    ];
    let grid = Grid::over(xs.iter().chain(&ys).copied().chain(frame))?;
    let mut origins = Origins::default();
    for vertex in 0..vertices {
        origins.note(grid.point(sheet.xy(vertex)), vertex);
    }
    let rings = 0..sheet.ring_ends.len();
    let contours: Vec<Contour> = rings.map(|ring| contour(&sheet, ring, &grid)).collect();
    let mut at = low;
    while at <= high {
        let corner = |side: f64, y: f64| grid.point([at * TURN + side * HALF, y]);
        let shapes = within(&contours, corner(-1.0, frame[2]), corner(1.0, frame[3]));
        let strip = Strip {
            at,
            geometry,
            first,
            grid: &grid,
            origins: &origins,
        };
        strip.write(out, &shapes);
        at += 1.0;
    }
    Ok(())
}

/// The part laid out flat, as a polygon of two ordinates.
fn sheet(geometry: &OwnedShape, part: usize, flat: &[Vec<f64>]) -> OwnedShape {
    let mut sheet = OwnedShape {
        kind: ShapeKind::Polygon,
        stride: 2,
        ..geometry.empty_like()
    };
    for (ring, longitudes) in geometry.part(part).zip(flat) {
        for (vertex, x) in geometry.ring_range(ring).zip(longitudes) {
            sheet.coordinates.extend([*x, geometry.xy(vertex)[1]]);
        }
        sheet.end_ring();
    }
    sheet.end_part();
    sheet
}

fn contour(sheet: &OwnedShape, ring: usize, grid: &Grid) -> Contour {
    let vertices = sheet.ring_range(ring);
    let mut points: Contour = vertices
        .map(|vertex| grid.point(sheet.xy(vertex)))
        .collect();
    points.pop();
    points.dedup();
    points
}

/// One strip and what is needed to bring its pieces back between -180° and 180°.
struct Strip<'a> {
    at: f64,
    geometry: &'a OwnedShape,
    /// The first vertex of the part in the geometry.
    first: usize,
    grid: &'a Grid,
    origins: &'a Origins,
}

impl Strip<'_> {
    fn write(&self, out: &mut OwnedShape, shapes: &Shapes) {
        for shape in shapes {
            for contour in shape {
                let ring: Vec<_> = contour.iter().map(|point| self.place(*point)).collect();
                append_ring(out, &ring, mean_height(self.geometry));
            }
            out.end_part();
        }
    }

    fn place(&self, point: Point) -> ([f64; 2], Option<f64>) {
        let [x, y] = self.grid.place(point);
        match self.origins.of(point) {
            Some(vertex) => {
                let ordinates = self.geometry.vertex(self.first + vertex);
                let x = written(x, self.at, Some(ordinates[0]));
                ([x, ordinates[1]], ordinates.get(2).copied())
            }
            None => ([written(x, self.at, None), y], None),
        }
    }
}
