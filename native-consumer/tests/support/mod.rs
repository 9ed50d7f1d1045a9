//! What the tests of the binary stand on: the program, a scripted server, signals, probes.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses a part of this module"
)]

pub mod process;
pub mod scripted;

use hexlane_backend::Clock as _;
use hexlane_native_consumer::clock::SystemClock;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A valid point.
pub const POINT: &str = r#"{"type":"Feature","id":"van-7","geometry":{"type":"Point","coordinates":[13.377,52.516]},"properties":{}}"#;
/// A polygon that crosses itself.
pub const BOWTIE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;

/// How long anything may take here before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The program, in a folder, with no environment of ours.
pub fn hexlane(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hexlane"));
    command.current_dir(folder).env_clear();
    command
}

/// Its output with that stdin.
pub fn with_stdin(command: &mut Command, stdin: &str) -> Output {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(stdin.as_bytes()).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

/// Stdout as text.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Stderr as text.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Stdout as JSON, one document a line.
pub fn json_lines(output: &Output) -> Vec<serde_json::Value> {
    let text = out(output);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Asks until it holds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let clock = SystemClock::start();
    while !holds() {
        assert!(clock.monotonic() < PATIENCE, "never: {what}");
        std::thread::yield_now();
    }
}

/// A file in a folder.
pub fn write(folder: &Path, name: &str, text: &str) -> String {
    std::fs::write(folder.join(name), text).unwrap();
    name.to_owned()
}
