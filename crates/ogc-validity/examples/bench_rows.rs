//! Makes the shapes of `cargo xtask bench validity` and times the judge on them, as told by lines on standard input.
//!
//! | in | does | out |
//! |---|---|---|
//! | `make NAME SIZE FILE` | makes a shape and writes it as WKB | its vertices |
//! | `open FILE` | reads a polygon, a multi-polygon or a collection of these as WKB | its vertices |
//! | `time TIMES` | judges it, or each of a collection, every fault | the least time in nanoseconds, then how many of how many are valid |
//! | `memory` | judges it | the most bytes that a judgement had at once, beside its input |
//!
//! Shapes: `smooth`, `star`, `coast`, `comb`, each also with `bow` behind the name for one crossing in the middle, and
//! `holes`, `parts`, `nest`, `touch`, of which SIZE counts the rings. Reads and writes no other file.

use std::error::Error;
use std::f64::consts::TAU;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use ogc_validity::{Judgement, Limits, OwnedShape, ShapeKind, judge};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

type Ring = Vec<[f64; 2]>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut shapes = Vec::new();
    for line in stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["make", name, size, file] => {
                let shape = flat(&make(name, size.parse()?)?);
                std::fs::write(file, to_wkb(&shape)?)?;
                shapes = vec![shape];
                vertices(&shapes).to_string()
            }
            ["open", file] => {
                shapes = from_wkb(&std::fs::read(file)?)?;
                vertices(&shapes).to_string()
            }
            ["time", times] => time(&shapes, times.parse()?)?,
            ["memory"] => memory(&shapes)?.to_string(),
            _ => return Err(format!("not understood: {line}").into()),
        };
        let mut out = stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn vertices(shapes: &[OwnedShape]) -> usize {
    shapes.iter().map(|shape| shape.coordinates.len() / 2).sum()
}

#[allow(
    clippy::disallowed_methods,
    reason = "a benchmark measures time; nothing decides by it"
)]
fn time(shapes: &[OwnedShape], times: u32) -> Result<String, Box<dyn Error>> {
    let limits = Limits::default();
    let (mut least, mut valid) = (u128::MAX, 0);
    for _ in 0..times {
        valid = 0;
        let start = Instant::now();
        for shape in shapes {
            match judge(&shape.as_shape(), &limits)? {
                Judgement::Valid => valid += 1,
                Judgement::Invalid(_) => {}
                Judgement::Undecided { .. } => return Err("undecided".into()),
            }
        }
        least = least.min(start.elapsed().as_nanos());
    }
    Ok(format!("{least} {valid}/{}", shapes.len()))
}

fn memory(shapes: &[OwnedShape]) -> Result<usize, Box<dyn Error>> {
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    for shape in shapes {
        judge(&shape.as_shape(), &Limits::default())?;
    }
    Ok(ALLOCATED.peak_usage().saturating_sub(before))
}

// --- shapes ---

fn make(name: &str, size: u32) -> Result<Vec<Vec<Ring>>, String> {
    let (name, bow) = match name.strip_suffix("bow") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let ring = match name {
        "smooth" => smooth(size),
        "star" => star(size),
        "coast" => coast(size),
        "comb" => comb(size),
        "holes" => return Ok(holes(size)),
        "parts" => return Ok(grid(size).map(|center| vec![octagon(center)]).collect()),
        "nest" => return Ok(nest(size)),
        "touch" => return Ok(touch(size)),
        _ => return Err(format!("no such shape: {name}")),
    };
    Ok(vec![vec![close(if bow { crossed(ring) } else { ring })]])
}

fn close(mut ring: Ring) -> Ring {
    ring.extend(ring.first().copied());
    ring
}

/// Puts one crossing on an edge in the middle: a small loop to one side of it.
fn crossed(mut ring: Ring) -> Ring {
    let middle = ring.len() / 2;
    let ([x, y], next) = (ring[middle], ring[(middle + 1) % ring.len()]);
    let (along, across) = ([next[0] - x, next[1] - y], [y - next[1], next[0] - x]);
    let at = |a: f64, b: f64| {
        [
            x + a * along[0] + b * across[0],
            y + a * along[1] + b * across[1],
        ]
    };
    let bow = [at(0.6, 1e-6), at(0.6, -1e-6), at(0.4, 2e-6)];
    ring.splice(middle + 1..=middle, bow);
    ring
}

fn polar(turn: f64, reach: f64) -> [f64; 2] {
    [(turn * TAU).cos() * reach, (turn * TAU).sin() * reach]
}

