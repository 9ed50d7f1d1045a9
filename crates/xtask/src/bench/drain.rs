//! `cargo xtask bench drain`: events a second from Redis to nothing, to a GeoPackage and to
//! PostGIS, each beside a raw loop over the same servers.
//!
//! What is measured stands in `tests/benches/drain.rs`, which may know the crates; here the
//! servers are started, empty, and the rows are printed and written.

use std::fs;

use serde_json::Value;

use super::report::{self, Row};
use crate::{
    command::{cargo, read, run},
    failure::Failure,
    interrupt::Interrupt,
    process::Echo,
    servers::{Postgis, Redis},
    workspace::Workspace,
};

/// Starts the servers, runs the benchmark, prints the table, writes `drain.json`.
pub(crate) fn drain(workspace: &Workspace) -> Result<(), Failure> {
    Redis::ensure(workspace)?;
    Postgis::ensure(workspace)?;
    let bench = ["bench", "--package", "hexlane-tests", "--bench", "drain"];
    run(cargo(workspace).args(bench).arg("--no-run"))?;
    let folder = workspace.bench().join("drain");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(Failure::file("remove", &folder))?;
    }
    let interrupt = Interrupt::watch()?;
    let _redis = Redis::start(workspace, &folder.join("redis"), Echo::Silent, &interrupt)?;
    let postgis = Postgis::start(workspace, &folder.join("postgis"), Echo::Silent, &interrupt)?;
    let postgis = Postgis::url().replace('@', &format!(":{}@", postgis.password()));
    let printed = read(
        cargo(workspace)
            .args(bench)
            .env("HEXLANE_BENCH_REDIS", Redis::address())
            .env("HEXLANE_BENCH_POSTGIS", postgis),
    )?;
    let rows = rows(printed.lines().last().unwrap_or_default())?;
    report::print(&rows);
    report::write(&workspace.bench(), "drain.json", &report::rows(&rows))
}

fn rows(line: &str) -> Result<Vec<Row>, Failure> {
    let unreadable = |error| Failure::Refused(format!("the benchmark printed no rows: {error}"));
    let rows: Vec<Value> = serde_json::from_str(line).map_err(unreadable)?;
    let number = |row: &Value, name: &str| row[name].as_f64().unwrap_or_default();
    let row = |row: &Value| Row {
        name: row["row"].as_str().unwrap_or_default().to_owned(),
        ours: number(row, "ours"),
        peer: number(row, "peer"),
        unit: "events/s",
        ratio: number(row, "ratio"),
    };
    Ok(rows.iter().map(row).collect())
}
