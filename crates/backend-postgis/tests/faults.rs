//! Every fault of a real server says again, later or never, leaves nothing half done, and
//! is over when the server is well, without a new start of ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{
    ClaimQuery, Code, DeadLetters, Failure, FailureKind, Holder, Landed, Lease, Leases, Sink,
    SinkExt, StoreError, Tally,
};
use hexlane_backend_postgis::{PostgisMap, Settings, look};
use hexlane_core::Outcome;
use rustix::process::{Signal, kill_process};
use std::time::Duration;
use support::proxy::Proxy;
use support::server::Server;
use support::{lease, settings, until};

async fn connected(server: &Server) -> (PostgisMap, Lease) {
    let map = PostgisMap::connect(&settings(server)).await.unwrap();
    let lease = lease(&map, 7).await;
    (map, lease)
}

async fn apply(map: &PostgisMap, lease: &Lease, key: &str) -> Result<Outcome, Failure> {
    let effects = vec![Sample::new(key).about(key, 1).effect()];
    match map.apply(lease, effects).await {
        Ok(landed) => Ok(outcome(&landed[0]).expect("no conflict")),
        Err(StoreError::Failed(failure)) => Err(failure),
        Err(fenced) => panic!("{fenced}"),
    }
}

fn outcome(landed: &Landed) -> Option<Outcome> {
    match landed {
        Landed::Recorded(recorded) => Some(recorded.outcome()),
        Landed::Conflict => None,
    }
}

async fn found(map: &PostgisMap, key: &str) -> Option<Outcome> {
    let query = ClaimQuery::of(&Sample::new(key).about(key, 1).effect());
    let found = map.lookup(vec![query]).await.unwrap();
    found[0].as_ref().and_then(outcome)
}

async fn refused(settings: &Settings, code: Code, word: &str) {
    let failure = PostgisMap::connect(settings).await.unwrap_err();
    assert_eq!(failure.code, code, "{failure}");
    assert!(failure.to_string().contains(word), "{failure}");
    assert!(!failure.to_string().contains("horse"), "{failure}");
}

#[tokio::test]
async fn a_server_that_cannot_hold_a_map_is_refused_by_what_it_lacks() {
    let server = Server::start();
    let at = |database: &str| Settings::at(server.url(database));
    let mut wrong_password = at("map");
    wrong_password.password = Some("wrong".to_owned());
    refused(&wrong_password, Code::Settings, "28P01").await;
    refused(&at("postgres"), Code::Settings, "CREATE EXTENSION postgis").await;
    refused(&at("nowhere"), Code::NotAStore, "3D000").await;
    let ascii = "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0";
    server.sql("postgres", ascii).await;
    refused(&at("ascii"), Code::Settings, "SQL_ASCII").await;
    let read_only = "ALTER DATABASE map SET default_transaction_read_only = on";
    server.sql("postgres", read_only).await;
    refused(&at("map"), Code::ReadOnly, "read-only").await;
    refused(&Settings::at("mysql://localhost"), Code::Settings, "URL").await;
    let mut nobody = at("map");
    nobody.url = server.url("map").replace("postgres:", "nobody:");
    refused(&nobody, Code::Settings, "28P01").await;
}

#[tokio::test]
async fn a_server_that_starts_or_is_away_is_later_and_a_standby_is_read_only() {
    let mut server = Server::start();
    let settings = settings(&server);
    let (map, _) = connected(&server).await;
    map.stop().await;
    let stopped = map.tally().await.unwrap_err();
    assert_eq!(stopped.code, Code::Stopped);
    server.stop();
    refused(&settings, Code::Unavailable, "refused").await;
    // Recovery that never ends, first unseen and then for readers.
    std::fs::write(server.data().join("standby.signal"), "").unwrap();
    server.configure("hot_standby = off");
    server.launch();
    let starting = until("an answer", async || {
        let failure = PostgisMap::connect(&settings).await.unwrap_err();
        failure.to_string().contains("57P03").then_some(failure)
    });
    assert_eq!(starting.await.kind, FailureKind::Later);
    server.kill();
    server.configure("hot_standby = on");
    server.resume();
    refused(&settings, Code::ReadOnly, "standby").await;
    assert_eq!(look(&settings).await.unwrap().dead_letters, []);
}

