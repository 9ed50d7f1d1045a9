//! One `redis-server`, and what a test asks of it past the queue.

use crate::ports::free_port;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// How long a server may take to answer; a loaded machine is slow.
const WAITS_MAX: u32 = 1_500;
const WAIT: Duration = Duration::from_millis(20);

/// What a server is started with whose log is on disk before it answers.
pub const ALWAYS: [&str; 6] = [
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
];

/// A server that is killed when it is dropped.
pub struct Server {
    folder: TempDir,
    port: u16,
    bus: u16,
    arguments: Vec<String>,
    child: Child,
}

impl Server {
    /// A durable server.
    pub fn start() -> Self {
        Self::start_with(&ALWAYS)
    }

    /// A durable server with these arguments besides.
    pub fn start_and(more: &[&str]) -> Self {
        Self::start_with(&[&ALWAYS, more].concat())
    }

    /// A server with these arguments alone; `%PORT%` and `%BUS%` become ports.
    pub fn start_with(arguments: &[&str]) -> Self {
        // A port that was free may be taken before the server has it: then another one.
        for _ in 0..10 {
            let folder = tempfile::tempdir().unwrap();
            let (port, bus) = (free_port(), free_port());
            let with_ports = |each: &&str| {
                let each = each.replace("%PORT%", &port.to_string());
                each.replace("%BUS%", &bus.to_string())
            };
            let arguments: Vec<String> = arguments.iter().map(with_ports).collect();
            let child = spawn(folder.path(), port, &arguments);
            let mut server = Self {
                folder,
                port,
                bus,
                arguments,
                child,
            };
            if server.comes_up() {
                return server;
            }
            eprintln!("{}", server.log());
        }
        panic!("no server came up")
    }

    /// A sentinel that watches a master under the name `map`, and takes it for dead after
    /// half a second.
    pub fn start_sentinel(master: &Self) -> Self {
        let monitor = format!("sentinel monitor map 127.0.0.1 {} 1", master.port);
        Self::start_with(&[
            "--sentinel",
            "%CONFIG%",
            &format!(
                "{monitor}\nsentinel down-after-milliseconds map 500\nsentinel failover-timeout map 3000\n"
            ),
        ])
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its port, the same after a restart.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The port of the cluster's bus.
    pub const fn bus(&self) -> u16 {
        self.bus
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it as `kill -9` does.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops the process where it is (SIGSTOP), or lets it go on.
    pub fn freeze(&self, frozen: bool) {
        let signal = if frozen { Signal::STOP } else { Signal::CONT };
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Starts it again in its folder, at its port.
    pub fn start_again(&mut self) {
        for _ in 0..50 {
            self.child = spawn(self.folder.path(), self.port, &self.arguments);
            if self.comes_up() {
                return;
            }
        }
        panic!("the server does not come up again:\n{}", self.log());
    }

    /// Stops and starts it, as a crash does.
    pub fn crash(&mut self) {
        self.kill();
        self.start_again();
    }

    /// What it wrote to its log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Sends a command past the queue.
    pub fn ask<T: ::redis::FromRedisValue>(&self, words: &[&str]) -> T {
        self.try_ask(words).unwrap()
    }

    /// The same, when it may be refused.
    pub fn try_ask<T: ::redis::FromRedisValue>(&self, words: &[&str]) -> ::redis::RedisResult<T> {
        ask(&self.address(), words)
    }

    /// A connection past the queue; `login` is `user:password@` or nothing.
    pub fn connect(&self, login: &str) -> ::redis::Connection {
        let client = ::redis::Client::open(format!("redis://{login}{}", self.address()));
        client.unwrap().get_connection().unwrap()
    }

    /// Whether it answers; not when it ended.
    fn comes_up(&mut self) -> bool {
        for _ in 0..WAITS_MAX {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if answers(self.port) {
                return true;
            }
            pause();
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Sends a command to a server.
pub fn ask<T: ::redis::FromRedisValue>(address: &str, words: &[&str]) -> ::redis::RedisResult<T> {
    let client = ::redis::Client::open(format!("redis://{address}"))?;
    let mut connection = client.get_connection()?;
    let mut command = ::redis::cmd(words[0]);
    command.arg(&words[1..]);
    command.query(&mut connection)
}

/// Tries until it is so.
pub fn until(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..WAITS_MAX {
        if so() {
            return;
        }
        pause();
    }
    panic!("never: {what}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "between two looks at another process"
)]
fn pause() {
    std::thread::sleep(WAIT);
}

fn spawn(folder: &Path, port: u16, arguments: &[String]) -> Child {
    let mut command = Command::new("redis-server");
    let mut arguments = arguments.to_vec();
    if let Some(place) = arguments.iter().position(|each| each == "%CONFIG%") {
        let config = folder.join("config");
        if !config.exists() {
            std::fs::write(&config, &arguments[place + 1]).unwrap();
        }
        arguments.drain(place..=place + 1);
        command.arg(config);
    }
    command
        .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
        .args(["--logfile", "log", "--dir"])
        .arg(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server is installed (Debian package `redis-server`)")
}

/// Whether a server answers at that port, with whatever but "loading". One that speaks TLS
/// answers by taking the connection.
fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) else {
        return false;
    };
    let timeout = Some(Duration::from_secs(1));
    stream.set_read_timeout(timeout).unwrap();
    if stream.write_all(b"PING\r\n").is_err() {
        return false;
    }
    let mut said = [0; 8];
    let length = stream.read(&mut said).unwrap_or(0);
    !said[..length].starts_with(b"-LOADING")
}
