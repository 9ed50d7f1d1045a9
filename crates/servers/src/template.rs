//! A data folder to copy: made once by `initdb`, with a database `map` that has PostGIS,
//! and kept in the system's temporary folder for the next test.

use crate::postgres::{Server, install, program};
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Changes with what is in the template.
const NAME: &str = "hexlane-postgis-template-1";

/// The superuser's password.
pub const PASSWORD: &str = "correct horse";

/// Small, so that a copy is quick; everything that a kill could lose stays on.
const CONFIGURATION: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 40
shared_buffers = 16MB
min_wal_size = 2MB
max_wal_size = 32MB
log_line_prefix = '%m [%p] '
";

/// The template; made by whoever comes first.
pub(crate) fn template() -> PathBuf {
    let folder = std::env::temp_dir();
    let kept = folder.join(NAME);
    let lock = File::create(folder.join(format!("{NAME}.lock"))).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    if !kept.exists() {
        make(&kept);
    }
    kept
}

fn make(kept: &Path) {
    let server = Server::initialised(|data, dir| {
        let secret = dir.join("password");
        fs::write(&secret, PASSWORD).unwrap();
        let mut initdb = program("initdb", dir);
        initdb
            .args([
                "--username=postgres",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
            ])
            .args(["--locale=C", "--no-sync", "--wal-segsize=1", "--pwfile"])
            .arg(&secret)
            .arg("--pgdata")
            .arg(data);
        install(&mut initdb);
        let file = data.join("postgresql.conf");
        let written = fs::read_to_string(&file).unwrap();
        fs::write(&file, written + CONFIGURATION).unwrap();
    });
    // Its own thread: a test that asks for the template has a runtime already.
    std::thread::scope(|scope| scope.spawn(|| prepare(&server)).join()).unwrap();
    let mut server = server;
    server.stop();
    let half = kept.with_extension("half");
    fs::remove_dir_all(&half).ok();
    server.copy_data_to(&half);
    fs::rename(half, kept).unwrap();
}

fn prepare(server: &Server) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        server.sql("postgres", "CREATE DATABASE map").await;
        server.sql("map", "CREATE EXTENSION postgis").await;
    });
}
