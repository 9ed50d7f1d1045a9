//! A real PostgreSQL with its own data folder and port, ended by its process ids, also
//! when the test panics. It refuses to run as root and runs as `postgres` then.

use crate::ports::free_port;
use crate::template::{PASSWORD, template};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio_postgres::{Client, NoTls};

/// Probes while it starts or ends: half a minute.
const PROBES_MAX: u32 = 6_000;

/// A server.
pub struct Server {
    /// Its port, the same after a restart.
    pub port: u16,
    postmaster: Option<Child>,
    extra: Vec<String>,
    dir: TempDir,
}

impl Server {
    /// A fresh server with the databases `map`, which has PostGIS, and `postgres`.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same, with settings.
    pub fn start_with(extra: &[&str]) -> Self {
        let template = template();
        let mut server = Self::in_new_folder();
        server.extra = extra.iter().map(|&each| each.to_owned()).collect();
        copy(&template, &server.data());
        server.resume();
        server
    }

    /// A server whose data folder is made by that.
    pub fn initialised(make: impl FnOnce(&Path, &Path)) -> Self {
        let mut server = Self::in_new_folder();
        make(&server.data(), server.dir.path());
        server.resume();
        server
    }

    fn in_new_folder() -> Self {
        let dir = tempfile::tempdir().unwrap();
        if let Some((uid, gid)) = other_user() {
            chown(dir.path(), Some(uid), Some(gid)).unwrap();
        }
        Self {
            port: 0,
            postmaster: None,
            extra: Vec::new(),
            dir,
        }
    }

    /// Its folder; the server may write in it.
    pub fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Its data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Where a database is, with the superuser's password.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgresql://postgres:{}@127.0.0.1:{}/{database}",
            PASSWORD.replace(' ', "%20"),
            self.port
        )
    }

    /// A connection of the superuser.
    pub async fn client(&self, database: &str) -> Client {
        self.try_client(database).await.unwrap()
    }

    async fn try_client(&self, database: &str) -> Result<Client, tokio_postgres::Error> {
        let (client, connection) = tokio_postgres::connect(&self.url(database), NoTls).await?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// Statements of the superuser.
    pub async fn sql(&self, database: &str, sql: &str) {
        let client = self.client(database).await;
        client.batch_execute(sql).await.unwrap();
    }

    /// One number, asked by the superuser.
    pub async fn number(&self, sql: &str) -> i64 {
        let client = self.client("map").await;
        client.query_one(sql, &[]).await.unwrap().get(0)
    }

    /// Starts it on its folder; keeps the port it had, when that is free still.
    pub fn resume(&mut self) {
        for _ in 0..5 {
            if self.port == 0 {
                self.port = free_port();
            }
            self.launch();
            if self.listens() {
                return;
            }
            self.kill();
            self.port = 0;
        }
        panic!("PostgreSQL does not start:\n{}", self.log());
    }

    /// Starts it and does not wait until it serves.
    pub fn launch(&mut self) {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.dir.path().join("log"))
            .unwrap();
        let mut postgres = program("postgres", self.dir.path());
        postgres
            .arg("-D")
            .arg(self.data())
            .args(["-p", &self.port.to_string()])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        for setting in &self.extra {
            postgres.args(["-c", setting]);
        }
        self.postmaster = Some(postgres.spawn().unwrap());
    }

    /// Whether it serves; waits until it does or has ended.
    fn listens(&mut self) -> bool {
        let mut probe = program("pg_isready", self.dir.path());
        probe
            .args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()])
            .stdin(Stdio::null());
        for _ in 0..PROBES_MAX {
            let postmaster = self.postmaster.as_mut().unwrap();
            if postmaster.try_wait().unwrap().is_some() {
                return false;
            }
            if probe.status().unwrap().success() {
                return true;
            }
            pause();
        }
        false
    }

    /// kill -9 of the postmaster and every process it started.
    pub fn kill(&mut self) {
        let Some(mut postmaster) = self.postmaster.take() else {
            return;
        };
        let children = children_of(postmaster.id());
        postmaster.kill().ok();
        for child in &children {
            kill_process(*child, Signal::KILL).ok();
        }
        postmaster.wait().ok();
        for child in children {
            gone(child);
        }
    }

    /// Stops it at once, in good order.
    pub fn stop(&mut self) {
        let mut postmaster = self.postmaster.take().unwrap();
        kill_process(Pid::from_child(&postmaster), Signal::INT).unwrap();
        postmaster.wait().unwrap();
    }

    /// Lets the server use a file or folder of ours.
    pub fn give(path: &Path) {
        if let Some((uid, gid)) = other_user() {
            chown(path, Some(uid), Some(gid)).unwrap();
        }
    }

    /// A setting of a server that is down; the last one counts.
    pub fn configure(&self, setting: &str) {
        let file = self.data().join("postgresql.conf");
        let written = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{written}\n{setting}\n")).unwrap();
    }

    /// The processes that a query names.
    pub async fn pids(&self, sql: &str) -> Vec<Pid> {
        let client = self.client("postgres").await;
        let rows = client.query(sql, &[]).await.unwrap();
        let pids = rows.iter().filter_map(|row| Pid::from_raw(row.get(0)));
        pids.collect()
    }

    /// Copies its data folder.
    pub fn copy_data_to(&self, to: &Path) {
        copy(&self.data(), to);
    }

    /// What it wrote to its log.
    #[must_use]
    pub fn log(&self) -> String {
        let log = fs::read(self.dir.path().join("log")).unwrap_or_default();
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let shown = lines.len().saturating_sub(30);
            eprintln!("--- PostgreSQL said:\n{}", lines[shown..].join("\n"));
        }
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "between two probes of a server that starts or ends"
)]
fn pause() {
    std::thread::sleep(Duration::from_millis(5));
}

fn gone(process: Pid) {
    let entry = PathBuf::from(format!("/proc/{}", process.as_raw_nonzero()));
    for _ in 0..PROBES_MAX {
        if !entry.exists() {
            return;
        }
        pause();
    }
    panic!("process {process:?} does not end");
}

fn children_of(parent: u32) -> Vec<Pid> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number: &i32| parent_of(*number) == Some(parent))
        .filter_map(Pid::from_raw)
        .collect()
}

/// The second field after the name, which stands in parentheses.
fn parent_of(process: i32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn copy(from: &Path, to: &Path) {
    let mut copy = Command::new("cp");
    copy.args(["-a", "--reflink=auto"]).arg(from).arg(to);
    install(&mut copy);
}

/// Runs it to its end.
pub fn install(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

/// A program of the newest PostgreSQL that is installed, run by whoever may.
pub fn program(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(programs().join(name));
    command.current_dir(folder).env("TZ", "UTC");
    if let Some((uid, gid)) = other_user() {
        command.uid(uid).gid(gid);
    }
    command
}

#[allow(
    clippy::disallowed_methods,
    reason = "where the programs are is for the environment to say"
)]
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("HEXLANE_POSTGRES_BIN") {
        return PathBuf::from(folder);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
        .expect("PostgreSQL: install postgresql-15 and postgresql-15-postgis-3")
}

/// Who runs the server in place of root.
fn other_user() -> Option<(u32, u32)> {
    if !geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("postgres:"));
    let mut fields = line.expect("a user postgres").split(':').skip(2);
    let mut number = || fields.next().unwrap().parse().unwrap();
    Some((number(), number()))
}
