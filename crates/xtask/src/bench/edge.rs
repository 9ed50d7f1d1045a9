//! `cargo xtask bench edge`: our Worker beside hello-world ones, in requests a second.
//!
//! All run under `workerd serve` in the same run and take turns, so that a busy
//! machine slows each. Ours is asked for what it does all day: refuse (422) and
//! accept by relay (202, with a real `hexlane run` behind it). A peer reads the same
//! body and answers a constant. There are two: one written with the `worker` crate, as
//! ours is, and one in plain JavaScript, which no wasm comes near. Figures are for this
//! machine only; the ratio is what travels.

use std::{fs, path::PathBuf, time::Duration};

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

const HELLO: &str = include_str!("../../peers/hello.js");

const OURS_PORT: u16 = 8797;

/// The peers: how a row names each, and its port.
const RUST: (&str, u16) = ("Rust", 8798);
const JAVASCRIPT: (&str, u16) = ("JavaScript", 8799);

const PATH: &str = "/v1/events/demo";

/// One turn of one side; five rounds and the median keep a hiccup out.
const TURN: Duration = Duration::from_secs(2);
const ROUNDS: usize = 5;

/// One row: its name, the body, what ours must answer.
struct Case {
    name: &'static str,
    body: String,
    expected: u16,
}

/// Runs all rows, prints the table, writes `edge.json`.
pub(crate) fn edge(workspace: &Workspace) -> Result<(), Failure> {
    for port in [OURS_PORT, RUST.1, JAVASCRIPT.1, consumer::PORT] {
        ports::ensure_free(port, "bench edge")?;
    }
    consumer::build(workspace)?;
    let bundle = edge::bundle(workspace)?;
    let settings = workerd::settings(workspace)?;
    let secret = secret::generate()?;
    let ours = ours(bundle, &settings, &secret)?;
    let peers = [rust(workspace)?, javascript(workspace)?];
    let interrupt = Interrupt::watch()?;
    let mut relay = start_relay(workspace, &secret, &interrupt)?;
    let mut ours = ours.serve(workspace, &settings, &interrupt)?;
    let [rust, javascript] = peers;
    let mut rust = rust.serve(workspace, &settings, &interrupt)?;
    let mut javascript = javascript.serve(workspace, &settings, &interrupt)?;
    let mut rows = Vec::new();
    for case in cases() {
        eprintln!("measuring: {}", case.name);
        rows.extend(compare(&case, &interrupt)?);
        for process in [&mut relay, &mut ours, &mut rust, &mut javascript] {
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

/// Warms every side, then lets them take turns, changing who goes first.
fn compare(case: &Case, interrupt: &Interrupt) -> Result<Vec<Row>, Failure> {
    let side = |port, expected| Target {
        port,
        path: PATH,
        body: &case.body,
        expected,
    };
    let sides = [
        side(OURS_PORT, case.expected),
        side(RUST.1, 200),
        side(JAVASCRIPT.1, 200),
    ];
    for side in &sides {
        side.load(TURN / 2)?;
    }
    let mut rounds = Vec::new();
    for first in 0..ROUNDS {
        let mut round = [0.0; 3];
        for turn in 0..sides.len() {
            interrupt.check()?;
            let next = (first + turn) % sides.len();
            round[next] = sides[next].load(TURN)?;
        }
        rounds.push(round);
    }
    let row = |(name, _): (&str, u16), peer: usize| Row {
        name: format!("{}, beside {name}", case.name),
        ours: median(rounds.iter().map(|round| round[0])),
        peer: median(rounds.iter().map(|round| round[peer])),
        unit: "requests/s",
        ratio: median(rounds.iter().map(|round| round[0] / round[peer])),
    };
    Ok(vec![row(RUST, 1), row(JAVASCRIPT, 2)])
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

fn rust(workspace: &Workspace) -> Result<Worker, Failure> {
    let modules = workspace.bench().join("edge/rust");
    edge::hello(workspace, &modules)?;
    Ok(hello(RUST, modules))
}

fn javascript(workspace: &Workspace) -> Result<Worker, Failure> {
    let modules = workspace.bench().join("edge/javascript");
    fs::create_dir_all(&modules).map_err(Failure::file("create", &modules))?;
    let entry = modules.join("index.js");
    fs::write(&entry, HELLO).map_err(Failure::file("write", &entry))?;
    Ok(hello(JAVASCRIPT, modules))
}

fn hello((name, port): (&'static str, u16), modules: PathBuf) -> Worker {
    Worker {
        name,
        port,
        modules,
        bindings: Vec::new(),
    }
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
    consumer::start(workspace, &folder, secret, &[], Echo::Silent, interrupt)
}
