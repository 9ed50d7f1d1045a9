//! A disk that takes no more: the answer says so, what was answered stays, and work goes
//! on when there is room again. The disk is a small tmpfs under the map's tables, which
//! only root may mount.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Code, FailureKind, Sink, StoreError, Tally};
use hexlane_backend_postgis::PostgisMap;
use std::path::PathBuf;
use std::process::Command;
use support::server::{Server, install};
use support::{lease, settings};

/// A mounted tmpfs; gone when dropped.
struct Small(PathBuf);

impl Small {
    fn on(server: &Server) -> Self {
        let folder = server.folder().join("small");
        std::fs::create_dir(&folder).unwrap();
        install(
            Command::new("mount")
                .args(["-t", "tmpfs", "-o", "size=4m", "tmpfs"])
                .arg(&folder),
        );
        Server::give(&folder);
        Self(folder)
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

#[tokio::test]
async fn a_full_disk_is_later_and_loses_nothing_answered() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root may mount the small disk");
        return;
    }
    let server = Server::start();
    let small = Small::on(&server);
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let lease = lease(&map, 7).await;
    let path = small.0.to_str().unwrap();
    server
        .sql("map", &format!("CREATE TABLESPACE small LOCATION '{path}'"))
        .await;
    let fill = "ALTER TABLE hexlane.features SET TABLESPACE small;
                CREATE TABLE public.filler TABLESPACE small AS
                  SELECT repeat('x', 1000) FROM generate_series(1, 2000)";
    server.sql("map", fill).await;
    let batch = |number: u32| {
        let name = |row: u32| format!("e-{number}-{row}");
        let sample = |row: u32| Sample::new(&name(row)).about(&name(row), 1).effect();
        (0..100).map(sample).collect::<Vec<_>>()
    };
    let mut answered = 0;
    let failure = loop {
        match map.apply(&lease, batch(answered)).await {
            Ok(landed) => answered += u32::try_from(landed.len()).unwrap() / 100,
            Err(StoreError::Failed(failure)) => break failure,
            Err(fenced) => panic!("{fenced}"),
        }
        assert!(answered < 1_000, "the disk does not fill");
    };
    assert_eq!(
        (failure.code, failure.kind),
        (Code::DiskFull, FailureKind::Later),
        "{failure}"
    );
    assert!(answered > 0);
    let features = "SELECT count(*) FROM hexlane.features";
    assert_eq!(server.number(features).await, i64::from(answered) * 100);
    server.sql("map", "DROP TABLE public.filler").await;
    map.apply(&lease, batch(answered)).await.unwrap();
    let applied = map.tally().await.unwrap().applied;
    assert_eq!(applied, u64::from(answered + 1) * 100);
    server
        .sql(
            "map",
            "ALTER TABLE hexlane.features SET TABLESPACE pg_default",
        )
        .await;
}
