//! The schema: made once whoever starts at once, brought up to date, and left alone when
//! it is somebody else's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Code, DeadLetters, Failure, Sink, Tally};
use hexlane_backend_postgis::{PostgisMap, Settings, look};
use hexlane_core::lane::ShardMap;
use hexlane_servers::PASSWORD;
use std::time::Duration;
use support::server::Server;
use support::{lease, settings};

async fn refused(settings: &Settings) -> Failure {
    PostgisMap::connect(settings).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn processes_that_start_at_once_make_one_schema() {
    let server = Server::start();
    for round in 0..5 {
        let schema = format!("round {round}");
        let starts: Vec<_> = (0..6)
            .map(|_| {
                let settings = Settings {
                    schema: schema.clone(),
                    ..settings(&server)
                };
                tokio::spawn(async move { PostgisMap::connect(&settings).await })
            })
            .collect();
        for start in starts {
            start.await.unwrap().unwrap();
        }
        let versions = format!("SELECT count(*) FROM \"{schema}\".meta");
        assert_eq!(server.number(&versions).await, 5);
    }
}

#[tokio::test]
async fn an_older_schema_is_brought_up_to_date_and_keeps_what_it_has() {
    let server = Server::start();
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let name = map.authority().await.unwrap();
    let lease = lease(&map, 7).await;
    let effects = vec![Sample::new("a").effect()];
    assert_eq!(map.apply(&lease, effects).await.unwrap().len(), 1);
    map.stop().await;
    // As version 1 was: without the functions.
    let back = "DO $$ DECLARE name regprocedure; BEGIN
        FOR name IN SELECT oid::regprocedure FROM pg_proc
          WHERE pronamespace = 'hexlane'::regnamespace AND proname ~ '_v[0-9]+$'
        LOOP EXECUTE format('DROP FUNCTION %s', name); END LOOP; END $$;
      UPDATE hexlane.meta SET value = '1' WHERE name = 'schema_version'";
    server.sql("map", back).await;
    let failure = look(&settings(&server)).await.unwrap_err();
    assert_eq!(
        failure.code,
        Code::NotAStore,
        "who looks brings nothing up to date"
    );
    let map = PostgisMap::connect(&settings(&server)).await.unwrap();
    let letters = vec![Sample::new("b").dead_letter()];
    assert_eq!(map.record(&lease, letters).await.unwrap().len(), 1);
    let counts = map.tally().await.unwrap();
    assert_eq!((counts.applied, counts.dead), (1, 1));
    assert_eq!(map.authority().await.unwrap(), name);
    let other = Settings {
        schema: "other".to_owned(),
        ..settings(&server)
    };
    let other = PostgisMap::connect(&other).await.unwrap();
    assert_ne!(other.authority().await.unwrap(), name);
    let damage = "UPDATE hexlane.meta SET value = 'x' WHERE name = 'authority'";
    server.sql("map", damage).await;
    assert_eq!(map.authority().await.unwrap_err().code, Code::Corrupt);
}

#[tokio::test]
async fn what_is_not_ours_or_not_for_us_is_refused_and_left_alone() {
    let server = Server::start();
    server
        .sql(
            "map",
            "CREATE SCHEMA roads; CREATE TABLE roads.road (id int)",
        )
        .await;
    let roads = Settings {
        schema: "roads".to_owned(),
        ..settings(&server)
    };
    let failure = refused(&roads).await;
    assert_eq!(failure.code, Code::NotAStore, "{failure}");
    let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'roads'::regnamespace";
    assert_eq!(server.number(tables).await, 1);

    let nothing = look(&settings(&server)).await.unwrap_err();
    assert_eq!(nothing.code, Code::NotAStore, "{nothing}");
    PostgisMap::connect(&settings(&server)).await.unwrap();
    let other_shards = Settings {
        shard_map: ShardMap::new(32).unwrap(),
        ..settings(&server)
    };
    let failure = refused(&other_shards).await;
    assert_eq!(failure.code, Code::ShardMapMismatch, "{failure}");
    let newer = "UPDATE hexlane.meta SET value = '99' WHERE name = 'schema_version'";
    server.sql("map", newer).await;
    let failure = refused(&settings(&server)).await;
    assert_eq!(failure.code, Code::SchemaNewer);
    assert!(failure.to_string().contains("schema 99"), "{failure}");
}

#[tokio::test]
async fn a_migration_that_does_not_end_is_not_waited_for_without_end() {
    let server = Server::start();
    let other = server.client("map").await;
    other
        .batch_execute("BEGIN; CREATE SCHEMA hexlane")
        .await
        .unwrap();
    let impatient = Settings {
        migration_timeout: Duration::from_millis(200),
        ..settings(&server)
    };
    assert_eq!(refused(&impatient).await.code, Code::Busy);
    other.batch_execute("ROLLBACK").await.unwrap();
    PostgisMap::connect(&impatient).await.unwrap();
}

/// The rights that the production guide names.
#[tokio::test]
async fn a_user_that_may_only_read_and_write_runs_on_a_schema_made_for_it() {
    let server = Server::start();
    PostgisMap::connect(&settings(&server))
        .await
        .unwrap()
        .stop()
        .await;
    let grants = format!(
        "CREATE ROLE consumer LOGIN PASSWORD '{PASSWORD}';
         GRANT USAGE ON SCHEMA hexlane TO consumer;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hexlane TO consumer"
    );
    server.sql("map", &grants).await;
    let consumer = Settings {
        url: server.url("map").replace("postgres:", "consumer:"),
        ..settings(&server)
    };
    let map = PostgisMap::connect(&consumer).await.unwrap();
    let lease = lease(&map, 7).await;
    let effects = vec![
        Sample::new("a").effect(),
        Sample::new("b").about("c", 1).delete().effect(),
    ];
    assert_eq!(map.apply(&lease, effects).await.unwrap().len(), 2);
    let letters = vec![Sample::new("d").dead_letter()];
    assert_eq!(map.record(&lease, letters).await.unwrap().len(), 1);
    server
        .sql("map", "REVOKE INSERT ON hexlane.features FROM consumer")
        .await;
    let denied = map
        .apply(&lease, vec![Sample::new("e").about("e", 1).effect()])
        .await;
    assert!(denied.unwrap_err().to_string().contains("42501"));
    let view = look(&consumer).await.unwrap();
    assert_eq!((view.tally.applied, view.tally.dead), (2, 1));
    assert_eq!(view.dead_letters[0].open, 1);
}
