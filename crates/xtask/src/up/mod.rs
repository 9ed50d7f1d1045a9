//! `cargo xtask up`: the whole flow on one machine, with one command.
//!
//! Installs what is missing, builds, and runs the consumer (embedded, port 8788)
//! and the Worker under `wrangler dev` (port 8787) until Ctrl-C. Everything listens
//! on loopback only. It keeps no state of its own: events and map are in
//! `hexlane-data`, the relay's secret in `.dev.vars`.

mod advice;

use std::time::Duration;

use crate::{
    consumer, edge,
    failure::Failure,
    http::answers,
    interrupt::Interrupt,
    ports,
    process::{Echo, Process},
    secret,
    workspace::Workspace,
};

/// Where the Worker answers.
const WORKER_PORT: u16 = 8787;

/// wrangler runs the build command again and starts workerd.
const WORKER_LIMIT: Duration = Duration::from_mins(5);

/// Between two looks at the running programs.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs both until interrupted; fails when one of them stops by itself.
pub(crate) fn up(workspace: &Workspace) -> Result<(), Failure> {
    ports::ensure_free(WORKER_PORT, "the Worker (wrangler dev)")?;
    ports::ensure_free(consumer::PORT, "the consumer (hexlane run)")?;
    consumer::build(workspace)?;
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
    let root = workspace.root();
    let mut consumer = consumer::start(workspace, root, secret, Echo::Prefixed, interrupt)?;
    let mut worker = start_worker(workspace)?;
    worker.until("an answer of the Worker", WORKER_LIMIT, interrupt, || {
        answers(WORKER_PORT, "/", |_| true)
    })?;
    advice::print(root, WORKER_PORT);
    loop {
        interrupt.check()?;
        consumer.ensure_alive(PAUSE)?;
        worker.ensure_alive(PAUSE)?;
    }
}

fn start_worker(workspace: &Workspace) -> Result<Process, Failure> {
    let mut command = edge::wrangler(workspace)?;
    command
        .args(["dev", "--env=", "--ip", "127.0.0.1", "--port"])
        .arg(WORKER_PORT.to_string())
        .arg("--show-interactive-dev-session=false");
    Process::start("worker", &mut command, Echo::Prefixed)
}