/// A gently waving ring.
fn smooth(size: u32) -> Ring {
    let turns = (0..size).map(|number| f64::from(number) / f64::from(size));
    turns
        .map(|turn| polar(turn, 100.0 + 5.0 * (turn * TAU * 7.0).sin()))
        .collect()
}

/// Spikes of chance length.
fn star(size: u32) -> Ring {
    (0..size)
        .map(|number| {
            polar(
                f64::from(number) / f64::from(size),
                20.0 + 80.0 * chance(number),
            )
        })
        .collect()
}

/// A fractal coast: each edge gets a bump, as often as the size allows.
fn coast(size: u32) -> Ring {
    let mut ring: Ring = [0.0, 1.0, 2.0]
        .map(|third| polar(-third / 3.0, 100.0))
        .to_vec();
    let mut number = 0;
    while ring.len() * 4 <= size as usize {
        let mut finer = Vec::with_capacity(ring.len() * 4);
        for (at, &from) in ring.iter().enumerate() {
            let to = ring[(at + 1) % ring.len()];
            let step = [(to[0] - from[0]) / 3.0, (to[1] - from[1]) / 3.0];
            let height = 0.3 + 0.5 * chance(number);
            number += 1;
            let middle = [
                from[0] + 1.5 * step[0] - height * step[1],
                from[1] + 1.5 * step[1] + height * step[0],
            ];
            let second = [from[0] + step[0], from[1] + step[1]];
            let last = [from[0] + 2.0 * step[0], from[1] + 2.0 * step[1]];
            finer.extend([from, second, middle, last]);
        }
        ring = finer;
    }
    ring
}

/// Long thin teeth.
fn comb(size: u32) -> Ring {
    let tooth = |number: u32| {
        let tip = 1000.0 + 100.0 * chance(number);
        [
            f64::from(number),
            if number.is_multiple_of(2) { 0.0 } else { tip },
        ]
    };
    let back = [[f64::from(size), -1.0], [-1.0, -1.0]];
    (0..size - 2).map(tooth).chain(back).collect()
}

fn octagon(center: [f64; 2]) -> Ring {
    let corner = |number: u32| {
        let corner = polar(f64::from(number) / 8.0, 0.4);
        [center[0] + corner[0], center[1] + corner[1]]
    };
    close((0..8).map(corner).collect())
}

/// Centres on a grid of cells of size 1, row by row.
fn grid(count: u32) -> impl Iterator<Item = [f64; 2]> {
    let side = side(count);
    (0..count).map(move |number| {
        [
            f64::from(number % side) + 0.5,
            f64::from(number / side) + 0.5,
        ]
    })
}

fn side(count: u32) -> u32 {
    (1..=count).find(|side| side * side >= count).unwrap_or(1)
}

fn rectangle(low: [f64; 2], high: [f64; 2]) -> Ring {
    close(vec![low, [high[0], low[1]], high, [low[0], high[1]]])
}

fn holes(count: u32) -> Vec<Vec<Ring>> {
    let side = f64::from(side(count));
    let shell = rectangle([-1.0, -1.0], [side + 1.0, side + 1.0]);
    vec![
        std::iter::once(shell)
            .chain(grid(count).map(octagon))
            .collect(),
    ]
}

/// Frames, each in the hole of the next.
fn nest(count: u32) -> Vec<Vec<Ring>> {
    let square = |reach: f64| rectangle([-reach, -reach], [reach, reach]);
    (1..=count)
        .map(|number| vec![square(f64::from(number)), square(f64::from(number) - 0.5)])
        .collect()
}

/// Holes that hang from vertices of the shell.
fn touch(count: u32) -> Vec<Vec<Ring>> {
    let width = f64::from(count);
    let top = (0..count).map(|number| [width - f64::from(number) - 0.5, 10.0]);
    let corners = [[0.0, 10.0], [0.0, 0.0], [width, 0.0], [width, 10.0]];
    let shell = close(top.chain(corners).collect());
    let hole = |number: u32| {
        let x = f64::from(number) + 0.5;
        close(vec![[x, 10.0], [x + 0.3, 9.0], [x, 8.0], [x - 0.3, 9.0]])
    };
    vec![std::iter::once(shell).chain((0..count).map(hole)).collect()]
}

