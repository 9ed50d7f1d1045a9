//! `hexlane run` on its embedded default: from a request to the map, through stops and kills.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy knows the functions of a test, and not what they stand on"
)]

mod support;

use hexlane_core::envelope::Kind;
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_door::{Decision, DoorSettings, Head, relay};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use support::process::{Running, read_answer};
use support::{BOWTIE, POINT, err, hexlane, json_lines, until, with_stdin};
use tempfile::tempdir;

const DEMO: &str = "/v1/events/demo";

fn points(count: usize) -> String {
    let feature = |n: usize| POINT.replace("van-7", &format!("van-{n}"));
    (0..count).map(feature).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_event_is_applied_its_repeat_is_a_duplicate_and_a_stop_leaves_whole_files() {
    let folder = tempdir().unwrap();
    let mut running = Running::start(folder.path());
    assert_eq!(running.ask("GET", "/livez", "").0, 200);
    assert_eq!(
        running.ask("GET", "/readyz", ""),
        (200, r#"{"paused":{},"ready":true}"#.to_owned())
    );
    assert_eq!(running.ask("POST", DEMO, POINT).0, 202);
    running.until_settled("applied", 1);
    let (status, body) = running.ask("POST", DEMO, POINT);
    assert!(status == 202 && body.contains("\"duplicates\":1"), "{body}");
    running.until_settled("duplicate", 1);
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(0));
    let mut files: Vec<_> = std::fs::read_dir(folder.path().join("hexlane-data"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["hexlane.lock", "map.gpkg", "queue.db"]);
    assert_eq!(status_of_folder(folder.path())["waiting"], 0);
}

/// Features as the USGS feeds have them.
fn quakes(count: usize) -> String {
    let quake = |n: usize| {
        let point = r#""geometry":{"type":"Point","coordinates":[-116.5,33.5,8.1]}"#;
        let updated = 1_790_000_000_000_u64 + n as u64;
        format!(r#"{{"type":"Feature","id":"ci{n}",{point},"properties":{{"updated":{updated}}}}}"#)
    };
    let features = (0..count).map(quake).collect::<Vec<_>>().join(",");
    format!(r#"{{"type":"FeatureCollection","features":[{features}]}}"#)
}

/// What `hexlane status --data` says of the folder.
fn status_of_folder(folder: &Path) -> serde_json::Value {
    let output = hexlane(folder)
        .args(["status", "--data", "hexlane-data", "--output", "json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    json_lines(&output)[0].clone()
}

#[test]
fn counts_outlive_kills_and_the_folder_tells_them_running_and_stopped() {
    const EVENTS: u64 = 300;
    let folder = tempdir().unwrap();
    let batch = quakes(300);
    let send = |running: &Running| running.ask("POST", "/v1/events/earthquakes", &batch);
    let settled = |applied: u64, duplicate: u64| serde_json::json!({"applied": applied, "stale": 0, "duplicate": duplicate, "dead": 0});
    let drained = |running: &Running| {
        until("an empty queue", || running.status()["waiting"] == 0);
        running.status()
    };
    let mut running = Running::start(folder.path());
    assert_eq!(send(&running).0, 202);
    assert_eq!(drained(&running)["settled"], settled(EVENTS, 0));
    assert_eq!(status_of_folder(folder.path()), running.status());
    running.signal("KILL");
    running.wait();
    assert_eq!(
        status_of_folder(folder.path())["settled"],
        settled(EVENTS, 0)
    );
    let mut running = Running::start(folder.path());
    assert_eq!(running.status()["settled"], settled(EVENTS, 0));
    assert_eq!(send(&running).0, 202);
    let told = drained(&running);
    assert_eq!(told["settled"], settled(EVENTS, EVENTS));
    running.signal("TERM");
    assert_eq!(running.wait().code(), Some(0));
    assert_eq!(status_of_folder(folder.path()), told);
}

#[test]
fn the_status_of_a_folder_that_is_not_there_says_so_and_makes_none() {
    let folder = tempdir().unwrap();
    let output = hexlane(folder.path())
        .args(["status", "--data", "absent"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("absent is not there"),
        "{}",
        err(&output)
    );
    assert!(!folder.path().join("absent").exists());
}

#[test]
fn the_default_log_tells_of_the_process_and_not_of_each_shard() {
    let folder = tempdir().unwrap();
    let running = Running::start(folder.path());
    assert_eq!(running.ask("POST", DEMO, POINT).0, 202);
    running.until_settled("applied", 1);
    running.signal("TERM");
    let log = running.log();
    let messages = log.iter().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["message"].as_str().unwrap().to_owned()
    });
    let expected = ["ready", "stopping; a second signal ends at once", "stopped"];
    assert_eq!(messages.collect::<Vec<_>>(), expected);
}

/// A batch of the relay with one event that the door kept for poison.
fn quarantined() -> relay::Parcel {
    let mut settings = DoorSettings::default();
    let source = SourceSettings::new(AuthSettings::None);
    settings.sources.insert("demo".to_owned(), source);
    let door = settings.resolve(|_| None).unwrap();
    let head = Head::new("POST", DEMO).with("content-type", "application/geo+json");
    let Decision::Enqueue(enqueue) = door.open(&head).unwrap().judge(POINT.as_bytes(), 0) else {
        panic!("a good point is enqueued");
    };
    let mut envelope = enqueue.envelopes().next().unwrap().clone();
    envelope.kind = Kind::Quarantined;
    relay::pack(std::iter::once(&envelope), None, 0)
}

#[test]
fn a_dead_letter_and_a_lease_stand_once_in_the_log() {
    let folder = tempdir().unwrap();
    let mut command = hexlane(folder.path());
    command.args(["run", "--listen", "127.0.0.1:0"]);
    let running = Running::of(command.env("HEXLANE_LOG", "debug"));
    let parcel = quarantined();
    let mut stream = TcpStream::connect(&running.address).unwrap();
    let head = running.head("POST", relay::PATH, parcel.body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&parcel.body).unwrap();
    assert_eq!(read_answer(stream).0, 200);
    running.until_settled("dead", 1);
    running.signal("TERM");
    let log = running.log();
    let lines: Vec<serde_json::Value> = log
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count =
        |holds: fn(&serde_json::Value) -> bool| lines.iter().filter(|line| holds(line)).count();
    let is_dead_letter =
        |line: &serde_json::Value| line["message"].as_str().unwrap().contains("dead letter");
    assert_eq!(count(is_dead_letter), 1, "{log:#?}");
    assert_eq!(count(|line| line["epoch"] == 1), 64, "{log:#?}");
    assert_eq!(count(|line| line["message"] == "shard released"), 64);
}

#[test]
fn refusals_are_counted_and_nothing_of_them_waits() {
    let folder = tempdir().unwrap();
    let running = Running::start(folder.path());
    assert_eq!(running.ask("POST", DEMO, BOWTIE).0, 422);
    assert_eq!(running.ask("POST", DEMO, "{").0, 400);
    assert_eq!(running.ask("GET", DEMO, "").0, 405);
    assert_eq!(running.ask("POST", "/v1/events/nobody", POINT).0, 404);
    assert_eq!(running.status()["waiting"], 0);
    let (_, metrics) = running.ask("GET", "/metrics", "");
    for line in [
        r#"hexlane_intake_requests_answered_total{status="422",code="geometry.self_intersection"} 1"#,
        r#"hexlane_intake_requests_answered_total{status="405",code="method.not_allowed"} 1"#,
        r#"hexlane_intake_violations_found_total{code="parse.syntax"} 1"#,
        r#"hexlane_delivery_events_settled_total{outcome="applied"} 0"#,
    ] {
        assert!(
            metrics.lines().any(|each| each == line),
            "{line}\n{metrics}"
        );
    }
}

#[test]
fn invariant_34_a_request_in_flight_ends_well_in_a_graceful_stop() {
    let folder = tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let mut stream = TcpStream::connect(&running.address).unwrap();
    let (first, rest) = POINT.split_at(20);
    let head = running.head("POST", DEMO, POINT.len());
    stream
        .write_all(format!("{head}{first}").as_bytes())
        .unwrap();
    // Another request answered means that the first one was accepted before it.
    assert_eq!(running.ask("GET", "/livez", "").0, 200);
    running.signal("TERM");
    running.until_deaf();
    stream.write_all(rest.as_bytes()).unwrap();
    assert_eq!(read_answer(stream).0, 202);
    assert_eq!(running.wait().code(), Some(0));
    let again = Running::start(folder.path());
    again.until_settled("applied", 1);
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempdir().unwrap();
    let mut running = Running::start(folder.path());
    let mut stream = TcpStream::connect(&running.address).unwrap();
    let head = running.head("POST", DEMO, POINT.len());
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(running.ask("GET", "/livez", "").0, 200);
    running.signal("INT");
    running.until_deaf();
    running.signal("INT");
    assert_eq!(running.wait().code(), Some(130));
}

#[test]
fn invariant_35_after_a_kill_everything_that_was_accepted_has_one_effect() {
    const EVENTS: usize = 400;
    let folder = tempdir().unwrap();
    let lines = points(EVENTS);
    let send = |running: &Running| {
        let to = format!("http://{}{DEMO}", running.address);
        let mut command = hexlane(folder.path());
        command.args([
            "send", "-", "--batch", "50", "--output", "json", "--to", &to,
        ]);
        json_lines(&with_stdin(&mut command, &lines))[0].clone()
    };
    let mut running = Running::start(folder.path());
    assert_eq!(send(&running)["accepted"], EVENTS);
    running.signal("KILL");
    running.wait();
    let running = Running::start(folder.path());
    until("an empty queue", || running.status()["waiting"] == 0);
    let before = running.status()["settled"]["duplicate"].as_u64().unwrap();
    assert_eq!(running.status()["settled"]["applied"], EVENTS);
    let summary = send(&running);
    assert_eq!(
        (&summary["accepted"], &summary["duplicates"]),
        (&EVENTS.into(), &EVENTS.into())
    );
    running.until_settled("duplicate", before + EVENTS as u64);
    assert_eq!(running.status()["settled"]["applied"], EVENTS);
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let folder = tempdir().unwrap();
    let _running = Running::start(folder.path());
    let second = hexlane(folder.path())
        .args(["run", "--listen", "127.0.0.1:0"])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(2));
}

#[test]
fn a_control_byte_in_a_header_is_refused_below_the_door() {
    let folder = tempdir().unwrap();
    let running = Running::start(folder.path());
    for key in ["a\u{7f}b", "a\u{1}b"] {
        let head = running.head("POST", DEMO, POINT.len());
        let head = head.replace("\r\n\r\n", &format!("\r\nidempotency-key: {key}\r\n\r\n"));
        let mut stream = TcpStream::connect(&running.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(read_answer(stream), (400, String::new()), "{key:?}");
    }
    assert_eq!(running.ask("POST", DEMO, POINT).0, 202);
}

#[test]
fn a_body_over_the_cap_is_answered_with_and_without_a_length() {
    let folder = tempdir().unwrap();
    let running = Running::start(folder.path());
    let large = " ".repeat(9 << 20);
    let (status, body) = running.ask("POST", DEMO, &large);
    assert_eq!(status, 413, "{body}");
    let mut stream = TcpStream::connect(&running.address).unwrap();
    let head = running.head("POST", DEMO, 0);
    let head = head.replace("content-length: 0", "transfer-encoding: chunked");
    stream.write_all(head.as_bytes()).unwrap();
    write!(stream, "{:x}\r\n{large}\r\n0\r\n\r\n", large.len()).unwrap();
    let (status, body) = read_answer(stream);
    assert_eq!(status, 413, "{body}");
}

#[test]
fn a_lease_shorter_than_a_call_is_refused_before_anything_is_bound_or_opened() {
    let folder = tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let lease = "sqlite.lease_ms=1000";
    let mut command = hexlane(folder.path());
    command.args(["run", "--listen", &address, "--set", lease]);
    let output = command.output().unwrap();
    let told = "hexlane: flag --set sqlite.lease_ms: a lease of 1000 ms is too short for store calls of up to 5000 ms\n";
    assert_eq!(
        (output.status.code(), err(&output).as_str()),
        (Some(1), told)
    );
    assert!(!folder.path().join("hexlane-data").exists());
}