#[tokio::test]
async fn a_server_that_turns_read_only_is_told_and_found_well_again() {
    let server = Server::start();
    let (map, lease) = connected(&server).await;
    apply(&map, &lease, "before").await.unwrap();
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE application_name = 'hexlane'";
    let turn = |value: &str| {
        format!("ALTER DATABASE map SET default_transaction_read_only = {value}; {others}")
    };
    server.sql("postgres", &turn("on")).await;
    let failure = until("read-only", async || {
        let failure = apply(&map, &lease, "during").await.unwrap_err();
        (failure.code == Code::ReadOnly).then_some(failure)
    });
    assert_eq!(failure.await.kind, FailureKind::Never);
    assert_eq!(map.tally().await.unwrap().applied, 1, "reading goes on");
    server.sql("postgres", &turn("off")).await;
    let applied = until("the end of it", async || {
        apply(&map, &lease, "during").await.ok()
    });
    assert_eq!(applied.await, Outcome::Applied);
}

#[tokio::test]
async fn a_missing_table_is_named_and_nothing_is_claimed() {
    let server = Server::start();
    let (map, lease) = connected(&server).await;
    // One of the same name elsewhere is not taken for it.
    server
        .sql(
            "map",
            "CREATE TABLE public.features (LIKE hexlane.features)",
        )
        .await;
    server
        .sql("map", "ALTER TABLE hexlane.features RENAME TO mislaid")
        .await;
    let failure = apply(&map, &lease, "a").await.unwrap_err();
    assert_eq!(failure.code, Code::NotAStore);
    assert!(
        failure.to_string().contains("hexlane.features"),
        "{failure}"
    );
    assert_eq!(found(&map, "a").await, None);
    refused(&settings(&server), Code::NotAStore, "hexlane.features").await;
    server
        .sql("map", "ALTER TABLE hexlane.mislaid RENAME TO features")
        .await;
    assert_eq!(apply(&map, &lease, "a").await, Ok(Outcome::Applied));
    assert_eq!(
        server.number("SELECT count(*) FROM public.features").await,
        0
    );
}

#[tokio::test]
async fn a_lock_that_is_held_too_long_is_busy_and_holds_nothing_up_afterwards() {
    let server = Server::start();
    let (mut short, lease) = (settings(&server), connected(&server).await.1);
    short.lock_timeout = Duration::from_millis(200);
    let map = PostgisMap::connect(&short).await.unwrap();
    let holder = server.client("map").await;
    let hold = "BEGIN; LOCK TABLE hexlane.features IN ACCESS EXCLUSIVE MODE";
    holder.batch_execute(hold).await.unwrap();
    let failure = apply(&map, &lease, "a").await.unwrap_err();
    assert_eq!(
        (failure.code, failure.kind),
        (Code::Busy, FailureKind::Again)
    );
    assert_eq!(found(&map, "a").await, None);
    holder.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(apply(&map, &lease, "a").await, Ok(Outcome::Applied));
}

#[tokio::test]
async fn a_batch_in_hand_when_the_server_is_killed_is_not_known_and_then_known() {
    let mut server = Server::start();
    let (map, lease) = connected(&server).await;
    apply(&map, &lease, "before").await.unwrap();
    let holder = server.client("map").await;
    let hold = "BEGIN; LOCK TABLE hexlane.features IN ACCESS EXCLUSIVE MODE";
    holder.batch_execute(hold).await.unwrap();
    let call = {
        let (map, lease) = (map.clone(), lease.clone());
        tokio::spawn(async move { apply(&map, &lease, "during").await })
    };
    waits_for_a_lock(&server).await;
    server.kill();
    let failure = call.await.unwrap().unwrap_err();
    assert!(failure.may_have_happened(), "{failure}");
    let away = map.tally().await.unwrap_err();
    assert_eq!(away.code, Code::Unavailable, "{away}");
    server.resume();
    assert_eq!(found(&map, "during").await, None);
    assert_eq!(apply(&map, &lease, "during").await, Ok(Outcome::Applied));
    assert_eq!(apply(&map, &lease, "before").await, Ok(Outcome::Duplicate));
}

