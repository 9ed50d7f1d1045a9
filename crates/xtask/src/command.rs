//! Runs other programs: announced, from the root, with our tools first on PATH.
//!
//! A program inherits the terminal unless its output is read. Standard input is
//! always closed: no command of CI may wait for a person.

use std::{
    env,
    ffi::OsStr,
    process::{Command, Stdio},
};

use crate::{failure::Failure, workspace::Workspace};

/// `program` as it is to be started: root folder, our `PATH`, no input.
pub(crate) fn program(workspace: &Workspace, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(workspace.root())
        .env("PATH", workspace.search_path())
        .env("WRANGLER_SEND_METRICS", "false")
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        .stdin(Stdio::null());
    command
}

/// Cargo, the same one that started xtask.
pub(crate) fn cargo(workspace: &Workspace) -> Command {
    program(
        workspace,
        env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
    )
}

/// Runs to the end; anything but success is a failure.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    eprintln!("$ {}", line(command));
    let status = command.status().map_err(|source| Failure::Start {
        line: line(command),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::Ended {
            line: line(command),
            status,
        })
    }
}

/// Runs to the end and gives what it printed on standard output.
pub(crate) fn read(command: &mut Command) -> Result<String, Failure> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Failure::Start {
            line: line(command),
            source,
        })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Failure::Ended {
            line: line(command),
            status: output.status,
        })
    }
}

/// Whether the program starts and succeeds, silently.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The command as a person would type it (the program by its file name).
pub(crate) fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    std::iter::once(name)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
