//! `cargo xtask bench edge`: our Worker beside a hello-world one, in requests a second.
//!
//! Both run under `workerd serve` in the same run and take turns, so that a busy
//! machine slows both. Ours is asked for what it does all day: refuse (422) and
//! accept by relay (202, with a real `hexlane run` behind it); the peer reads the
//! same body and answers a constant. Figures are for this machine only; the ratio
//! is what travels.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use toml::Table;

use super::{
    load::Target,
    payload,
    report::{self, Row},
    workerd::{self, Worker},
};
use crate::{
    consumer, edge,
    failure::Failure,
    interrupt::Interrupt,
    ports,
    process::{Echo, Process},
    secret,
    workspace::Workspace,
};

const PEER: &str = include_str!("../../peers/hello.js");

const OURS_PORT: u16 = 8797;
const PEER_PORT: u16 = 8798;

const PATH: &str = "/v1/events/demo";

/// One turn of one side; five pairs and the median keep a hiccup out.
const TURN: Duration = Duration::from_secs(2);
const PAIRS: u32 = 5;

/// One row: its name, the body, what ours must answer.
struct Case {
    name: &'static str,
    body: String,
    expected: u16,
}

/// Runs all rows, prints the table, writes `edge.json`.
pub(crate) fn edge(workspace: &Workspace) -> Result<(), Failure> {
    for port in [OURS_PORT, PEER_PORT, consumer::PORT] {
        ports::ensure_free(port, "bench edge")?;
    }
    consumer::build(workspace)?;
    let bundle = edge::bundle(workspace)?;
    let settings = workerd::settings(workspace)?;
    let secret = secret::generate()?;
    let ours = ours(bundle, &settings, &secret)?;
    let peer = peer(&workspace.bench().join("edge/peer"))?;
    let interrupt = Interrupt::watch()?;
    let mut relay = start_relay(workspace, &secret, &interrupt)?;
    let mut ours = ours.serve(workspace, &settings, &interrupt)?;
    let mut peer = peer.serve(workspace, &settings, &interrupt)?;
    let mut rows = Vec::new();
    for case in cases() {
        eprintln!("measuring: {}", case.name);
        rows.push(compare(&case, &interrupt)?);
        report::print(&rows[rows.len() - 1..]);
        for process in [&mut relay, &mut ours, &mut peer] {
            process.ensure_alive(Duration::ZERO)?;
        }
    }
    report::print(&rows);
    report::write(&workspace.bench(), "edge.json", &report::rows(&rows))
}

fn cases() -> [Case; 4] {
    let case = |name, body, expected| Case {
        name,
        body,
        expected,
    };
    [
        case("300-byte point, refused", payload::point(true), 422),
        case(
            "300-byte point, accepted by relay",
            payload::point(false),
            202,
        ),
        case("10 KB polygon, refused", payload::polygon(true), 422),
        case(
            "10 KB polygon, accepted by relay",
            payload::polygon(false),
            202,
        ),
    ]
}

/// Warms both sides, then lets them take turns, changing who goes first.
fn compare(case: &Case, interrupt: &Interrupt) -> Result<Row, Failure> {
    let side = |port, expected| Target {
        port,
        path: PATH,
        body: &case.body,
        expected,
    };
    let (ours, peer) = (side(OURS_PORT, case.expected), side(PEER_PORT, 200));
    ours.load(TURN / 2)?;
    peer.load(TURN / 2)?;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        interrupt.check()?;
        pairs.push(if pair % 2 == 0 {
            let first = ours.load(TURN)?;
            (first, peer.load(TURN)?)
        } else {
            let first = peer.load(TURN)?;
            (ours.load(TURN)?, first)
        });
    }
    Ok(Row {
        name: case.name.to_owned(),
        ours: median(pairs.iter().map(|pair| pair.0)),
        peer: median(pairs.iter().map(|pair| pair.1)),
        unit: "requests/s",
        ratio: median(pairs.iter().map(|pair| pair.0 / pair.1)),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn ours(modules: PathBuf, settings: &Table, secret: &str) -> Result<Worker, Failure> {
    let mut bindings = workerd::vars(settings)?;
    bindings.push((secret::NAME.to_owned(), workerd::text(secret)));
    Ok(Worker {
        name: "ours",
        port: OURS_PORT,
        modules,
        bindings,
    })
}

fn peer(folder: &Path) -> Result<Worker, Failure> {
    fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    let module = folder.join("index.js");
    fs::write(&module, PEER).map_err(Failure::file("write", &module))?;
    Ok(Worker {
        name: "peer",
        port: PEER_PORT,
        modules: folder.to_path_buf(),
        bindings: Vec::new(),
    })
}

/// The consumer in a folder of its own, emptied first.
fn start_relay(
    workspace: &Workspace,
    secret: &str,
    interrupt: &Interrupt,
) -> Result<Process, Failure> {
    let folder = workspace.bench().join("edge/relay");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file("remove", &folder))?;
    }
    fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    consumer::start(workspace, &folder, secret, Echo::Silent, interrupt)
}
