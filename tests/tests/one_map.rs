//! One queue, one map: a second map does not start on it, until the queue is bound to it.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_servers::{PASSWORD, postgres, redis};
use hexlane_tests::consumer::Consumer;
use hexlane_tests::http::Request;
use hexlane_tests::wait;
use std::time::Duration;

const LIMIT: Duration = Duration::from_mins(1);
const RUN: [&str; 5] = ["run", "--data", "data", "--listen", "127.0.0.1:0"];

fn settings(redis: &redis::Server, more: &str) -> toml::Table {
    let address = redis.address();
    let text = format!(
        r#"
        [run]
        queue = "redis"
        {more}
        [redis]
        servers = ["{address}"]
        "#
    );
    text.parse().expect("settings")
}

fn send(consumer: &Consumer, id: &str) {
    let point = format!(
        r#"{{"type":"Feature","id":"{id}","properties":{{}},"geometry":{{"type":"Point","coordinates":[4.5,4.5]}}}}"#
    );
    let answer = consumer.send(&Request::post("/v1/events/fleet", point));
    assert_eq!(answer.status, 202, "{}", answer.text());
}

/// The name of a map in a folder that nobody has.
fn name_of(consumer: &Consumer) -> String {
    let map = rusqlite::Connection::open(consumer.geopackage()).expect("the map");
    let sql = "SELECT value FROM hexlane_meta WHERE name = 'authority'";
    map.query_row(sql, [], |row| row.get(0)).expect("a name")
}

#[test]
fn a_second_map_is_refused_on_a_queue_until_it_is_bound_to_it() {
    let redis = redis::Server::start();
    // Its layer never loads, so its event waits.
    let source = "[sources.fleet]\nauth = \"none\"";
    let waits = format!("{source}\njoin = [\"zones\"]\n[layers.zones]\nfile = \"zones.geojson\"");
    let mut first = Consumer::start_with(&settings(&redis, &waits));
    send(&first, "van-1");
    wait::until("the event in hand", LIMIT, || {
        (first.status()["waiting"] == 1).then_some(())
    });
    first.stop();
    let mut second = Consumer::prepared(&settings(&redis, source), &[]);
    assert_eq!(second.command(&RUN), Some(2));
    let (a, b) = (name_of(&first), name_of(&second));
    let log = second.log();
    assert!(
        log.contains(&format!("bound to the map {a}, this one is {b}")),
        "{log}"
    );
    assert!(log.contains("hexlane bind --from"), "{log}");

    assert_eq!(
        second.command(&["bind", "--data", "data", "--from", &b]),
        Some(2)
    );
    assert_eq!(
        second.command(&["bind", "--data", "data", "--from", "b"]),
        Some(2)
    );
    first.restart();
    first.stop();
    assert_eq!(
        second.command(&["bind", "--data", "data", "--from", &a]),
        Some(0)
    );
    second.restart();
    let status = second.drained(LIMIT);
    assert_eq!(
        status["settled"]["applied"], 1,
        "what waited landed: {status}"
    );
    assert_eq!(
        first.command(&RUN),
        Some(2),
        "the first map has lost its queue"
    );
    second.stop();
    second.restart();
}

#[test]
fn processes_on_one_map_in_postgis_share_a_queue_and_another_schema_does_not() {
    let (redis, postgres) = (redis::Server::start(), postgres::Server::start());
    let of_schema = |schema: &str| {
        let port = postgres.port;
        let more = format!(
            r#"
            map = "postgis"
            [postgis]
            url = "postgresql://postgres@127.0.0.1:{port}/map"
            password_variable = "MAP_PASSWORD"
            schema = "{schema}"
            [sources.fleet]
            auth = "none"
            "#
        );
        Consumer::prepared(&settings(&redis, &more), &[("MAP_PASSWORD", PASSWORD)])
    };
    let (mut first, mut second) = (of_schema("hexlane"), of_schema("hexlane"));
    first.restart();
    second.restart();
    send(&first, "van-1");
    let status = second.drained(LIMIT);
    assert_eq!(status["settled"]["applied"], 1, "{status}");
    let third = of_schema("trial");
    assert_eq!(third.command(&RUN), Some(2));
    assert!(
        third.log().contains("store.authority_mismatch"),
        "{}",
        third.log()
    );
}
