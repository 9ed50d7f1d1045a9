//! One side of a comparison that stays up between rows: a program that is asked by lines.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::{command::line, failure::Failure};

/// A program that answers a line with a line. Ends with its standard input.
pub(super) struct Side {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Side {
    pub(super) fn start(command: &mut Command) -> Result<Self, Failure> {
        let name = line(command);
        let name = name.lines().next().unwrap_or_default().to_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| Failure::Start {
                line: name.clone(),
                source,
            })?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self {
                name,
                child,
                input,
                output: BufReader::new(output),
            }),
            _ => Err(Failure::Refused(format!("{name} has no input or output"))),
        }
    }

    pub(super) fn ask(&mut self, question: &str) -> Result<String, Failure> {
        let mut answer = String::new();
        let outcome = writeln!(self.input, "{question}")
            .and_then(|()| self.input.flush())
            .and_then(|()| self.output.read_line(&mut answer));
        match outcome {
            Ok(read) if read > 0 => Ok(answer.trim_end().to_owned()),
            _ => Err(Failure::Refused(format!(
                "{} gave no answer to `{question}`",
                self.name
            ))),
        }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self, question: &str) -> Result<T, Failure> {
        let answer = self.ask(question)?;
        answer
            .parse()
            .map_err(|_| Failure::Refused(format!("{} answered `{answer}`", self.name)))
    }

    /// The least time in nanoseconds, and what came of it.
    pub(super) fn time(&mut self, question: &str) -> Result<(f64, String), Failure> {
        let answer = self.ask(question)?;
        answer
            .split_once(' ')
            .and_then(|(took, verdict)| Some((took.parse().ok()?, verdict.to_owned())))
            .ok_or_else(|| Failure::Refused(format!("{} answered `{answer}`", self.name)))
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // Already ended is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