/// A number from 0 to 1 that looks like chance and is the same each time.
fn chance(number: u32) -> f64 {
    let mut bits = number.wrapping_add(0x9e37_79b9);
    for factor in [0x85eb_ca6b_u32, 0xc2b2_ae35] {
        bits = (bits ^ bits >> 15).wrapping_mul(factor);
    }
    f64::from(bits ^ bits >> 16) / f64::from(u32::MAX)
}

// --- flat arrays and WKB ---

const POLYGON: u32 = 3;
const MULTI_POLYGON: u32 = 6;
const COLLECTION: u32 = 7;

fn empty() -> OwnedShape {
    OwnedShape {
        kind: ShapeKind::MultiPolygon,
        coordinates: Vec::new(),
        stride: 2,
        ring_ends: Vec::new(),
        part_ends: Vec::new(),
    }
}

fn flat(parts: &[Vec<Ring>]) -> OwnedShape {
    let mut shape = empty();
    for part in parts {
        for ring in part {
            shape.coordinates.extend(ring.iter().flatten());
            end_ring(&mut shape);
        }
        end_part(&mut shape);
    }
    shape
}

fn end_ring(shape: &mut OwnedShape) {
    let vertices = u32::try_from(shape.coordinates.len() / 2);
    shape.ring_ends.push(vertices.unwrap_or(u32::MAX));
}

fn end_part(shape: &mut OwnedShape) {
    let rings = u32::try_from(shape.ring_ends.len());
    shape.part_ends.push(rings.unwrap_or(u32::MAX));
}

fn to_wkb(shape: &OwnedShape) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut wkb = Vec::new();
    if shape.part_ends.len() != 1 {
        header(&mut wkb, MULTI_POLYGON, shape.part_ends.len())?;
    }
    let (mut ring, mut vertex) = (0, 0);
    for &part_end in &shape.part_ends {
        header(&mut wkb, POLYGON, part_end as usize - ring)?;
        for &ring_end in &shape.ring_ends[ring..part_end as usize] {
            wkb.extend((ring_end - vertex).to_le_bytes());
            let range = vertex as usize * 2..ring_end as usize * 2;
            wkb.extend(
                shape.coordinates[range]
                    .iter()
                    .flat_map(|o| o.to_le_bytes()),
            );
            vertex = ring_end;
        }
        ring = part_end as usize;
    }
    Ok(wkb)
}

fn from_wkb(wkb: &[u8]) -> Result<Vec<OwnedShape>, Box<dyn Error>> {
    let mut rest = wkb;
    let (kind, count) = read_header(&mut rest)?;
    if kind != COLLECTION {
        return Ok(vec![read_polygons(kind, count, &mut rest)?]);
    }
    (0..count)
        .map(|_| {
            let (kind, count) = read_header(&mut rest)?;
            read_polygons(kind, count, &mut rest)
        })
        .collect()
}

fn read_polygons(kind: u32, count: u32, rest: &mut &[u8]) -> Result<OwnedShape, Box<dyn Error>> {
    let mut shape = empty();
    match kind {
        POLYGON => read_part(&mut shape, count, rest)?,
        MULTI_POLYGON => {
            for _ in 0..count {
                let (_, rings) = read_header(rest)?;
                read_part(&mut shape, rings, rest)?;
            }
        }
        _ => return Err(format!("a geometry of type {kind}").into()),
    }
    Ok(shape)
}

fn read_part(shape: &mut OwnedShape, rings: u32, rest: &mut &[u8]) -> Result<(), Box<dyn Error>> {
    for _ in 0..rings {
        for _ in 0..u32::from_le_bytes(take(rest)?) {
            shape.coordinates.push(f64::from_le_bytes(take(rest)?));
            shape.coordinates.push(f64::from_le_bytes(take(rest)?));
        }
        end_ring(shape);
    }
    end_part(shape);
    Ok(())
}

fn header(wkb: &mut Vec<u8>, kind: u32, count: usize) -> Result<(), Box<dyn Error>> {
    wkb.push(1);
    wkb.extend(kind.to_le_bytes());
    wkb.extend(u32::try_from(count)?.to_le_bytes());
    Ok(())
}

fn read_header(rest: &mut &[u8]) -> Result<(u32, u32), Box<dyn Error>> {
    let [order] = take(rest)?;
    let (kind, count) = (
        u32::from_le_bytes(take(rest)?),
        u32::from_le_bytes(take(rest)?),
    );
    if order == 1 {
        Ok((kind, count))
    } else {
        Err("not little-endian".into())
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Box<dyn Error>> {
    let (head, tail) = rest.split_first_chunk().ok_or("WKB ends early")?;
    *rest = tail;
    Ok(*head)
}
