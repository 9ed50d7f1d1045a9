//! What a person sees, on a terminal of the system's.

#![cfg(unix)]

use super::support::{BOWTIE, hexlane, write};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::process::Command;
use tempfile::tempdir;

/// Runs a command on a terminal of its own and gives what that shows.
fn on_terminal(command: &mut Command) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap())
            .unwrap()
    };
    let mut child = command.stdout(open()).stderr(open()).spawn().unwrap();
    // The command keeps ends of the terminal in it; with them the reading below never ends.
    command
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    let mut shown = Vec::new();
    let mut master = File::from(master);
    let mut some = [0; 4_096];
    // A terminal that nobody writes to any more is an error on Linux, and the end elsewhere.
    while let Ok(count) = master.read(&mut some)
        && count > 0
    {
        shown.extend_from_slice(&some[..count]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(1));
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

#[test]
fn a_fault_is_drawn_on_a_terminal_with_its_mark_in_red() {
    let folder = tempdir().unwrap();
    write(folder.path(), "bow.json", BOWTIE);
    let shown = on_terminal(hexlane(folder.path()).args(["check", "bow.json"]));
    assert!(shown.contains("⢈\u{1b}[1;31m✗\u{1b}[0m⡁"), "{shown}");
    assert!(
        shown.ends_with("bow.json: 1 feature, 0 valid, 1 not\n"),
        "{shown}"
    );
    let shown = on_terminal(
        hexlane(folder.path())
            .args(["check", "bow.json"])
            .env("NO_COLOR", "1"),
    );
    assert!(
        shown.contains("⢈✗⡁") && !shown.contains('\u{1b}'),
        "{shown}"
    );
}

#[test]
fn a_program_is_given_no_drawings_on_a_terminal_either() {
    let folder = tempdir().unwrap();
    write(folder.path(), "bow.json", BOWTIE);
    for format in ["json", "geojson", "sarif", "svg"] {
        let shown =
            on_terminal(hexlane(folder.path()).args(["check", "bow.json", "--output", format]));
        assert!(!shown.contains('✗') && !shown.contains('\u{1b}'), "{shown}");
    }
}

#[test]
fn a_bar_shows_the_way_through_much_and_is_gone_at_the_end() {
    let folder = tempdir().unwrap();
    for number in 0..8 {
        write(
            folder.path(),
            &format!("{number}.ndjson"),
            &format!("{BOWTIE}\n").repeat(10_000),
        );
    }
    let shown = on_terminal(
        hexlane(folder.path())
            .args(["check", ".", "--output", "json"])
            .env("TERM", "xterm"),
    );
    assert!(
        shown.contains(" of 8 files"),
        "no bar among {} bytes",
        shown.len()
    );
    let last = shown
        .lines()
        .rfind(|line| line.contains("\"feature\""))
        .unwrap();
    assert!(last.contains("\"feature\":9999"), "{last}");
}
