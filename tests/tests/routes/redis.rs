//! Route `redis`: what stands in the streams afterwards, and what a sender is told when the
//! server is away, slow, or does not let the Worker in.

use super::{EVENTS, assert_accepted, assert_unavailable, collection, feature, send, statuses};
use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::envelope::Payload;
use hexlane_servers::free_port;
use hexlane_servers::redis::Server;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::Request;
use hexlane_tests::streams::{envelopes, streams};
use hexlane_tests::wait;
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

fn plain(redis: &Server) -> Edge {
    Edge::start_on_redis(&format!("redis://{}", redis.address()))
}

fn one(id: &str) -> Request {
    Request::post(EVENTS, feature(id, [1.0, 2.0], ""))
}

/// Every event that a server has, by stream.
pub(crate) fn events(connection: &mut redis::Connection) -> BTreeMap<String, Vec<Envelope>> {
    let names = streams(connection);
    let of_stream = |stream: String| {
        let found = envelopes(connection, &stream);
        let found = found.iter().map(|bytes| Envelope::decode(bytes));
        let found = found.collect::<Result<Vec<_>, _>>();
        (stream, found.expect("envelopes"))
    };
    names.into_iter().map(of_stream).collect()
}

#[test]
fn what_is_accepted_stands_in_the_stream_of_its_shard_in_order() {
    let redis = Server::start();
    let edge = plain(&redis);
    let answer = send(edge.port, &Request::post(EVENTS, collection("s", 300, 10)));
    assert_accepted(&answer, 300);
    let mut connection = redis.connect("");
    let by_stream = events(&mut connection);
    assert!(by_stream.len() > 30, "{} shards", by_stream.len());
    let document = answer.json();
    let results = document["results"].as_array().expect("results");
    let mut found = 0;
    for (stream, events) in &by_stream {
        found += events.len();
        let on_stream: Vec<&str> = events.iter().map(|event| &*event.entity).collect();
        let told = results.iter().filter(|result| {
            let shard = result["shard"].as_u64().expect("a shard");
            format!("spatial.events:{{{shard:03}}}") == *stream
        });
        let told: Vec<&str> = told
            .map(|result| result["entity"].as_str().expect("text"))
            .collect();
        assert_eq!(on_stream, told, "{stream}");
        for event in events {
            let Payload::Inline(payload) = &event.payload else {
                panic!("a pointer");
            };
            assert_eq!(sha256(payload), event.payload_sha256);
        }
    }
    assert_eq!(found, 300);
}

#[test]
fn a_duplicate_is_told_and_a_reused_key_is_422_and_not_in_the_stream() {
    let redis = Server::start();
    let edge = plain(&redis);
    let keyed = |place| {
        Request::post(EVENTS, feature("keyed", place, "")).with("idempotency-key", "one key")
    };
    assert_eq!(statuses(&send(edge.port, &keyed([1.0, 2.0]))), ["accepted"]);
    assert_eq!(
        statuses(&send(edge.port, &keyed([1.0, 2.0]))),
        ["duplicate"]
    );
    // Same lane, so that the same script sees both.
    let other = send(edge.port, &keyed([1.0001, 2.0]));
    assert_eq!(other.status, 422, "{}", other.text());
    assert_eq!(other.json()["code"], "idempotency.key_reused");
    let bad = send(
        edge.port,
        &Request::post(EVENTS, feature("bad", [500.0, 2.0], "")),
    );
    assert_eq!(bad.status, 422, "{}", bad.text());
    let found = events(&mut redis.connect(""))
        .into_values()
        .map(|events| events.len());
    assert_eq!(found.sum::<usize>(), 2);
}

#[test]
fn an_envelope_over_the_limit_of_the_route_is_413() {
    let redis = Server::start();
    let edge = plain(&redis);
    let fits = feature("fits", [1.0, 2.0], &"n".repeat(260_000));
    assert_accepted(&send(edge.port, &Request::post(EVENTS, fits)), 1);
    let large = feature("large", [1.0, 2.0], &"n".repeat(263_000));
    let answer = send(edge.port, &Request::post(EVENTS, large));
    assert_eq!(answer.status, 413, "{}", answer.text());
    assert_eq!(answer.json()["code"], "limit.envelope_bytes");
    let found = events(&mut redis.connect(""))
        .into_values()
        .map(|events| events.len());
    assert_eq!(found.sum::<usize>(), 1);
}

