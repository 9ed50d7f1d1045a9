//! A program that keeps running, ended by its process id. Its output goes to a file,
//! whose end is printed when the test fails.

use crate::wait;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs::{self, OpenOptions};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

const LOG_LINES_SHOWN: usize = 60;

/// A running program.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
    log: PathBuf,
    /// Whether its children are ended with it.
    group: bool,
}

impl Process {
    /// Starts it; what it writes is appended to `log`.
    #[must_use]
    pub fn start(name: &'static str, command: &mut Command, log: &Path) -> Self {
        let output = OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .expect("a log file");
        let errors = output.try_clone().expect("a log file");
        let command = command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let child = command
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self {
            name,
            child,
            log: log.to_path_buf(),
            group: false,
        }
    }

    /// The same for one that has children of its own: they are killed with it.
    #[must_use]
    pub fn start_group(name: &'static str, command: &mut Command, log: &Path) -> Self {
        let mut process = Self::start(name, command.process_group(0), log);
        process.group = true;
        process
    }

    /// Probes until there is a value; fails when the program ends first.
    pub fn until<T>(
        &mut self,
        what: &str,
        limit: Duration,
        mut probe: impl FnMut() -> Option<T>,
    ) -> T {
        let waited = format!("{what} of {}", self.name);
        wait::until(&waited, limit, || {
            let ended = self.child.try_wait().expect("a child can be waited for");
            assert!(ended.is_none(), "{} ended: {ended:?}", self.name);
            probe()
        })
    }

    /// kill -9.
    pub fn kill(&mut self) {
        if self.group {
            kill_process_group(Pid::from_child(&self.child), Signal::KILL).ok();
        }
        self.child.kill().ok();
        self.child.wait().ok();
    }

    /// Asks it to stop (SIGTERM) and waits until it has.
    pub fn stop(&mut self, limit: Duration) -> ExitStatus {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("the program runs");
        self.ended(limit)
    }

    /// Waits until it has ended by itself.
    pub fn ended(&mut self, limit: Duration) -> ExitStatus {
        let what = format!("the end of {}", self.name);
        wait::until(&what, limit, || {
            self.child.try_wait().expect("a child can be waited for")
        })
    }

    /// The process, for a look at what it uses.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// All it has written so far.
    #[must_use]
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let shown = lines.len().saturating_sub(LOG_LINES_SHOWN);
            eprintln!(
                "--- the last lines of {}:\n{}\n---",
                self.name,
                lines[shown..].join("\n")
            );
        }
    }
}

/// The programs of that name in a process group.
#[must_use]
pub fn programs(name: &str, group: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (_, after) = stat.split_once('(')?;
        let (found, after) = after.rsplit_once(')')?;
        // State, parent, group.
        let of_group = after.split_whitespace().nth(2)?.parse() == Ok(group);
        let id = entry.file_name().to_str()?.parse().ok()?;
        (found == name && of_group).then_some(id)
    });
    ids.collect()
}

/// The most memory that a process ever had; zero when it has ended.
#[must_use]
pub fn peak_bytes(process: u32) -> u64 {
    let peak = || -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let found = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        found.trim().trim_end_matches("kB").trim().parse().ok()
    };
    peak().unwrap_or_default() * 1024
}

/// Runs a program to its end and gives what it printed.
///
/// # Panics
/// When it does not start, or ends otherwise than with success.
#[must_use]
pub fn output(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?} ended with {}\n{text}\n{errors}",
        output.status
    );
    text
}
