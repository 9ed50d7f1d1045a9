//! `hexlane run` on a free port, in a folder of its own, and the other commands of the
//! same binary.

use crate::http::{self, Connection, Request, Response};
use crate::process::Process;
use crate::{settings, tools, wait};
use hexlane_servers::free_port;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::time::Duration;
use tempfile::TempDir;
use toml::Table;

/// Opening queue and map takes a second; a busy machine some more.
const START_LIMIT: Duration = Duration::from_mins(1);
/// The consumer gives itself 30 s to end what it has begun.
const STOP_LIMIT: Duration = Duration::from_secs(45);

/// A consumer with its data, running or not.
#[derive(Debug)]
pub struct Consumer {
    /// Where it listens: intake, relay, health, metrics. The same after a restart.
    pub port: u16,
    process: Option<Process>,
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Consumer {
    /// One with the settings of the tests and an empty folder, ready.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(&settings::door())
    }

    /// One as a new user starts it: without a settings file.
    #[must_use]
    pub fn start_as_it_stands() -> Self {
        Self::start_with(&Table::new())
    }

    /// One with those settings, none for an empty table, and an empty folder, ready.
    ///
    /// # Panics
    /// When it does not get ready.
    #[must_use]
    pub fn start_with(settings: &Table) -> Self {
        Self::start_with_variables(settings, &[])
    }

    /// The same, with variables of the environment besides those of every test.
    ///
    /// # Panics
    /// When it does not get ready.
    #[must_use]
    pub fn start_with_variables(settings: &Table, variables: &[(&str, &str)]) -> Self {
        let mut consumer = Self::prepared(settings, variables);
        consumer.restart();
        consumer
    }

    /// The same, not started yet.
    #[must_use]
    pub fn prepared(settings: &Table, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if !settings.is_empty() {
            let file = folder.path().join("hexlane.toml");
            fs::write(file, settings.to_string()).expect("a file");
        }
        Self {
            port: free_port(),
            process: None,
            folder,
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    /// Starts it again over the same data; returns when it is ready.
    ///
    /// # Panics
    /// When it runs already, or does not get ready.
    pub fn restart(&mut self) {
        self.begin_restart();
        self.await_ready();
    }

    /// Starts it again over the same data; returns at once.
    ///
    /// # Panics
    /// When it runs already.
    pub fn begin_restart(&mut self) {
        assert!(self.process.is_none(), "it runs");
        let listen = format!("127.0.0.1:{}", self.port);
        let process = self.begin(&["run", "--data", "data", "--listen", &listen]);
        self.process = Some(process);
    }

    /// Runs a command of the program in its folder to its end; what it writes is in the log.
    ///
    /// # Panics
    /// When it does not end.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Option<i32> {
        let mut process = self.begin(arguments);
        process.ended(START_LIMIT).code()
    }

    fn begin(&self, arguments: &[&str]) -> Process {
        let mut command = hexlane();
        command
            .current_dir(self.folder.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .args(arguments);
        Process::start("hexlane", &mut command, &self.folder.path().join("log"))
    }

    /// Waits until it says that it is ready.
    ///
    /// # Panics
    /// When it does not run or does not get ready.
    pub fn await_ready(&mut self) {
        let port = self.port;
        let process = self.process.as_mut().expect("it runs");
        process.until("readiness", START_LIMIT, || {
            let answer = http::send(port, &Request::get("/readyz")).ok()?;
            (answer.status == 200).then_some(())
        });
    }

    /// kill -9.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Stops it with grace; its files can then be read alone.
    ///
    /// # Panics
    /// When it does not run, does not stop, or ends otherwise than with success.
    pub fn stop(&mut self) {
        let mut process = self.process.take().expect("it runs");
        let status = process.stop(STOP_LIMIT);
        assert!(
            status.success(),
            "a graceful stop ended with {status}\n{}",
            process.log()
        );
    }

    /// Its process, for a look at what it uses.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.as_ref().expect("it runs").id()
    }

    /// Waits until it has ended by itself, and says how.
    ///
    /// # Panics
    /// When it does not run or does not end.
    pub fn ended(&mut self) -> ExitStatus {
        let mut process = self.process.take().expect("it runs");
        process.ended(START_LIMIT)
    }

    /// Asks for what `hexlane status` says of it, whatever becomes of that.
    ///
    /// # Panics
    /// When the command does not start.
    #[must_use]
    pub fn try_status(&self) -> Output {
        let mut command = hexlane();
        command.args(["status", "--url", &self.url()]);
        command.output().expect("hexlane starts")
    }

    /// Everything it has logged.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// One request to it.
    ///
    /// # Panics
    /// When no answer comes.
    #[must_use]
    pub fn send(&self, request: &Request) -> Response {
        http::send(self.port, request).expect("an answer of the consumer")
    }

    /// A connection that is kept.
    ///
    /// # Panics
    /// When it does not listen.
    #[must_use]
    pub fn connect(&self) -> Connection {
        Connection::open(self.port).expect("the consumer listens")
    }

    /// What `hexlane status --output json` says of it.
    ///
    /// # Panics
    /// When it fails or prints no JSON.
    #[must_use]
    pub fn status(&self) -> Json {
        let mut command = hexlane();
        command.args(["status", "--output", "json", "--url", &self.url()]);
        let text = crate::process::output(&mut command);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("status: {error}\n{text}"))
    }

