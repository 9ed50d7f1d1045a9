//! `cargo xtask up`: the whole flow on one machine, with one command.
//!
//! Installs what is missing, builds, and runs the consumer (embedded, port 8788)
//! and the Worker under `wrangler dev` (port 8787) until Ctrl-C. Everything listens
//! on loopback only. It keeps no state of its own: events and map are in
//! `hexlane-data`, the relay's secret in `.dev.vars`.

mod advice;
mod ports;
mod secret;

use std::time::Duration;

use crate::{
    command::{cargo, program, run},
    edge,
    failure::Failure,
    http::{Connection, get},
    interrupt::Interrupt,
    process::{Echo, Process},
    workspace::Workspace,
};

/// Where the Worker answers.
const WORKER_PORT: u16 = 8787;

/// Where the consumer answers: intake and relay.
const CONSUMER_PORT: u16 = 8788;

/// Opening the queue and the map takes a second; a slow disk some more.
const CONSUMER_LIMIT: Duration = Duration::from_mins(1);

/// wrangler runs the build command again and starts workerd.
const WORKER_LIMIT: Duration = Duration::from_mins(5);

/// Between two looks at the running programs.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs both until interrupted; fails when one of them stops by itself.
pub(crate) fn up(workspace: &Workspace) -> Result<(), Failure> {
    ports::ensure_free(WORKER_PORT, "the Worker (wrangler dev)")?;
    ports::ensure_free(CONSUMER_PORT, "the consumer (hexlane run)")?;
    run(cargo(workspace)
        .args(["build", "--release", "--bins"])
        .args(["--package", "hexlane-native-consumer"]))?;
    edge::build(workspace)?;
    let secret = secret::ensure(workspace.root())?;
    let interrupt = Interrupt::watch()?;
    match serve(workspace, &secret, &interrupt) {
        Err(Failure::Interrupted) => {
            println!("both stopped");
            Ok(())
        }
        other => other,
    }
}

fn serve(workspace: &Workspace, secret: &str, interrupt: &Interrupt) -> Result<(), Failure> {
    let mut consumer = start_consumer(workspace, secret)?;
    consumer.until(
        "an answer of the consumer",
        CONSUMER_LIMIT,
        interrupt,
        || answers(CONSUMER_PORT, "/readyz", |status| status == 200),
    )?;
    let mut worker = start_worker(workspace)?;
    worker.until("an answer of the Worker", WORKER_LIMIT, interrupt, || {
        answers(WORKER_PORT, "/", |_| true)
    })?;
    advice::print(workspace.root(), WORKER_PORT);
    loop {
        interrupt.check()?;
        consumer.ensure_alive(PAUSE)?;
        worker.ensure_alive(PAUSE)?;
    }
}

fn start_consumer(workspace: &Workspace, secret: &str) -> Result<Process, Failure> {
    let hexlane = workspace.target().join("release/hexlane");
    let mut command = program(workspace, hexlane);
    command.arg("run").env(secret::NAME, secret);
    Process::start("consumer", &mut command, Echo::Prefixed)
}

fn start_worker(workspace: &Workspace) -> Result<Process, Failure> {
    let mut command = edge::wrangler(workspace)?;
    command
        .args(["dev", "--ip", "127.0.0.1", "--port"])
        .arg(WORKER_PORT.to_string())
        .arg("--show-interactive-dev-session=false");
    Process::start("worker", &mut command, Echo::Prefixed)
}

fn answers(port: u16, path: &str, good: impl Fn(u16) -> bool) -> bool {
    Connection::open(port)
        .and_then(|mut connection| connection.ask(&get(port, path)))
        .is_ok_and(good)
}
