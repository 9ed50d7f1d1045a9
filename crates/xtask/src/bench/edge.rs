//! `cargo xtask bench edge`: our Worker beside hello-world ones, in requests a second.
//!
//! All run under `workerd serve` in the same run and take turns, so that a busy
//! machine slows each. Ours is asked for what it does all day: refuse (422) and accept
//! (202) by each route. By relay there is a real `hexlane run` behind it; by redis a real
//! `redis-server`, each write on its disk; by queue a service in the same workerd that
//! discards what it gets, because what wrangler simulates is slower than the Worker. A peer
//! reads the same body and answers a constant. There are two: one written with the
//! `worker` crate, as ours is, and one in plain JavaScript, which no wasm comes near.
//! Figures are for this machine only; the ratio is what travels.

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
    servers::Redis,
    workspace::Workspace,
};

const HELLO: &str = include_str!("../../peers/hello.js");

/// Our Worker on its routes: the port of each.
const RELAY: u16 = 8797;
const QUEUE: u16 = 8796;
const REDIS: u16 = 8795;

/// The peers: how a row names each, and its port.
const RUST: (&str, u16) = ("Rust", 8798);
const JAVASCRIPT: (&str, u16) = ("JavaScript", 8799);

const PATH: &str = "/v1/events/demo";

/// One turn of one side; five rounds and the median keep a hiccup out.
const TURN: Duration = Duration::from_secs(2);
const ROUNDS: usize = 5;

/// One row: its name, the body, what ours must answer.
struct Case {
    name: String,
    body: String,
    port: u16,
    expected: u16,
}

/// Runs all rows, prints the table, writes `edge.json`.
pub(crate) fn edge(workspace: &Workspace) -> Result<(), Failure> {
    for port in [RELAY, QUEUE, REDIS, RUST.1, JAVASCRIPT.1, consumer::PORT] {
        ports::ensure_free(port, "bench edge")?;
    }
    Redis::ensure(workspace)?;
    consumer::build(workspace)?;
    let secret = secret::generate()?;
    let settings = workerd::settings(workspace)?;
    let workers = workers(workspace, &settings, &secret)?;
    let interrupt = Interrupt::watch()?;
    let mut relay = start_relay(workspace, &secret, &interrupt)?;
    let folder = empty(workspace, "redis")?;
    let mut redis = Redis::start(workspace, &folder, Echo::Silent, &interrupt)?;
    let serve = |worker: &Worker| worker.serve(workspace, &settings, &interrupt);
    let mut served = workers.iter().map(serve).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for case in cases() {
        eprintln!("measuring: {}", case.name);
        rows.extend(compare(&case, &interrupt)?);
        redis.ensure_alive(Duration::ZERO)?;
        for process in served.iter_mut().chain([&mut relay]) {
            process.ensure_alive(Duration::ZERO)?;
        }
    }
    report::print(&rows);
    report::write(&workspace.bench(), "edge.json", &report::rows(&rows))
}

/// What is asked of ours: what becomes of the body, by which port, and the status.
const ASKED: [(&str, u16, u16); 4] = [
    ("refused", RELAY, 422),
    ("accepted by relay", RELAY, 202),
    ("accepted by queue (discarding service)", QUEUE, 202),
    ("accepted by redis", REDIS, 202),
];

fn cases() -> Vec<Case> {
    let points = ASKED.map(|asked| case("300-byte point", payload::point, asked));
    let polygons = ASKED.map(|asked| case("10 KB polygon", payload::polygon, asked));
    points.into_iter().chain(polygons).collect()
}

fn case(payload: &str, body: fn(bool) -> String, (what, port, expected): (&str, u16, u16)) -> Case {
    Case {
        name: format!("{payload}, {what}"),
        body: body(expected == 422),
        port,
        expected,
    }
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
        side(case.port, case.expected),
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

/// Ours on each route, then the peers.
fn workers(workspace: &Workspace, settings: &Table, secret: &str) -> Result<[Worker; 5], Failure> {
    let bundle = edge::bundle(workspace)?;
    let ours = |name, port, vars: &[(&str, &str)]| -> Result<Worker, Failure> {
        let mut bindings = workerd::vars(settings)?;
        bindings.retain(|(known, _)| vars.iter().all(|(name, _)| *name != known.as_str()));
        let relay = [(secret::NAME, secret)];
        let own = vars.iter().chain(&relay);
        bindings.extend(own.map(|(name, value)| ((*name).to_owned(), workerd::text(value))));
        Ok(Worker {
            name,
            port,
            modules: bundle.clone(),
            bindings,
            queue: None,
        })
    };
    let redis = format!("redis://{}", Redis::address());
    Ok([
        ours("relay", RELAY, &[("ROUTE", "relay")])?,
        Worker {
            queue: Some("EVENTS"),
            ..ours("queue", QUEUE, &[("ROUTE", "queue")])?
        },
        ours("redis", REDIS, &[("ROUTE", "redis"), ("REDIS_URL", &redis)])?,
        rust(workspace)?,
        javascript(workspace)?,
    ])
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
        queue: None,
    }
}

/// The consumer in a folder of its own, emptied first.
fn start_relay(
    workspace: &Workspace,
    secret: &str,
    interrupt: &Interrupt,
) -> Result<Process, Failure> {
    let folder = empty(workspace, "relay")?;
    consumer::start(workspace, &folder, secret, &[], Echo::Silent, interrupt)
}

/// A folder of the benchmark without what an earlier run left there.
fn empty(workspace: &Workspace, name: &str) -> Result<PathBuf, Failure> {
    let folder = workspace.bench().join("edge").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file("remove", &folder))?;
    }
    fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    Ok(folder)
}