#[test]
fn a_server_that_is_away_or_restarts_is_503_and_its_scripts_are_brought_again() {
    let mut redis = Server::start();
    let edge = plain(&redis);
    assert_accepted(&send(edge.port, &one("first")), 1);
    redis.kill();
    assert_unavailable(&send(edge.port, &one("second")), "killed");
    redis.start_again();
    assert_accepted(&send(edge.port, &one("second")), 1);
    let mut connection = redis.connect("");
    let flushed: String = redis::cmd("SCRIPT")
        .arg("FLUSH")
        .query(&mut connection)
        .expect("OK");
    assert_eq!(flushed, "OK");
    assert_accepted(
        &send(edge.port, &Request::post(EVENTS, collection("f", 50, 1))),
        50,
    );
    assert_eq!(statuses(&send(edge.port, &one("first"))), ["duplicate"]);
    let found = events(&mut connection)
        .into_values()
        .map(|events| events.len());
    assert_eq!(found.sum::<usize>(), 53);
    assert_unavailable(
        &send(
            Edge::start_on_redis(&format!("redis://127.0.0.1:{}", free_port())).port,
            &one("x"),
        ),
        "nothing ever listened",
    );
}

#[test]
fn a_password_lets_in_and_a_wrong_one_is_503() {
    let redis = Server::start_and(&[
        "--requirepass",
        "for everyone",
        "--user",
        "door",
        "on",
        ">p@ss/word",
        "~spatial.events*",
        "+@all",
    ]);
    let at = |login: &str| Edge::start_on_redis(&format!("redis://{login}{}", redis.address()));
    for (login, id) in [
        (":for%20everyone@", "default"),
        ("door:p%40ss%2Fword@", "acl"),
    ] {
        assert_accepted(&send(at(login).port, &one(id)), 1);
    }
    for login in ["", ":wrong@", "door:wrong@", "nobody:p@"] {
        let edge = at(login);
        assert_unavailable(&send(edge.port, &one("refused")), login);
        let log = edge.process.log();
        assert!(log.contains("redis.unconfirmed"), "{log}");
        assert!(!log.contains("wrong@"), "{log}");
    }
    let found = events(&mut redis.connect("door:p%40ss%2Fword@"));
    assert_eq!(
        found
            .into_values()
            .map(|events| events.len())
            .sum::<usize>(),
        2
    );
}

#[test]
fn a_server_that_refuses_is_503_and_nothing_is_in_a_stream() {
    let redis = Server::start_and(&["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"]);
    let edge = plain(&redis);
    let mut connection = redis.connect("");
    let filler = "x".repeat(4 << 20);
    let filled: Result<(), _> = redis::cmd("SET")
        .arg("filler")
        .arg(filler)
        .query(&mut connection);
    let again: Result<(), _> = redis::cmd("SET")
        .arg("more")
        .arg("x")
        .query(&mut connection);
    assert!(filled.is_err() || again.is_err(), "it is full");
    assert_unavailable(&send(edge.port, &one("full")), "out of memory");
    assert!(
        edge.process.log().contains("maxmemory"),
        "{}",
        edge.process.log()
    );

    let replica = Server::start_and(&["--replicaof", "127.0.0.1", &redis.port().to_string()]);
    let edge = plain(&replica);
    assert_unavailable(&send(edge.port, &one("replica")), "a read-only replica");
    assert!(events(&mut connection).is_empty());
}

#[test]
fn slow_a_server_that_does_not_answer_is_503_before_a_sender_gives_up() {
    let redis = Server::start();
    let edge = plain(&redis);
    assert_accepted(&send(edge.port, &one("before")), 1);
    redis.freeze(true);
    let waited = wait::Deadline::after(Duration::from_secs(20));
    assert_unavailable(&send(edge.port, &one("frozen")), "frozen");
    assert!(!waited.passed(), "after {:?}", waited.elapsed());
    redis.freeze(false);
    // What was sent may have happened: the answer says which.
    let again = send(edge.port, &one("frozen"));
    assert_accepted(&again, 1);
    let found = events(&mut redis.connect("")).into_values().flatten();
    let times = found.filter(|event| event.entity == "frozen").count();
    let expected = if statuses(&again) == ["duplicate"] {
        2
    } else {
        1
    };
    assert_eq!(times, expected);
}

#[test]
fn requests_at_once_do_not_get_into_each_others_way() {
    let redis = Server::start_and(&["--appendfsync", "no"]);
    let edge = plain(&redis);
    let (port, threads, each) = (edge.port, 8, 25);
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for number in 0..each {
                    let body = collection(&format!("t{thread}-{number}"), 5, 500);
                    assert_accepted(&send(port, &Request::post(EVENTS, body)), 5);
                }
            });
        }
    });
    let found = events(&mut redis.connect(""))
        .into_values()
        .map(|events| events.len());
    assert_eq!(found.sum::<usize>(), threads * each * 5);
    let log = edge.process.log();
    assert!(!log.to_lowercase().contains("error"), "{log}");
}
