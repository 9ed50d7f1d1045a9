//! Dead letters that somebody else has written into.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Fixture;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Code, DeadLetterState, DeadLetters, EventKey, Holder, Leases};
use hexlane_core::lane::Shard;
use rusqlite::Connection;
use support::Folder;

#[tokio::test]
async fn a_state_that_is_unknown_is_a_failure_and_not_closed() {
    let folder = Folder::new();
    let holder = Holder::new("test");
    let lease = folder.leases().acquire(Shard::new(7), &holder).await;
    let (lease, sample) = (lease.unwrap().unwrap(), Sample::new("a"));
    let letters = vec![sample.dead_letter()];
    folder.dead_letters().record(&lease, letters).await.unwrap();
    let key = EventKey::of(&sample.envelope());
    let write = |state: &str| {
        let map = Connection::open(folder.path("map.gpkg")).unwrap();
        map.pragma_update(None, "ignore_check_constraints", true)
            .unwrap();
        map.execute("UPDATE dead_letters SET state = ?1", [state])
            .unwrap();
    };
    for state in DeadLetterState::ALL {
        write(state.as_str());
        let found = folder.dead_letters().find(key.clone()).await.unwrap();
        assert_eq!(found[0].state, state);
    }
    write("replaying");
    let failure = folder.dead_letters().find(key).await.expect_err("unknown");
    assert_eq!(failure.code, Code::Internal);
}

#[tokio::test]
async fn a_class_that_is_unknown_is_a_failure_and_not_left_out_of_the_count() {
    let folder = Folder::new();
    let holder = Holder::new("test");
    let lease = folder.leases().acquire(Shard::new(7), &holder).await;
    let (lease, sample) = (lease.unwrap().unwrap(), Sample::new("a"));
    let letters = vec![sample.dead_letter()];
    folder.dead_letters().record(&lease, letters).await.unwrap();
    assert_eq!(folder.dead_letters().count().await.unwrap()[0].open, 1);
    let map = Connection::open(folder.path("map.gpkg")).unwrap();
    map.pragma_update(None, "ignore_check_constraints", true)
        .unwrap();
    map.execute("UPDATE dead_letters SET failure_class = 'odd'", [])
        .unwrap();
    let failure = folder.dead_letters().count().await.expect_err("unknown");
    assert_eq!(failure.code, Code::Internal);
}
