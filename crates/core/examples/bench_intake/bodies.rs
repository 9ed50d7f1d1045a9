//! Bodies by name and seed, the same each time: a point, a polygon, fractal multi-polygons, many small polygons.
//!
//! All are valid. Coordinates have seven decimals and properties are those of a tracker, as senders write them.

use std::f64::consts::TAU;
use std::fmt::Write as _;

type Ring = Vec<[f64; 2]>;

/// The text of a body, and how many positions it has.
pub(crate) fn make(name: &str, seed: u64) -> Result<(String, usize), String> {
    let mut chance = Chance(seed);
    let mut text = Text::default();
    match name {
        "point" => text.feature(0, "Point", |text| text.position([13.377_704, 52.516_275])),
        "polygon" => text.feature(0, "Polygon", |text| text.rings(&wavy(415, &mut chance))),
        "fractal" => text.fractal(128, 1_536, &mut chance),
        "large" => text.fractal(128, 12_288, &mut chance),
        "stars" => text.stars(128, 12_288, &mut chance),
        "many" => text.collection(18_000, &mut chance),
        _ => return Err(format!("no such body: {name}")),
    }
    Ok((text.text, text.positions))
}

// --- shapes ---

/// A wavy ring, as a real outline is: not convex, and no two edges in line.
fn wavy(size: u32, chance: &mut Chance) -> Ring {
    let phase = chance.next() * TAU;
    let corner = |number: u32| {
        let angle = TAU * f64::from(number) / f64::from(size);
        let reach = 0.01 + 0.0004 * (9.0 * angle + phase).sin();
        [
            13.377_704 + reach * angle.cos(),
            52.516_275 + reach * angle.sin(),
        ]
    };
    closed((0..size).map(corner).collect())
}

/// The outline of an octagon whose edges are bent in the middle, again and again. A bend is
/// flatter than the one before, so that all later ones stay within a wedge of it and no two
/// edges meet.
fn coast(center: [f64; 2], size: u32, chance: &mut Chance) -> Ring {
    let corner = |number: u32| polar(center, f64::from(number) / 8.0, 2.0);
    let mut ring: Ring = (0..8).map(corner).collect();
    let mut bend = 0.05;
    while ring.len() < size as usize {
        let edges = ring.iter().zip(ring.iter().cycle().skip(1));
        let finer = edges.flat_map(|(&[x, y], &[to_x, to_y])| {
            let side = bend * (2.0 * chance.next() - 1.0);
            let middle = [
                x.midpoint(to_x) + side * (y - to_y),
                y.midpoint(to_y) + side * (to_x - x),
            ];
            [[x, y], middle]
        });
        ring = finer.collect();
        bend *= 0.75;
    }
    // Not every size is a power of two: corners of the last bends are left out.
    let spare = ring.len() - size as usize;
    let mut number = 0;
    ring.retain(|_| {
        number += 1;
        number % 2 == 1 || number / 2 >= spare
    });
    closed(ring)
}

/// Spikes of chance length: their boxes all overlap.
fn star(center: [f64; 2], size: u32, chance: &mut Chance) -> Ring {
    let corner = |number| {
        let reach = 0.4 + 1.6 * chance.next();
        polar(center, f64::from(number) / f64::from(size), reach)
    };
    closed((0..size).map(corner).collect())
}

fn polar([x, y]: [f64; 2], turn: f64, reach: f64) -> [f64; 2] {
    [
        x + (turn * TAU).cos() * reach,
        y + (turn * TAU).sin() * reach,
    ]
}

fn closed(mut ring: Ring) -> Ring {
    ring.extend(ring.first().copied());
    ring
}

/// Centres five degrees apart, row by row from the south-west.
fn centers(count: u32) -> impl Iterator<Item = [f64; 2]> {
    let apart = |number: u32, start: f64| start + 5.0 * f64::from(number);
    (0..count).map(move |number| [apart(number % 16, -40.0), apart(number / 16, -20.0)])
}

// --- text ---

#[derive(Default)]
struct Text {
    text: String,
    positions: usize,
}

impl Text {
    fn feature(&mut self, id: u32, kind: &str, coordinates: impl FnOnce(&mut Self)) {
        let _ = write!(
            self.text,
            r#"{{"type":"Feature","id":"bench-{id}","geometry":{{"type":"{kind}","coordinates":"#
        );
        coordinates(self);
        let _ = write!(
            self.text,
            r#"}},"properties":{{"event_id":"event-{id}","device_id":"tracker-{id}","observed_at":"2027-01-15T07:59:58Z","speed_kmh":42.5,"heading":271,"accuracy_m":4.2,"battery":0.87,"status":"moving"}}}}"#
        );
    }

    fn fractal(&mut self, parts: u32, size: u32, chance: &mut Chance) {
        self.parts(parts, |center| coast(center, size, chance));
    }

    fn stars(&mut self, parts: u32, size: u32, chance: &mut Chance) {
        self.parts(parts, |center| star(center, size, chance));
    }

    fn parts(&mut self, parts: u32, mut ring: impl FnMut([f64; 2]) -> Ring) {
        self.feature(0, "MultiPolygon", |text| {
            text.list('[', centers(parts), |text, center| {
                text.rings(&ring(center));
            });
            text.text.push(']');
        });
    }

    fn collection(&mut self, features: u32, chance: &mut Chance) {
        self.text
            .push_str(r#"{"type":"FeatureCollection","features":"#);
        self.list('[', 0..features, |text, number| {
            let center = [360.0 * chance.next() - 180.0, 160.0 * chance.next() - 80.0];
            let corner = |corner| polar(center, f64::from(corner) / 5.0, 0.001);
            let ring = closed((0..5).map(corner).collect());
            text.feature(number, "Polygon", |text| text.rings(&ring));
        });
        self.text.push_str("]}");
    }

    fn rings(&mut self, ring: &Ring) {
        self.text.push('[');
        self.list('[', ring, |text, position| text.position(*position));
        self.text.push_str("]]");
    }

    fn position(&mut self, [x, y]: [f64; 2]) {
        let _ = write!(self.text, "[{x:.7},{y:.7}]");
        self.positions += 1;
    }

    /// An array without its closing bracket.
    fn list<T>(
        &mut self,
        open: char,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        let mut before = open;
        for item in items {
            self.text.push(before);
            write(self, item);
            before = ',';
        }
    }
}

/// Numbers from 0 to 1 that look like chance and are the same for a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb_u64)] {
            bits = (bits ^ bits >> shift).wrapping_mul(factor);
        }
        f64::from((bits >> 32) as u32) / f64::from(u32::MAX)
    }
}
