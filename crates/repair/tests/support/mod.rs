//! What the tests share: shapes made by hand and from WKT.

#![allow(dead_code, reason = "each test uses its share of it")]
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    clippy::many_single_char_names,
    reason = "a test that cannot go on has failed; grids are exact; the letters are those of the formula"
)]

use ogc_validity::{OwnedShape, ShapeKind, is_valid};

/// Parts of rings of positions.
pub(crate) type Parts = Vec<Vec<Vec<[f64; 2]>>>;

pub(crate) fn polygons(parts: &Parts) -> OwnedShape {
    let mut out = empty(ShapeKind::MultiPolygon, 2);
    for part in parts {
        for ring in part {
            out.coordinates.extend(ring.iter().flatten());
            end_ring(&mut out);
        }
        out.part_ends
            .push(u32::try_from(out.ring_ends.len()).unwrap());
    }
    out
}

pub(crate) fn line(stride: usize, coordinates: &[f64]) -> OwnedShape {
    let mut out = empty(ShapeKind::LineString, stride);
    out.coordinates.extend(coordinates);
    end_ring(&mut out);
    out
}

pub(crate) fn polygon(stride: usize, rings: &[&[f64]]) -> OwnedShape {
    let mut out = empty(ShapeKind::Polygon, stride);
    for ring in rings {
        out.coordinates.extend(*ring);
        end_ring(&mut out);
    }
    out.part_ends.push(u32::try_from(rings.len()).unwrap());
    out
}

pub(crate) fn empty(kind: ShapeKind, stride: usize) -> OwnedShape {
    OwnedShape {
        kind,
        coordinates: vec![],
        stride,
        ring_ends: vec![],
        part_ends: vec![],
    }
}

fn end_ring(out: &mut OwnedShape) {
    out.ring_ends
        .push(u32::try_from(out.coordinates.len() / out.stride).unwrap());
}

pub(crate) fn valid(geometry: &OwnedShape) -> bool {
    is_valid(&geometry.as_shape()).unwrap() == Some(true)
}

/// Area by the shoelace formula, holes taken off.
pub(crate) fn area(geometry: &OwnedShape) -> f64 {
    let mut start = 0;
    let mut shells = std::collections::BTreeSet::from([0]);
    shells.extend(&geometry.part_ends);
    let mut sum = 0.0;
    for (ring, end) in geometry.ring_ends.iter().enumerate() {
        let flat = &geometry.coordinates[start..*end as usize * geometry.stride];
        let corners: Vec<&[f64]> = flat.chunks(geometry.stride).collect();
        let next = corners.iter().cycle().skip(1);
        let twice: f64 = corners
            .iter()
            .zip(next)
            .map(|(a, b)| a[0] * b[1] - b[0] * a[1])
            .sum();
        let is_shell = shells.contains(&u32::try_from(ring).unwrap());
        sum += if is_shell { twice.abs() } else { -twice.abs() };
        start = *end as usize * geometry.stride;
    }
    sum / 2.0
}

/// The elements of a WKT geometry as they stand; `None` for what is not read. No ring is closed.
pub(crate) fn wkt(text: &str) -> Option<Vec<OwnedShape>> {
    let text = text.trim().to_uppercase();
    let open = text.find(['(', ' ']).unwrap_or(text.len());
    let name = text[..open].trim();
    let rest = text[open..].trim();
    let (rest, stride) = rest
        .strip_prefix("Z ")
        .map_or((rest, 2), |rest| (rest.trim(), 3));
    if name == "GEOMETRYCOLLECTION" {
        let inner = unwrap(rest)?;
        return split(inner)
            .into_iter()
            .map(wkt)
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
    }
    let (kind, depth) = match name {
        "POINT" => (ShapeKind::Point, 0),
        "MULTIPOINT" => (ShapeKind::MultiPoint, 0),
        "LINESTRING" => (ShapeKind::LineString, 1),
        "MULTILINESTRING" => (ShapeKind::MultiLineString, 2),
        "LINEARRING" => (ShapeKind::Polygon, 1),
        "POLYGON" => (ShapeKind::Polygon, 2),
        "MULTIPOLYGON" => (ShapeKind::MultiPolygon, 3),
        _ => return None,
    };
    let mut out = empty(kind, stride);
    read(rest, depth, &mut out)?;
    if kind == ShapeKind::Polygon && !out.ring_ends.is_empty() {
        out.part_ends = vec![u32::try_from(out.ring_ends.len()).unwrap()];
    }
    Some(vec![out])
}

