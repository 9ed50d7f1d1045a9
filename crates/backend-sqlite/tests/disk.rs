//! A disk that takes no more: the answer says so, what was answered stays, and work goes
//! on when there is room again. The disk is a limit on file sizes set for a child process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Setup;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Code, FailureKind, Queue, QueueExt};
use hexlane_backend_sqlite::Embedded;
use std::path::Path;
use std::process::Command;
use support::{ask, settings};

/// Names the folder to the child; set by the parent alone.
const FOLDER: &str = "HEXLANE_DISK_TEST_FOLDER";
/// Enough refusals to have seen the WAL full and the file full.
const REFUSALS: u32 = 5;

#[test]
#[ignore = "the process whose disk is full"]
#[expect(clippy::disallowed_methods, reason = "how the parent names the folder")]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answered = runtime.block_on(fill(Path::new(&folder)));
    std::fs::write(Path::new(&folder).join("answered"), answered.to_string()).unwrap();
}

/// Publishes until the disk is full for good: the first refusal may end with the WAL
/// emptied and room again. Answers how many were accepted.
async fn fill(folder: &Path) -> u64 {
    let stores = Embedded::open(&settings(folder), Setup::clock()).unwrap();
    let payload = vec![b'x'; 16 * 1024];
    let (mut answered, mut refused) = (0, 0);
    for number in 0..10_000u64 {
        let envelope = Sample::new(&format!("k-{number}"))
            .payload(&payload)
            .envelope();
        match stores.queue.publish_one(envelope).await {
            Ok(_) => answered += 1,
            Err(failure) => {
                assert!(
                    matches!(failure.code, Code::DiskFull | Code::Io),
                    "{failure}"
                );
                assert_eq!(failure.kind, FailureKind::Later);
                refused += 1;
            }
        }
        if refused == REFUSALS {
            assert!(stores.queue.backlog().await.is_ok(), "reading works");
            let asked = stores.queue.writable().await.unwrap_err();
            assert_eq!(asked.kind, FailureKind::Later, "{asked}");
            return answered;
        }
    }
    panic!("the disk was never full");
}

#[tokio::test]
async fn a_full_disk_is_said_and_what_was_answered_stays() {
    let dir = tempfile::tempdir().unwrap();
    // 4 MiB a file; the signal that would end the process is ignored, so that writes fail.
    let limited = "ulimit -f 4096; trap '' XFSZ; exec \"$0\" --exact child --ignored";
    let status = Command::new("bash")
        .args(["-c", limited])
        .arg(std::env::current_exe().unwrap())
        .env(FOLDER, dir.path())
        .status()
        .unwrap();
    assert!(status.success());
    let answered = std::fs::read_to_string(dir.path().join("answered")).unwrap();
    let answered: i64 = answered.parse().unwrap();
    assert!(answered > 0);
    let stores = Embedded::open(&settings(dir.path()), Setup::clock()).unwrap();
    let waiting = stores.queue.backlog().await.unwrap()[0].ready;
    assert!(
        i64::try_from(waiting).unwrap() >= answered,
        "{waiting} of {answered}"
    );
    let known = "SELECT count(*) FROM entries";
    assert!(ask(&dir.path().join("queue.db"), known) >= answered);
    stores
        .queue
        .publish_one(Sample::new("room again").envelope())
        .await
        .unwrap();
}
