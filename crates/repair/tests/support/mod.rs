//! What the tests share: shapes made by hand and from WKT.

#![allow(dead_code, reason = "each test uses its share of it")]

use hexlane_repair::Geometry;
use ogc_validity::{ShapeKind, is_valid};

/// Parts of rings of positions.
pub(crate) type Parts = Vec<Vec<Vec<[f64; 2]>>>;

pub(crate) fn polygons(parts: &Parts) -> Geometry {
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

pub(crate) fn line(stride: usize, coordinates: &[f64]) -> Geometry {
    let mut out = empty(ShapeKind::LineString, stride);
    out.coordinates.extend(coordinates);
    end_ring(&mut out);
    out
}

pub(crate) fn polygon(stride: usize, rings: &[&[f64]]) -> Geometry {
    let mut out = empty(ShapeKind::Polygon, stride);
    for ring in rings {
        out.coordinates.extend(*ring);
        end_ring(&mut out);
    }
    out.part_ends.push(u32::try_from(rings.len()).unwrap());
    out
}

pub(crate) fn empty(kind: ShapeKind, stride: usize) -> Geometry {
    Geometry {
        kind,
        coordinates: vec![],
        stride,
        ring_ends: vec![],
        part_ends: vec![],
    }
}

fn end_ring(out: &mut Geometry) {
    out.ring_ends
        .push(u32::try_from(out.coordinates.len() / out.stride).unwrap());
}

pub(crate) fn valid(geometry: &Geometry) -> bool {
    is_valid(&geometry.as_shape()).unwrap() == Some(true)
}

/// Area by the shoelace formula, holes taken off.
pub(crate) fn area(geometry: &Geometry) -> f64 {
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
pub(crate) fn wkt(text: &str) -> Option<Vec<Geometry>> {
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

fn read(text: &str, depth: usize, out: &mut Geometry) -> Option<()> {
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