fn unwrap(text: &str) -> Option<&str> {
    if text == "EMPTY" {
        return Some("");
    }
    text.strip_prefix('(')?.strip_suffix(')')
}

/// Cuts at the commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut out, mut depth, mut start) = (vec![], 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        out.push(text[start..].trim());
    }
    out
}

fn read(text: &str, depth: usize, out: &mut OwnedShape) -> Option<()> {
    let items = split(unwrap(text)?);
    for item in items {
        if depth <= 1 {
            let item = item.trim_matches(['(', ')']);
            let ordinates: Result<Vec<f64>, _> = item.split_whitespace().map(str::parse).collect();
            let ordinates = ordinates.ok().filter(|each| each.len() == out.stride)?;
            out.coordinates.extend(ordinates);
        } else {
            read(item, depth - 1, out)?;
        }
    }
    if depth == 1 && (out.kind != ShapeKind::LineString || !out.coordinates.is_empty()) {
        end_ring(out);
    }
    if depth == 2 && out.kind == ShapeKind::MultiPolygon {
        out.part_ends
            .push(u32::try_from(out.ring_ends.len()).unwrap());
    }
    Some(())
}

/// The rings of a geometry, each closed.
pub(crate) fn rings(geometry: &OwnedShape) -> Parts {
    let mut start = 0;
    let mut out = vec![];
    for end in &geometry.ring_ends {
        let end = *end as usize * geometry.stride;
        let corners = geometry.coordinates[start..end].chunks(geometry.stride);
        let mut ring: Vec<[f64; 2]> = corners.map(|each| [each[0], each[1]]).collect();
        ring.extend(ring.first().copied());
        out.push(ring);
        start = end;
    }
    vec![out]
}

/// The area that an odd number of rings goes round, by slabs between all heights at which something happens: inside one
/// edges do not cross, so each interval between two of them is a trapezoid.
pub(crate) fn even_odd_area(parts: &Parts) -> f64 {
    let edges: Vec<[[f64; 2]; 2]> = parts
        .iter()
        .flatten()
        .flat_map(|ring| ring.windows(2).map(|pair| [pair[0], pair[1]]))
        .filter(|[a, b]| a[1] != b[1])
        .collect();
    let mut heights: Vec<f64> = edges.iter().flatten().map(|each| each[1]).collect();
    for (at, first) in edges.iter().enumerate() {
        heights.extend(
            edges[..at]
                .iter()
                .filter_map(|second| crossing(first, second)),
        );
    }
    heights.sort_by(f64::total_cmp);
    heights
        .windows(2)
        .map(|slab| slab_area(&edges, slab[0], slab[1]))
        .sum()
}

fn crossing([a, b]: &[[f64; 2]; 2], [c, d]: &[[f64; 2]; 2]) -> Option<f64> {
    let [r, s] = [[b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]];
    let cross = r[0] * s[1] - r[1] * s[0];
    let share = ((c[0] - a[0]) * s[1] - (c[1] - a[1]) * s[0]) / cross;
    (cross != 0.0 && (0.0..=1.0).contains(&share)).then(|| a[1] + r[1] * share)
}

fn slab_area(edges: &[[[f64; 2]; 2]], low: f64, high: f64) -> f64 {
    let middle = f64::midpoint(low, high);
    let at = |[a, b]: &[[f64; 2]; 2]| a[0] + (b[0] - a[0]) * (middle - a[1]) / (b[1] - a[1]);
    let spans = |edge: &&[[f64; 2]; 2]| (edge[0][1] < middle) != (edge[1][1] < middle);
    let mut places: Vec<f64> = edges.iter().filter(spans).map(at).collect();
    places.sort_by(f64::total_cmp);
    let inside: f64 = places.chunks(2).map(|pair| pair[1] - pair[0]).sum();
    inside * (high - low)
}