async fn waits_for_a_lock(server: &Server) {
    let asked = server.client("map").await;
    until("a call that waits", async || {
        let sql = "SELECT count(*) FROM pg_locks WHERE NOT granted";
        let waiting: i64 = asked.query_one(sql, &[]).await.unwrap().get(0);
        (waiting > 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_looked_up() {
    let server = Server::start();
    let (_, lease) = connected(&server).await;
    let proxy = Proxy::before(server.port).await;
    let by_proxy = server
        .url("map")
        .replace(&server.port.to_string(), &proxy.port.to_string());
    let settings = Settings {
        connections_max: 1,
        ..Settings::at(by_proxy)
    };
    let map = PostgisMap::connect(&settings).await.unwrap();
    apply(&map, &lease, "before").await.unwrap();
    proxy.lose_answers();
    let call = {
        let (map, lease) = (map.clone(), lease.clone());
        let effects = vec![Sample::new("lost").about("lost", 1).effect()];
        tokio::spawn(async move { map.apply_or_look_up(&lease, effects).await })
    };
    let landed = "SELECT count(*) FROM hexlane.claims WHERE key = 'lost'";
    until("the commit", async || {
        (server.number(landed).await == 1).then_some(())
    })
    .await;
    proxy.cut();
    let landed = call.await.unwrap().unwrap();
    assert_eq!(outcome(&landed[0]), Some(Outcome::Applied));
    assert_eq!(map.tally().await.unwrap().applied, 2);
}

#[tokio::test]
async fn a_server_that_hangs_is_not_waited_for_without_end() {
    let server = Server::start();
    let (_, lease) = connected(&server).await;
    let settings = Settings {
        lock_timeout: Duration::from_millis(100),
        statement_timeout: Duration::from_millis(200),
        call_timeout: Duration::from_millis(400),
        ..settings(&server)
    };
    let map = PostgisMap::connect(&settings).await.unwrap();
    apply(&map, &lease, "before").await.unwrap();
    let backends = server
        .pids("SELECT pid FROM pg_stat_activity WHERE datname = 'map'")
        .await;
    for backend in &backends {
        kill_process(*backend, Signal::STOP).unwrap();
    }
    let failure = apply(&map, &lease, "during").await.unwrap_err();
    assert!(failure.may_have_happened(), "{failure}");
    for backend in &backends {
        kill_process(*backend, Signal::CONT).ok();
    }
    // It may have happened; either way one effect is left.
    let again = until("an answer", async || {
        apply(&map, &lease, "during").await.ok()
    })
    .await;
    assert!(
        matches!(again, Outcome::Applied | Outcome::Duplicate),
        "{again:?}"
    );
    let claims = "SELECT count(*) FROM hexlane.claims WHERE key = 'during'";
    assert_eq!(server.number(claims).await, 1);
}

#[tokio::test]
async fn a_call_whose_caller_is_gone_runs_to_its_end() {
    let server = Server::start();
    let (map, lease) = connected(&server).await;
    let holder = server.client("map").await;
    let hold = "BEGIN; LOCK TABLE hexlane.features IN ACCESS EXCLUSIVE MODE";
    holder.batch_execute(hold).await.unwrap();
    let call = {
        let (map, lease) = (map.clone(), lease.clone());
        tokio::spawn(async move { apply(&map, &lease, "left").await })
    };
    waits_for_a_lock(&server).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    holder.batch_execute("ROLLBACK").await.unwrap();
    // Takes its turn behind the one that was left.
    assert_eq!(apply(&map, &lease, "next").await, Ok(Outcome::Applied));
    assert_eq!(found(&map, "left").await, Some(Outcome::Applied));
}

#[tokio::test]
async fn a_value_that_the_database_refuses_is_told_and_leaves_nothing() {
    let server = Server::start();
    let (map, lease) = connected(&server).await;
    let check = "ALTER TABLE hexlane.features ADD CONSTRAINT not_seven CHECK (version <> 7)";
    server.sql("map", check).await;
    let batch = [1, 7, 3].map(|version| {
        let name = format!("e-{version}");
        Sample::new(&name).about(&name, version).effect()
    });
    let error = map.apply(&lease, batch.to_vec()).await.unwrap_err();
    let StoreError::Failed(failure) = error else {
        panic!("{error}")
    };
    assert_eq!(failure.code, Code::RowRefused);
    assert!(failure.to_string().contains("not_seven"), "{failure}");
    let left = "SELECT (SELECT count(*) FROM hexlane.claims)
      + (SELECT count(*) FROM hexlane.entities) + (SELECT count(*) FROM hexlane.tally)";
    assert_eq!(server.number(left).await, 0);
    let [one, _, three] = batch;
    assert_eq!(map.apply(&lease, vec![one, three]).await.unwrap().len(), 2);
}

#[tokio::test]
async fn names_with_a_zero_or_without_end_land_and_die_like_others() {
    let server = Server::start();
    let (map, lease) = connected(&server).await;
    let long = "ab".repeat(50_000);
    for name in ["a\0b", "a\u{10FFFE}0b", long.as_str()] {
        let sample = Sample::new(name).source(name).about(name, 1);
        let landed = map.apply(&lease, vec![sample.effect()]).await.unwrap();
        assert_eq!(outcome(&landed[0]), Some(Outcome::Applied));
        let mut letter = Sample::new(&format!("{name} dead"))
            .source(name)
            .dead_letter();
        letter.error_message = name.to_owned();
        letter.entry_ids = vec![name.to_owned()];
        map.record(&lease, vec![letter.clone()]).await.unwrap();
        let stored = map.find(letter.key.clone()).await.unwrap();
        assert_eq!(stored[0].letter, letter);
    }
    assert_eq!(
        server.number("SELECT count(*) FROM hexlane.features").await,
        3
    );
}

#[tokio::test]
async fn commits_are_durable_whatever_the_server_says_and_fsync_is_told() {
    let server = Server::start_with(&["fsync=off", "synchronous_commit=off"]);
    let (map, lease) = connected(&server).await;
    apply(&map, &lease, "a").await.unwrap();
    assert!(!map.server().fsync);
    let strict = Settings {
        refuse_without_fsync: true,
        ..settings(&server)
    };
    refused(&strict, Code::Settings, "fsync").await;
    let client = server.client("map").await;
    let fence = "SELECT hexlane.fence_v1(7::smallint, 1)";
    let error = client.query_one(fence, &[]).await.unwrap_err();
    assert_eq!(error.code().unwrap().code(), "HX001");
    client
        .batch_execute("SET synchronous_commit = on")
        .await
        .unwrap();
    client.query_one(fence, &[]).await.unwrap();
}

#[tokio::test]
async fn leases_end_by_the_databases_clock() {
    let server = Server::start();
    let mut short = settings(&server);
    short.lease_ms = 300;
    let map = PostgisMap::connect(&short).await.unwrap();
    let first = lease(&map, 3).await;
    let other = Holder::new("other");
    assert_eq!(map.acquire(first.shard, &other).await.unwrap(), None);
    let second = until("the end of the lease", async || {
        map.acquire(first.shard, &other).await.unwrap()
    });
    let second = second.await;
    assert_eq!(second.epoch, first.epoch.next());
    assert!(second.expires_at_us >= first.expires_at_us + 300_000);
    assert!(matches!(
        map.renew(&first).await,
        Err(StoreError::Fenced { .. })
    ));
}
