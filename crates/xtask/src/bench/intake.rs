//! `cargo xtask bench intake`: from the bytes of a body to its encoded envelopes, beside what others do on the way.
//!
//! Peers: a `serde_json::Value` of the same slice and nothing else; the crate `geojson` with `geo`'s shapes and
//! validation; Python with json, shapely and h3, as guides show it. All take turns on one body, so that a busy machine
//! slows each, and the least time of all turns counts. `geo`'s validation is quadratic in a ring: on the body of 40 MB
//! it would take minutes, so that there the peer parses and makes shapes only, which the row says.
//!
//! In the end, how much linear memory the core takes in wasm for bodies of 1.57 million positions that come in chunks.

use std::path::Path;

use serde_json::Value;

use super::{
    report::{self, Row},
    side::Side,
};
use crate::{
    command::{cargo, program, read, run},
    failure::Failure,
    interrupt::Interrupt,
    oracle, tools,
    workspace::Workspace,
};

const PEER: &str = include_str!("../../peers/intake.py");

/// Draws the bodies.
const SEED: u64 = 1;
/// Turns of each side on a body.
const TURNS: usize = 5;
/// A turn repeats a small body until about so many bytes were taken in.
const TURN_BYTES: usize = 5_000_000;
/// A turn of Python ends after this.
const PEER_TURN_S: u64 = 2;

/// The bodies by the name they are made by, and in words; whether `geo` validates them.
const BODIES: [(&str, &str, bool); 5] = [
    ("point", "point", true),
    ("polygon", "polygon", true),
    ("fractal", "fractal multi-polygon", true),
    ("large", "fractal multi-polygon", false),
    ("many", "18,000 small polygons", true),
];

/// Bodies of which only the memory in wasm is measured: one for the tree of the judge, one for its sweep.
const LARGE: [(&str, &str); 2] = [
    ("large", "fractal multi-polygon"),
    ("stars", "multi-polygon of stars"),
];
/// What such a body may take at peak.
const MEMORY_MIB_MAX: f64 = 64.0;

/// Runs all rows, prints the table, writes `intake.json`.
pub(crate) fn intake(workspace: &Workspace) -> Result<(), Failure> {
    tools::ensure_python(workspace)?;
    run(cargo(workspace)
        .args(["build", "--quiet", "--release", "--package", "hexlane-core"])
        .args(["--example", "bench_intake"]))?;
    let interrupt = Interrupt::watch()?;
    let ours = workspace.target().join("release/examples/bench_intake");
    let mut ours = Side::start(&mut program(workspace, ours))?;
    let interpreter = tools::interpreter(workspace);
    let mut python = Side::start(program(workspace, interpreter).args(["-c", PEER]))?;
    let folder = workspace.bench();
    std::fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    let file = folder.join("intake.geojson");
    let mut rows = Vec::new();
    for (name, words, validated) in BODIES {
        interrupt.check()?;
        eprintln!("measuring: {name}");
        let made = ours.ask(&format!("make {name} {SEED} {}", file.display()))?;
        let bytes = made.split(' ').next().and_then(|bytes| bytes.parse().ok());
        let bytes: usize =
            bytes.ok_or_else(|| Failure::Refused(format!("`{name}` was made as `{made}`")))?;
        let opened: usize = python.number(&format!("open {}", file.display()))?;
        if opened != bytes {
            return Err(Failure::Refused(format!(
                "{name}: Python read {opened} bytes"
            )));
        }
        let body = format!("{words}, {}", size(bytes));
        rows.extend(compare(&mut ours, &mut python, (&body, bytes, validated))?);
    }
    std::fs::remove_file(&file).map_err(Failure::file("remove", &file))?;
    let memory = memory(workspace, &mut ours, &folder)?;
    rows.extend(memory.iter().map(Memory::row));
    report::print(&rows);
    for body in &memory {
        body.print();
    }
    report::write(&folder, "intake.json", &report::rows(&rows))
}

/// Linear memory of the core in wasm, in bytes.
struct Memory {
    words: &'static str,
    bytes: u64,
    positions: u64,
    /// Before the first chunk, after the last, and in the end.
    started: u64,
    read: u64,
    peak: u64,
}

