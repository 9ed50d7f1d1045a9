//! A program that keeps running: started in its own process group, stopped for sure.
//!
//! Dropping a [`Process`] stops it, so it also ends when xtask fails. Stopping asks
//! first (SIGTERM), then kills the whole group, grandchildren included. Only a
//! SIGKILL of xtask itself leaves it running.

use std::{
    collections::VecDeque,
    io::{self, BufRead as _, BufReader, Read, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::{command::line, failure::Failure, interrupt::Interrupt};

/// How long a program may take to stop by itself.
const STOP_LIMIT: Duration = Duration::from_secs(15);

/// How many of its last lines are kept for the report of its death.
const TAIL_LINES_MAX: usize = 30;

/// Between two looks at something that is awaited.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether a program's lines are shown as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    Prefixed,
    Silent,
}

/// A running program with everything it started.
#[derive(Debug)]
pub(crate) struct Process {
    name: &'static str,
    group: Pid,
    tail: Arc<Mutex<VecDeque<String>>>,
    ended: Receiver<ExitStatus>,
    closed: Receiver<()>,
    status: Option<ExitStatus>,
}

impl Process {
    pub(crate) fn start(
        name: &'static str,
        command: &mut Command,
        echo: Echo,
    ) -> Result<Self, Failure> {
        let spawned = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.map_err(|source| Failure::Start {
            line: line(command),
            source,
        })?;
        let tail = Arc::default();
        let (open, closed) = mpsc::channel();
        follow(child.stdout.take(), name, echo, &tail, &open);
        follow(child.stderr.take(), name, echo, &tail, &open);
        Ok(Self {
            name,
            group: Pid::from_child(&child),
            tail,
            ended: await_end(child),
            closed,
            status: None,
        })
    }

    /// The status, once the program has ended; waits for it as long as `pause`.
    pub(crate) fn ended_within(&mut self, pause: Duration) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.ended.recv_timeout(pause).ok();
        }
        self.status
    }

    /// Fails with the last lines if the program has ended.
    pub(crate) fn ensure_alive(&mut self, pause: Duration) -> Result<(), Failure> {
        let Some(status) = self.ended_within(pause) else {
            return Ok(());
        };
        self.signal(Signal::KILL);
        Err(Failure::ChildDied {
            name: self.name,
            status,
            tail: self.tail(),
        })
    }

    /// Waits until `probe` says yes; fails when the program dies, the limit
    /// passes or a person interrupts.
    pub(crate) fn until(
        &mut self,
        what: &str,
        limit: Duration,
        interrupt: &Interrupt,
        mut probe: impl FnMut() -> bool,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        while !probe() {
            self.ensure_alive(PAUSE)?;
            interrupt.check()?;
            if began.elapsed() > limit {
                return Err(Failure::TooSlow {
                    what: what.to_owned(),
                    limit_s: limit.as_secs(),
                    detail: format!(". Last lines of {}:\n{}", self.name, self.tail()),
                });
            }
        }
        Ok(())
    }

    /// Asks the program to stop, waits, and kills what is left of its group.
    pub(crate) fn stop(&mut self) {
        if self.ended_within(Duration::ZERO).is_none() {
            self.signal(Signal::TERM);
            if self.ended_within(STOP_LIMIT).is_none() {
                eprintln!("xtask: {} did not stop in time and is killed", self.name);
            }
        }
        self.signal(Signal::KILL);
        self.ended_within(STOP_LIMIT);
    }

    fn signal(&self, signal: Signal) {
        // The group may be gone already, which is what is wanted.
        let _ = kill_process_group(self.group, signal);
    }

    /// The last lines, after giving the pipes a moment to run dry.
    fn tail(&self) -> String {
        if self.status.is_some() {
            let _ = self.closed.recv_timeout(Duration::from_secs(1));
        }
        let lines = match self.tail.lock() {
            Ok(lines) => lines,
            Err(poisoned) => poisoned.into_inner(),
        };
        let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
        lines.join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reaps the child in a thread of its own and reports its status once.
fn await_end(mut child: Child) -> Receiver<ExitStatus> {
    let (report, ended) = mpsc::channel();
    thread::spawn(move || {
        if let Ok(status) = child.wait() {
            let _ = report.send(status);
        }
    });
    ended
}

/// Copies lines to the tail and, with `echo`, to standard output; the channel
/// closes when both outputs have.
fn follow(
    output: Option<impl Read + Send + 'static>,
    name: &'static str,
    echo: Echo,
    tail: &Arc<Mutex<VecDeque<String>>>,
    open: &Sender<()>,
) {
    let (tail, open) = (Arc::clone(tail), open.clone());
    let Some(output) = output else { return };
    thread::spawn(move || {
        let _open = open;
        for bytes in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            if echo == Echo::Prefixed {
                // A closed terminal must not end the program that is followed.
                let _ = writeln!(io::stdout(), "{name:>8} | {line}");
            }
            if let Ok(mut tail) = tail.lock() {
                tail.push_back(line);
                if tail.len() > TAIL_LINES_MAX {
                    tail.pop_front();
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::{process::Command, time::Duration};

    use super::{Echo, Process};

    fn shell(script: &str) -> Process {
        Process::start(
            "shell",
            Command::new("sh").args(["-c", script]),
            Echo::Silent,
        )
        .unwrap()
    }

    #[test]
    fn a_program_that_dies_is_reported_with_its_last_lines() {
        let mut process = shell("echo before; echo why >&2; exit 3");
        let text = process
            .ensure_alive(Duration::from_secs(10))
            .unwrap_err()
            .to_string();
        assert!(text.contains("why") && text.contains('3'), "{text}");
    }

    #[test]
    fn a_grandchild_ends_with_its_group() {
        let folder = std::env::temp_dir().join(format!("hexlane-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("alive");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        // The grandchild holds the pipe open for as long as it lives.
        let process = shell(&format!("sleep 60 > {} & wait", pipe.display()));
        let reader = std::fs::File::open(&pipe).unwrap();
        drop(process);
        let rest = std::io::read_to_string(reader).unwrap();
        assert_eq!(rest, "");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
