//! Counts tests from what nextest and cargo print, while it is being printed.
//!
//! It reads the closing lines only (`Summary …: 12 tests run: 11 passed, 1 failed`
//! and `test result: ok. 3 passed; 0 failed; …`) and never decides success: the
//! exit status does.

use std::{
    fmt,
    io::{BufRead as _, BufReader, Read},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
};

use crate::{command::line, failure::Failure};

/// What ran so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    passed: u64,
    failed: u64,
    closing: Vec<String>,
}

impl Tally {
    /// Runs a test command: its output goes on to the terminal and is counted.
    pub(super) fn run(&mut self, command: &mut Command) -> Result<(), Failure> {
        eprintln!("$ {}", line(command));
        let text = line(command);
        let start = |source| Failure::Start {
            line: text.clone(),
            source,
        };
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        let tally = Mutex::new(self);
        thread::scope(|scope| {
            let (tally, stdout, stderr) = (&tally, child.stdout.take(), child.stderr.take());
            scope.spawn(move || follow(stdout, tally));
            scope.spawn(move || follow(stderr, tally));
        });
        let status = child.wait().map_err(start)?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::Ended { line: text, status })
        }
    }

    /// Counts a command that prints no closing line as one test.
    pub(super) fn count(&mut self, ran: &Result<(), Failure>) {
        match ran {
            Ok(()) => self.passed += 1,
            Err(_) => self.failed += 1,
        }
    }

    fn read(&mut self, line: &str) {
        let line = line.trim();
        if !(line.starts_with("Summary [") || line.starts_with("test result:")) {
            return;
        }
        self.passed += number_before(line, "passed");
        self.failed += number_before(line, "failed") + number_before(line, "timed out");
        if line.starts_with("Summary [") {
            self.closing.push(line.to_owned());
        }
    }
}

fn follow(output: Option<impl Read>, tally: &Mutex<&mut Tally>) {
    let Some(output) = output else { return };
    let mut lines = BufReader::new(output);
    let mut bytes = Vec::new();
    while lines
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|read| read > 0)
    {
        let line = String::from_utf8_lossy(&bytes);
        eprint!("{line}");
        if let Ok(mut tally) = tally.lock() {
            tally.read(&line);
        }
        bytes.clear();
    }
}

/// The number that stands before `word`, or zero.
fn number_before(line: &str, word: &str) -> u64 {
    line.find(&format!(" {word}"))
        .and_then(|end| line[..end].rsplit(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.closing {
            writeln!(f, "{line}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn closing_lines_of_nextest_and_cargo_are_added_up() {
        let mut tally = Tally::default();
        tally.read(
            "     Summary [   1.2s] 12 tests run: 9 passed (1 slow), 2 failed, 1 timed out, 4 skipped\n",
        );
        tally.read("test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n");
        tally.read("a log line: 7 passed\n");
        assert!(
            tally.to_string().ends_with("\n12 passed, 3 failed"),
            "{tally}"
        );
    }
}