/// Takes the large bodies in as a Worker does, in chunks and in wasm.
fn memory(workspace: &Workspace, ours: &mut Side, folder: &Path) -> Result<Vec<Memory>, Failure> {
    let glue = oracle::in_wasm(workspace)?;
    let file = folder.join("memory.geojson");
    let mut all = Vec::new();
    for (name, words) in LARGE {
        eprintln!("measuring: {name} in wasm");
        let made = ours.ask(&format!("make {name} {SEED} {}", file.display()))?;
        let script = workspace.root().join("crates/xtask/oracle/memory.mjs");
        let told = read(
            program(workspace, workspace.npm_bin("node"))
                .arg(script)
                .args([&glue, &file]),
        )?;
        let refuse = |reason: &str| Failure::Refused(format!("{name} in wasm: {reason}: {told}"));
        let answer: Value = serde_json::from_str(&told).map_err(|_| refuse("no answer"))?;
        if answer["verdict"] != "valid" {
            return Err(refuse("not valid"));
        }
        let number = |member: &str| answer[member].as_u64().ok_or_else(|| refuse(member));
        let positions = made.split(' ').nth(1).and_then(|count| count.parse().ok());
        all.push(Memory {
            words,
            bytes: number("bytes")?,
            positions: positions.ok_or_else(|| refuse(&made))?,
            started: number("started")?,
            read: number("read")?,
            peak: number("peak")?,
        });
    }
    std::fs::remove_file(&file).map_err(Failure::file("remove", &file))?;
    Ok(all)
}

impl Memory {
    fn row(&self) -> Row {
        let ours = mebibytes(self.peak);
        Row {
            name: format!("{}, peak in wasm; the bar", self.words),
            ours,
            peer: MEMORY_MIB_MAX,
            unit: "MiB",
            ratio: MEMORY_MIB_MAX / ours,
        }
    }

    fn print(&self) {
        let each = |bytes: u64| mebibytes(bytes) / mebibytes(self.positions);
        let (to_read, to_judge) = (self.read - self.started, self.peak - self.read);
        println!(
            "{}, {} bytes and {} positions, in wasm: {:.1} MiB of linear memory at peak",
            self.words,
            self.bytes,
            self.positions,
            mebibytes(self.peak),
        );
        println!(
            "  {:.1} before the first chunk, {:.1} to read it ({:.1} bytes a position: 16 of coordinates, 1 of places), \
             {:.1} to judge it ({:.1} bytes a position)",
            mebibytes(self.started),
            mebibytes(to_read),
            each(to_read),
            mebibytes(to_judge),
            each(to_judge),
        );
    }
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} KB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// A row for each peer.
fn compare(
    ours: &mut Side,
    python: &mut Side,
    (body, bytes, validated): (&str, usize, bool),
) -> Result<[Row; 3], Failure> {
    let times = (TURN_BYTES / bytes).clamp(1, 1_000);
    let crates = if validated { "geojson" } else { "parsed" };
    let (mut own, mut least) = (f64::INFINITY, [f64::INFINITY; 3]);
    for _ in 0..TURNS {
        let (took, events) = ours.time(&format!("time ours {times}"))?;
        own = own.min(took);
        let peers = [
            ours.time(&format!("time value {times}"))?,
            ours.time(&format!("time {crates} {times}"))?,
            python.time(&format!("time {times} {PEER_TURN_S}"))?,
        ];
        for (least, (took, features)) in least.iter_mut().zip(peers) {
            *least = least.min(took);
            if features != events {
                return Err(Failure::Refused(format!(
                    "{body}: {events} events of ours, {features} features of a peer"
                )));
            }
        }
    }
    let geo = if validated {
        "geojson + geo"
    } else {
        "geojson + geo, parsed only"
    };
    let names = ["serde_json::Value alone", geo, "Python json + shapely + h3"];
    let row = |at: usize| Row {
        name: format!("{body}; {}", names[at]),
        ours: own / 1e3,
        peer: least[at] / 1e3,
        unit: "µs",
        ratio: least[at] / own,
    };
    Ok([row(0), row(1), row(2)])
}