    /// Waits until nothing waits any more; then says what became of events.
    ///
    /// # Panics
    /// When something still waits at the limit.
    #[must_use]
    pub fn drained(&self, limit: Duration) -> Json {
        wait::until("an empty queue", limit, || {
            let answer = http::send(self.port, &Request::get("/v1/status")).ok()?;
            let status = answer.json();
            (answer.status == 200 && status["waiting"] == 0).then_some(status)
        })
    }

    /// The sum of a metric over the label sets that hold `label`; zero when it is not told.
    #[must_use]
    pub fn metric(&self, name: &str, label: &str) -> u64 {
        let text = self.send(&Request::get("/metrics")).text();
        let lines = text
            .lines()
            .filter(|line| line.starts_with(name) && line.contains(label));
        lines
            .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
            .sum()
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The file that QGIS opens.
    ///
    /// # Panics
    /// When there is not exactly one.
    #[must_use]
    pub fn geopackage(&self) -> PathBuf {
        let data = self.folder.path().join("data");
        let files = fs::read_dir(data)
            .expect("the data folder")
            .flatten()
            .map(|entry| entry.path());
        let found: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|kind| kind == "gpkg"))
            .collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }

    /// A folder that lives as long as the consumer, for files of the test.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// What `hexlane send --output json` says of a file, whatever became of it.
///
/// # Panics
/// When the command does not end with 0 or 1, or prints no JSON.
#[must_use]
pub fn send_file(file: &Path, to: &str) -> Json {
    let mut command = hexlane();
    command
        .arg("send")
        .arg(file)
        .args(["--to", to, "--output", "json"]);
    let output = command.output().expect("hexlane starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{}\n{errors}",
        output.status
    );
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("send: {error}\n{errors}"))
}

/// The lines of `hexlane check --output json`, one a feature, and its exit code.
///
/// # Panics
/// When it prints a line that is no JSON.
#[must_use]
pub fn check_file(file: &Path) -> (Option<i32>, Vec<Json>) {
    let (exit, text) = check_file_as(file, "json");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"));
    (exit, lines.collect())
}

/// What `hexlane check --output FORMAT` says of a file, and its exit code.
///
/// # Panics
/// When it does not start, or prints what is no UTF-8.
#[must_use]
pub fn check_file_as(file: &Path, format: &str) -> (Option<i32>, String) {
    let mut command = hexlane();
    let output = command
        .args(["check", "--output", format])
        .arg(file)
        .output();
    let output = output.expect("hexlane starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code(), text)
}

/// The binary, with the secrets of the tests and nothing else of ours in its environment.
#[must_use]
#[allow(
    clippy::disallowed_methods,
    reason = "what xtask tells the tests is not for the consumer"
)]
pub fn hexlane() -> Command {
    let mut command = Command::new(tools::hexlane());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("HEXLANE_") {
            command.env_remove(name);
        }
    }
    command.envs(settings::SECRETS);
    command
}
