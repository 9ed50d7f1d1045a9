//! `cargo xtask bench validity`: our judge, every fault, beside GEOS `is_valid_reason`, which stops at the first.
//!
//! Ours makes each shape and writes it as WKB, the peer reads that, and both keep it in memory: only the judging is
//! measured. They take turns on one row, so that a busy machine slows each, and the least time of all turns counts.
//! A verdict that differs ends the run. Where GEOS takes seconds it is asked once, and not at all above 100,000 vertices
//! of a shape on which it is quadratic: such a row has no peer and no ratio.
//!
//! The countries of the world are rows too, each file as a whole, where `npm ci` has brought them. Behind the table comes
//! the memory that ours had beside the input, at most and by row.

use std::path::Path;

use super::{
    report::{self, Row},
    side::Side,
};
use crate::{
    command::{cargo, program, run},
    failure::Failure,
    interrupt::Interrupt,
    tools,
    workspace::Workspace,
};

const PEER: &str = include_str!("../../peers/geos.py");

/// Turns of each side on a row.
const TURNS: usize = 5;
/// A turn repeats a small shape until about so many vertices were judged.
const TURN_VERTICES: usize = 400_000;
/// A turn of the peer ends after this, and a peer that took longer gets no further turn.
const PEER_TURN_S: u64 = 2;

/// Vertices of the rings.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// Shapes that are one ring; whether GEOS is quadratic on it.
const RINGS: [(&str, bool); 8] = [
    ("smooth", false),
    ("smoothbow", false),
    ("star", true),
    ("starbow", true),
    ("coast", false),
    ("coastbow", false),
    ("comb", false),
    ("combbow", false),
];
/// A row over this many vertices is not asked of a quadratic peer.
const QUADRATIC_MAX: usize = 100_000;
/// Shapes of many rings, and how many.
const MANY: [(&str, usize); 11] = [
    ("holes", 100),
    ("holes", 1_000),
    ("holes", 10_000),
    ("holes", 40_000),
    ("parts", 100),
    ("parts", 1_000),
    ("parts", 10_000),
    ("parts", 40_000),
    ("nest", 1_000),
    ("touch", 5_000),
    ("touch", 20_000),
];

/// Countries from OpenStreetMap, valid and not, as npm packages of this scope.
const COUNTRIES: [&str; 2] = ["countries-land-10km", "countries-land-1km"];

/// Runs all rows, prints the table, writes `validity.json`.
pub(crate) fn validity(workspace: &Workspace) -> Result<(), Failure> {
    tools::ensure_python(workspace)?;
    run(cargo(workspace).args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "ogc-validity",
        "--example",
        "bench_rows",
    ]))?;
    let interrupt = Interrupt::watch()?;
    let ours = workspace.target().join("release/examples/bench_rows");
    let mut ours = Side::start(&mut program(workspace, ours))?;
    let mut peer = Side::start(program(workspace, "python3").args(["-c", PEER]))?;
    let folder = workspace.bench();
    std::fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    let file = folder.join("validity.wkb");
    let mut rows = Vec::new();
    let mut memory = Vec::new();
    for (shape, size, quadratic) in cases() {
        interrupt.check()?;
        eprintln!("measuring: {shape} {size}");
        let vertices = ours.number(&format!("make {shape} {size} {}", file.display()))?;
        let asked = !(quadratic && size > QUADRATIC_MAX);
        let peer = asked.then_some(&mut peer);
        let name = format!("{shape} {size} ({vertices} vertices)");
        rows.push(compare(&mut ours, peer, name.clone(), vertices, &file)?);
        memory.push(measure_memory(&mut ours, &name, vertices)?);
    }
    for package in COUNTRIES {
        interrupt.check()?;
        let map = format!("node_modules/@geo-maps/{package}/map.geo.json");
        let map = workspace.root().join(map);
        if !map.exists() {
            eprintln!("LEFT OUT: {package}, which `npm ci` brings");
            continue;
        }
        eprintln!("measuring: {package}");
        peer.ask(&format!("convert {} {}", map.display(), file.display()))?;
        let vertices = ours.number(&format!("open {}", file.display()))?;
        let name = format!("{package} ({vertices} vertices)");
        rows.push(compare(
            &mut ours,
            Some(&mut peer),
            name.clone(),
            vertices,
            &file,
        )?);
        memory.push(measure_memory(&mut ours, &name, vertices)?);
    }
    std::fs::remove_file(&file).map_err(Failure::file("remove", &file))?;
    report::print(&rows);
    print_mean(&rows);
    print_memory(&memory);
    rows.extend(memory);
    report::write(&folder, "validity.json", &report::rows(&rows))
}

fn cases() -> impl Iterator<Item = (&'static str, usize, bool)> {
    let rings = RINGS
        .into_iter()
        .flat_map(|(shape, quadratic)| SIZES.map(|size| (shape, size, quadratic)));
    rings.chain(MANY.map(|(shape, count)| (shape, count, false)))
}

fn compare(
    ours: &mut Side,
    mut peer: Option<&mut Side>,
    name: String,
    vertices: usize,
    file: &Path,
) -> Result<Row, Failure> {
    if let Some(peer) = &mut peer {
        let read: usize = peer.number(&format!("open {}", file.display()))?;
        if read != vertices {
            return Err(Failure::Refused(format!(
                "{name}: the peer read {read} vertices"
            )));
        }
    }
    let times = (TURN_VERTICES / vertices.max(1)).clamp(1, 200);
    let (mut own, mut other) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        let (took, verdict) = ours.time(&format!("time {times}"))?;
        own = own.min(took);
        if let Some(side) = &mut peer {
            let (took, peers) = side.time(&format!("time {times} {PEER_TURN_S}"))?;
            other = other.min(took);
            if verdict != peers {
                return Err(Failure::Refused(format!(
                    "{name}: ours says {verdict}, GEOS {peers}"
                )));
            }
            if took > 2e9 {
                peer = None;
            }
        }
    }
    Ok(Row {
        name,
        ours: own / 1e3,
        peer: other / 1e3,
        unit: "µs",
        ratio: other / own,
    })
}

/// Bytes that a judgement has at once beside its input, by vertex. No peer tells.
fn measure_memory(ours: &mut Side, name: &str, vertices: usize) -> Result<Row, Failure> {
    let bytes: f64 = ours.number("memory")?;
    let vertices = f64::from(u32::try_from(vertices.max(1)).unwrap_or(u32::MAX));
    Ok(Row {
        name: format!("memory of {name}"),
        ours: bytes / vertices,
        peer: f64::NAN,
        unit: "B/vertex",
        ratio: f64::NAN,
    })
}

fn print_memory(rows: &[Row]) {
    for row in rows {
        println!("{}: {:.1} bytes a vertex", row.name, row.ours);
    }
    if let Some(most) = rows.iter().max_by(|a, b| a.ours.total_cmp(&b.ours)) {
        println!("most {}: {:.1} bytes a vertex", most.name, most.ours);
    }
}

fn print_mean(rows: &[Row]) {
    let logarithms: Vec<f64> = rows
        .iter()
        .filter(|row| row.ratio.is_finite())
        .map(|row| row.ratio.ln())
        .collect();
    let count = f64::from(u32::try_from(logarithms.len()).unwrap_or(u32::MAX));
    println!(
        "geometric mean of {count} rows with a peer: {:.2}",
        (logarithms.iter().sum::<f64>() / count).exp()
    );
}
