//! What a command writes for people and programs: results to stdout, everything else to
//! stderr.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Forms of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For a person.
    #[default]
    Text,
    /// For a program.
    Json,
}

/// Locked, buffered stdout.
#[must_use]
pub fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Whether a person watches stdout.
#[must_use]
pub fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether a person watches stderr.
#[must_use]
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// One line to stderr; there is nowhere to report a failure of it.
pub fn complain(line: &str) {
    drop(writeln!(io::stderr().lock(), "hexlane: {line}"));
}
