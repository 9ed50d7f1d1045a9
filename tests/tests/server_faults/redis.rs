//! Redis is the queue: without it nothing can be taken.

use crate::deployment::{Deployment, LIMIT};
use hexlane_servers::redis::{ALWAYS, Server};
use hexlane_tests::flood::{batch, deliver};
use hexlane_tests::wait;
use redis::FromRedisValue;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// A command of an operator who knows the password.
fn ask_with<T: FromRedisValue>(server: &Server, password: &str, words: &[&str]) -> T {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    let mut connection = server.connect(&format!(":{password}@"));
    command.query(&mut connection).expect("an answer")
}

#[test]
fn slow_redis_away_at_the_start_is_waited_for_and_intake_says_503() {
    let mut deployment = Deployment::prepared(Server::start(), &[]);
    deployment.redis.kill();
    deployment.consumer.begin_restart();
    deployment.unready("queue", "store.unavailable");
    deployment.refuses_every_time();
    deployment.status_names("503");
    deployment.told_once("WARN", &["the queue in Redis", "refused", "waiting for it"]);
    deployment.redis.start_again();
    deployment.consumer.await_ready();
    deployment.drains();
}

#[test]
fn slow_a_stop_while_redis_is_waited_for_is_heard() {
    let mut deployment = Deployment::prepared(Server::start(), &[]);
    deployment.redis.kill();
    deployment.consumer.begin_restart();
    deployment.unready("queue", "store.unavailable");
    deployment.consumer.stop();
}

#[test]
fn slow_redis_away_in_the_middle_is_503_and_everything_answered_lands_once() {
    let mut deployment = Deployment::start();
    deployment.take(200);
    deployment.redis.kill();
    deployment.refuses_every_time();
    deployment.unready("queue", "store.unavailable");
    deployment.status_names("queue");
    deployment.told_once(
        "WARN",
        &[
            "the queue is away",
            "goes on by itself",
            "store.unavailable",
        ],
    );
    deployment.redis.start_again();
    deployment.drains();
}

#[test]
fn slow_redis_that_restarts_again_and_again_under_load_loses_and_doubles_nothing() {
    const BATCHES: u64 = 60;
    let mut deployment = Deployment::start();
    deployment.repeated(4);
    let (port, taken) = (deployment.consumer.port, AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..BATCHES {
                let request = batch(100_000 + number * 10, 10);
                assert_eq!(deliver(port, &request, LIMIT).status, 202);
                taken.fetch_add(1, Ordering::AcqRel);
            }
        });
        for crash in 1..=4 {
            wait::until("batches taken", LIMIT, || {
                (taken.load(Ordering::Acquire) >= crash * BATCHES / 5).then_some(())
            });
            deployment.redis.crash();
        }
    });
    deployment.sent_besides(BATCHES * 10);
    deployment.drains();
}

#[test]
fn slow_redis_that_becomes_a_replica_takes_nothing_until_it_is_a_master_again() {
    // One that lets nobody follow it: the data of the other stays.
    let master = Server::start_and(&["--requirepass", "nobody"]);
    let mut deployment = Deployment::start();
    deployment.take(100);
    let port = master.port().to_string();
    let _: () = deployment.redis.ask(&["REPLICAOF", "127.0.0.1", &port]);
    deployment.refuses_every_time();
    deployment.unready("queue", "store.read_only");
    deployment.told_once("ERROR", &["the queue takes no events", "operator"]);
    deployment.told_once("ERROR", &["alert", "the queue does not work"]);
    let _: () = deployment.redis.ask(&["REPLICAOF", "NO", "ONE"]);
    deployment.drains();
}

#[test]
fn slow_a_replica_at_the_start_is_refused_with_a_sentence() {
    let master = Server::start();
    let port = master.port().to_string();
    let replica = Server::start_and(&["--replicaof", "127.0.0.1", &port]);
    let mut deployment = Deployment::prepared(replica, &[]);
    deployment.consumer.begin_restart();
    assert_eq!(deployment.consumer.ended().code(), Some(2));
    deployment.told_once("ERROR", &["the queue in Redis", "replica"]);
}

#[test]
fn slow_redis_out_of_memory_is_503_while_what_waits_is_drained() {
    let mut deployment = Deployment::start();
    deployment.map_sql("ALTER TABLE hexlane.features RENAME TO mislaid");
    deployment.take(200);
    deployment.waits_for("sink");
    let limit = |bytes: &str| ["CONFIG", "SET", "maxmemory", bytes].map(str::to_owned);
    let set = |words: [String; 4]| {
        let words = words.each_ref().map(String::as_str);
        let _: () = deployment.redis.ask(&words);
    };
    set(limit("1mb"));
    deployment.refuses_every_time();
    deployment.unready("queue", "store.disk_full");
    deployment.map_sql("ALTER TABLE hexlane.mislaid RENAME TO features");
    wait::until("all of it applied", LIMIT, || {
        let waiting = deployment.consumer.drained(LIMIT);
        (waiting["settled"]["applied"] == 200).then_some(())
    });
    deployment.unready("queue", "store.disk_full");
    deployment.told_once("WARN", &["the queue takes no events", "maxmemory"]);
    set(limit("0"));
    deployment.drains();
}

#[test]
fn slow_a_restart_over_a_redis_that_is_full_drains_it() {
    let mut deployment = Deployment::start();
    deployment.map_sql("ALTER TABLE hexlane.features RENAME TO mislaid");
    deployment.take(200);
    deployment.consumer.kill();
    let _: () = deployment.redis.ask(&["CONFIG", "SET", "maxmemory", "1mb"]);
    deployment.map_sql("ALTER TABLE hexlane.mislaid RENAME TO features");
    deployment.consumer.begin_restart();
    deployment.unready("queue", "store.disk_full");
    let status = deployment.consumer.drained(LIMIT);
    assert_eq!(status["settled"]["applied"], 200, "{status}");
    let _: () = deployment.redis.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    deployment.drains();
}

#[test]
fn slow_a_wrong_password_at_the_start_is_told_and_the_process_ends() {
    let guarded = [&ALWAYS[..], &["--requirepass", "right-password"]].concat();
    for (given, answer) in [("wrong-password", "WRONGPASS"), ("", "NOAUTH")] {
        let variables = [("HEXLANE_REDIS_PASSWORD", given)];
        let variables = if given.is_empty() {
            &[][..]
        } else {
            &variables[..]
        };
        let mut deployment = Deployment::prepared(Server::start_with(&guarded), variables);
        deployment.consumer.begin_restart();
        assert_eq!(deployment.consumer.ended().code(), Some(2), "{answer}");
        deployment.told_once("ERROR", &["the queue in Redis", "not started"]);
    }
}

#[test]
fn slow_a_password_that_is_changed_in_the_middle_is_told_and_found_right_again() {
    let mut deployment = Deployment::start();
    deployment.take(100);
    let server = &deployment.redis;
    let _: () = server.ask(&["CONFIG", "SET", "requirepass", "right-password"]);
    // Who is in stays in until the connection ends.
    let _: i64 = ask_with(
        server,
        "right-password",
        &["CLIENT", "KILL", "TYPE", "normal"],
    );
    deployment.refuses_every_time();
    deployment.unready("queue", "store.settings");
    deployment.told_once("ERROR", &["the queue takes no events", "NOAUTH"]);
    let _: () = ask_with(
        &deployment.redis,
        "right-password",
        &["CONFIG", "SET", "requirepass", ""],
    );
    deployment.drains();
}
