//! `redis-server`, every write on disk before it answers.

use std::{fs, path::Path, time::Duration};

use crate::{
    command::{program, works},
    failure::Failure,
    interrupt::Interrupt,
    ports,
    process::{Echo, Process},
    tools,
    workspace::Workspace,
};

const PACKAGE: tools::Package = tools::Package {
    tool: "Redis (redis-server)",
    probe: &["redis-server", "--version"],
    packages: &["redis-server"],
};

/// Not 6379: that one may be a developer's own.
const PORT: u16 = 16_379;

/// A log of some gigabytes is read at the start.
const READY_LIMIT: Duration = Duration::from_mins(1);

/// A running Redis.
#[derive(Debug)]
pub(crate) struct Redis {
    process: Process,
}

impl Redis {
    /// Installs it when it is missing.
    pub(crate) fn ensure(workspace: &Workspace) -> Result<(), Failure> {
        tools::ensure_apt(workspace, PACKAGE)
    }

    /// Starts it on a folder and waits until it answers.
    pub(crate) fn start(
        workspace: &Workspace,
        folder: &Path,
        echo: Echo,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        ports::ensure_free(PORT, "Redis")?;
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        let port = PORT.to_string();
        let mut command = program(workspace, "redis-server");
        command
            .args(["--port", &port, "--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always"])
            .args(["--maxmemory", "1gb", "--maxmemory-policy", "noeviction"])
            .arg("--dir")
            .arg(folder);
        let mut process = Process::start("redis", &mut command, echo)?;
        process.until("an answer of Redis", READY_LIMIT, interrupt, || {
            works(program(workspace, "redis-cli").args(["-p", &port, "ping"]))
        })?;
        Ok(Self { process })
    }

    /// `host:port`.
    pub(crate) fn address() -> String {
        format!("127.0.0.1:{PORT}")
    }

    /// Fails when it has ended.
    pub(crate) fn ensure_alive(&mut self, pause: Duration) -> Result<(), Failure> {
        self.process.ensure_alive(pause)
    }
}
