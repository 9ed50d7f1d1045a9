//! A Redis server on a free port, in a folder of its own, and what stands in its streams.

use crate::http::free_port;
use crate::process::Process;
pub use redis::Connection;
use redis::Value;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const START_LIMIT: Duration = Duration::from_secs(30);

/// A running server.
#[derive(Debug)]
pub struct Redis {
    /// Where it listens.
    pub port: u16,
    process: Option<Process>,
    options: Vec<String>,
    folder: TempDir,
}

impl Redis {
    /// One that writes every command to its disk, with those options besides.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        Self::start_at(free_port(), options)
    }

    /// One that can join a cluster, whose servers speak to each other 10,000 ports higher.
    ///
    /// # Panics
    /// When it does not come up.
    #[must_use]
    pub fn start_node() -> Self {
        let bus_is_free = |port: &u16| {
            let bus = port.checked_add(10_000).expect("a port below the last");
            TcpListener::bind((Ipv4Addr::LOCALHOST, bus)).is_ok()
        };
        let port = std::iter::repeat_with(free_port).find(bus_is_free);
        let options = [
            "--cluster-enabled",
            "yes",
            "--cluster-config-file",
            "nodes.conf",
        ];
        Self::start_at(port.expect("a free pair of ports"), &options)
    }

    fn start_at(port: u16, options: &[&str]) -> Self {
        let mut redis = Self {
            port,
            process: None,
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            folder: tempfile::tempdir().expect("a folder"),
        };
        redis.restart();
        redis
    }

    /// Starts it again over the same data.
    ///
    /// # Panics
    /// When it does not come up.
    pub fn restart(&mut self) {
        let missing = "redis-server is absent: `cargo xtask test` brings it";
        let mut command = Command::new("redis-server");
        command.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"]);
        command.args([
            "--save",
            "",
            "--appendonly",
            "yes",
            "--appendfsync",
            "always",
        ]);
        command.args(&self.options);
        command.arg("--dir").arg(self.folder.path());
        assert!(
            Command::new("redis-server")
                .arg("--version")
                .output()
                .is_ok(),
            "{missing}"
        );
        let log = self.folder.path().join("log");
        let mut process = Process::start("redis-server", &mut command, &log);
        let port = self.port;
        process.until("an answer", START_LIMIT, || ping(port));
        self.process = Some(process);
    }

    /// kill -9.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Stops the process where it is, or lets it go on.
    ///
    /// # Panics
    /// When it does not run.
    pub fn freeze(&self, frozen: bool) {
        self.process.as_ref().expect("it runs").freeze(frozen);
    }

    /// A connection; `login` is `user:password@` or nothing.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn connect(&self, login: &str) -> Connection {
        connect(self.port, login)
    }

    /// Its folder, for files of the test.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A server without a password says PONG, one with a password that it wants one.
fn ping(port: u16) -> Option<()> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}")).ok()?;
    let mut connection = client.get_connection().ok()?;
    let said: Result<Value, _> = redis::cmd("PING").query(&mut connection);
    match said {
        Ok(_) => Some(()),
        Err(error) => (error.code() == Some("NOAUTH")).then_some(()),
    }
}

/// A connection to the server at that port.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn connect(port: u16, login: &str) -> Connection {
    let client = redis::Client::open(format!("redis://{login}127.0.0.1:{port}"));
    let client = client.expect("a URL of Redis");
    client.get_connection().expect("a connection")
}

/// The encoded envelopes of a stream, in its order.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn envelopes(connection: &mut Connection, stream: &str) -> Vec<Vec<u8>> {
    type Entry = (String, Vec<(String, Vec<u8>)>);
    let entries: Vec<Entry> = redis::cmd("XRANGE")
        .arg(stream)
        .arg("-")
        .arg("+")
        .query(connection)
        .expect("XRANGE answers");
    let envelope = |(_, fields): Entry| {
        let found = fields.into_iter().find(|(name, _)| name == "envelope");
        found.expect("a field `envelope`").1
    };
    entries.into_iter().map(envelope).collect()
}

/// How many entries a stream has.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn length(connection: &mut Connection, stream: &str) -> u64 {
    let answer = redis::cmd("XLEN").arg(stream).query(connection);
    answer.expect("XLEN answers")
}

/// The streams of all shards that a server has, as Hexlane names them.
///
/// # Panics
/// When the server refuses.
#[must_use]
pub fn streams(connection: &mut Connection) -> Vec<String> {
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("spatial.events:{*}")
        .query(connection)
        .expect("KEYS answers");
    let mut streams: Vec<String> = keys.into_iter().filter(|key| key.ends_with('}')).collect();
    streams.sort();
    streams
}
