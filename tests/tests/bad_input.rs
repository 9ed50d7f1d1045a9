//! The table of bad input, and of the good input beside it: one documented answer a row,
//! the same from the native intake and from the Worker.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "bad_input/contract.rs"]
mod contract;
#[path = "bad_input/extremes.rs"]
mod extremes;
#[path = "bad_input/formats.rs"]
mod formats;
#[path = "bad_input/geometry.rs"]
mod geometry;
#[path = "bad_input/head.rs"]
mod head;
#[path = "bad_input/proof.rs"]
mod proof;
#[path = "bad_input/row.rs"]
mod row;
#[path = "bad_input/text.rs"]
mod text;

use hexlane_servers::free_port;
use hexlane_servers::redis::Server;
use hexlane_tests::consumer::{Consumer, check_file};
use hexlane_tests::dev::Dev;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request, Response, Slow};
use hexlane_tests::relay::{Mode, Relay};
use hexlane_tests::settings;
use hexlane_tests::streams::entries;
use hexlane_tests::wait;
use row::{EVENTS, Row, point};
use std::time::Duration;
use toml::{Table, Value};

const DRAIN_LIMIT: Duration = Duration::from_secs(30);

/// Bodies are far below what routes carry, or far above.
const MESSAGE_BYTES_MAX: usize = 100_000;

/// Headers that a sender may act on.
const HEADERS: [&str; 7] = [
    "accept-encoding",
    "accept-post",
    "allow",
    "cache-control",
    "content-type",
    "retry-after",
    "www-authenticate",
];

fn table() -> Vec<Row> {
    let mut rows = text::rows();
    rows.extend(geometry::rows());
    rows.extend(extremes::rows());
    rows.extend(contract::rows());
    rows.extend(formats::rows());
    rows.extend(head::rows());
    rows.extend(proof::rows());
    rows
}

/// Both front ends, each with a consumer of its own behind it.
struct Fronts {
    native: Consumer,
    behind: Consumer,
    relay: Relay,
    edge: Edge,
}

impl Fronts {
    fn start() -> Self {
        Self::start_for(&settings::door())
    }

    fn start_for(door: &Table) -> Self {
        let (native, behind) = (Consumer::start_with(door), Consumer::start_with(door));
        let relay = Relay::to(behind.port);
        let edge = Edge::start_for(relay.port, door.clone());
        Self {
            native,
            behind,
            relay,
            edge,
        }
    }

    /// The answers of the native intake and of the Worker.
    fn ask(&self, request: &Request) -> [Result<Response, String>; 2] {
        [self.native.port, self.edge.port]
            .map(|port| http::send(port, request).map_err(|error| format!("no answer: {error}")))
    }
}

/// What a sender sees of an answer.
fn seen(answer: &Response) -> (u16, Vec<Option<&str>>, &[u8]) {
    (
        answer.status,
        HEADERS.map(|name| answer.header(name)).to_vec(),
        &answer.body,
    )
}

/// What is wrong with the two answers to a row.
fn faults(row: &Row, answers: &[Result<Response, String>; 2]) -> Vec<String> {
    let mut faults = Vec::new();
    for (front, answer) in ["native intake", "Worker"].iter().zip(answers) {
        let judged = answer
            .as_ref()
            .map_err(Clone::clone)
            .and_then(|answer| row.judge(answer));
        faults.extend(
            judged
                .err()
                .map(|fault| format!("{}, {front}: {fault}", row.name)),
        );
    }
    if let [Ok(native), Ok(worker)] = answers
        && seen(native) != seen(worker)
    {
        let told = |answer: &Response| format!("{:?} {}", seen(answer).1, answer.text());
        let (native, worker) = (told(native), told(worker));
        faults.push(format!(
            "{} differs:\n  native {native}\n  Worker {worker}",
            row.name
        ));
    }
    faults
}

#[test]
fn every_row_gets_its_documented_answer_with_the_same_bytes_from_both_front_ends() {
    let fronts = Fronts::start();
    let rows = table();
    let faults: Vec<String> = rows
        .iter()
        .flat_map(|row| faults(row, &fronts.ask(&row.request)))
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} rows:\n{}",
        faults.len(),
        rows.len(),
        faults.join("\n")
    );
    eprintln!(
        "{} rows, each alike from the native intake and from workerd",
        rows.len()
    );
}

#[test]
fn what_is_refused_is_never_enqueued_and_what_is_accepted_is_enqueued_once() {
    let fronts = Fronts::start();
    let mut accepted = 0;
    for row in table() {
        let before = fronts.relay.requests();
        let enqueued = row
            .results
            .iter()
            .filter(|status| **status == "accepted")
            .count();
        let answers = fronts.ask(&row.request);
        assert!(
            answers
                .iter()
                .flatten()
                .all(|answer| answer.status == row.status),
            "{}",
            row.name
        );
        let relayed = fronts.relay.requests() - before;
        assert!(
            row.status == 202 || relayed == 0,
            "{} was relayed",
            row.name
        );
        assert!(
            enqueued == 0 || relayed == 1,
            "{} was relayed {relayed} times",
            row.name
        );
        accepted += enqueued as u64;
    }
    for consumer in [&fronts.native, &fronts.behind] {
        let status = consumer.drained(DRAIN_LIMIT);
        let new = consumer.metric("hexlane_queue_events_enqueued_total", "result=\"new\"");
        let settled = status["settled"].as_object().expect("outcomes by name");
        let settled: u64 = settled.values().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!((new, settled), (accepted, accepted), "{status}");
        assert_eq!(status["dead_letters"], serde_json::json!([]), "{status}");
    }
}

/// What a row gets where an event over the limit of the route has no bucket to go to.
fn without_a_bucket(mut row: Row) -> Row {
    if row.status == 202 && row.request.body.len() > MESSAGE_BYTES_MAX {
        row = Row::refused_request(row.name, 413, "limit.envelope_bytes", row.request);
    }
    row
}

/// How many events of a row are new to a queue.
fn new_events(row: &Row) -> u64 {
    let accepted = row.results.iter().filter(|status| **status == "accepted");
    accepted.count() as u64
}

#[test]
fn every_row_gets_its_documented_answer_on_the_routes_to_brokers_and_none_refused_gets_there() {
    let queue = Relay::to(free_port());
    queue.set(Mode::confirm());
    let server = Server::start_and(&["--appendfsync", "no"]);
    let mut connection = server.connect("");
    let by_queue = Edge::start_on_queue(queue.port);
    let by_redis = Edge::start_on_redis(&format!("redis://{}", server.address()));
    let mut faults = Vec::new();
    let rows: Vec<Row> = table().into_iter().map(without_a_bucket).collect();
    for row in &rows {
        let enqueued = new_events(row);
        let before = (queue.requests(), entries(&mut connection));
        for (route, edge) in [("queue", &by_queue), ("redis", &by_redis)] {
            let answer = http::send(edge.port, &row.request).map_err(|error| error.to_string());
            let judged = answer.and_then(|answer| row.judge(&answer));
            faults.extend(
                judged
                    .err()
                    .map(|fault| format!("{}, {route}: {fault}", row.name)),
            );
        }
        let after = (queue.requests(), entries(&mut connection));
        let arrived = (after.0 - before.0, after.1 - before.1);
        if arrived != (u64::from(enqueued > 0), enqueued) {
            faults.push(format!("{}: calls and entries {arrived:?}", row.name));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    eprintln!("{} rows by route queue and by route redis", rows.len());
}

/// Sends of what is refused until the Worker's own answer comes through.
const SENDS_MAX: usize = 20;

/// The Worker's answer to a row. wrangler's proxy now and then loses the connection to a
/// Worker that answers before it has the whole body, and says so itself; what is refused has
/// no effect and is sent again then.
fn answer(dev: &Dev, row: &Row) -> Response {
    let is_of_wrangler = |answer: &Response| {
        answer.status == 500 && answer.text().contains("Network connection lost")
    };
    let sends = if new_events(row) == 0 { SENDS_MAX } else { 1 };
    let mut answers = (0..sends).map(|_| dev.send(&row.request));
    let mut last = answers.next().expect("it is sent");
    while is_of_wrangler(&last) {
        let Some(next) = answers.next() else { break };
        last = next;
    }
    last
}

#[test]
fn slow_what_is_refused_is_in_no_queue_and_no_bucket_and_what_is_accepted_takes_effect() {
    let consumer = Consumer::start();
    let dev = Dev::start_with(consumer.port, settings::door());
    let (mut faults, mut accepted) = (Vec::new(), 0);
    for row in table() {
        let calls = || dev.seen()["sends"].as_u64().expect("a number");
        let before = calls();
        if let Err(fault) = row.judge(&answer(&dev, &row)) {
            faults.push(format!("{}: {fault}", row.name));
        }
        let enqueued = new_events(&row);
        if calls() - before != u64::from(enqueued > 0) {
            faults.push(format!("{}: {} calls", row.name, calls() - before));
        }
        accepted += enqueued;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    dev.await_hand_overs(accepted, DRAIN_LIMIT);
    // The last batch may be handed over and still under way to the relay.
    let settled = |status: &serde_json::Value| -> u64 {
        let ends = status["settled"].as_object().expect("outcomes by name");
        ends.values().filter_map(serde_json::Value::as_u64).sum()
    };
    let status = wait::until("an end of each event", DRAIN_LIMIT, || {
        Some(consumer.drained(DRAIN_LIMIT)).filter(|status| settled(status) >= accepted)
    });
    assert_eq!(settled(&status), accepted, "{status}");
    assert_eq!(status["dead_letters"], serde_json::json!([]), "{status}");
    assert_eq!(dev.seen()["handed"], accepted, "{status}");
    assert_eq!(dev.objects(), []);
}

#[test]
fn a_slow_good_request_in_flight_outlives_the_whole_table() {
    let fronts = Fronts::start();
    let (native, worker) = (fronts.native.port, fronts.edge.port);
    let note = format!(r#"{{"note":"{}"}}"#, "x".repeat(4_000));
    let request = |id: &str| Request::post(EVENTS, point(id, "[5,6]").replace("{}", &note));
    let mut slow = [
        (native, request("slow")),
        (native, request("slow-chunked").chunked(100)),
        (worker, request("slow")),
        (worker, request("slow-chunked").chunked(100)),
    ]
    .map(|(port, request)| Slow::begin(port, &request).expect("it listens"));
    for row in table() {
        for request in &mut slow {
            request
                .go_on(20)
                .unwrap_or_else(|error| panic!("cut by `{}`: {error}", row.name));
        }
        for answer in fronts.ask(&row.request) {
            answer.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        }
    }
    for request in slow {
        let answer = request.finish().expect("an answer");
        assert_eq!(answer.status, 202, "{}", answer.text());
    }
}

#[test]
fn a_key_reused_with_another_body_is_refused_and_with_the_same_body_is_a_duplicate() {
    let fronts = Fronts::start();
    let keyed = |place: &str| {
        Request::post(EVENTS, point("keyed", place)).with("idempotency-key", "one key")
    };
    let sent = |request: &Request| {
        let [native, worker] = fronts.ask(request).map(|answer| answer.expect("an answer"));
        assert_eq!(
            seen(&native),
            seen(&worker),
            "{} and {}",
            native.text(),
            worker.text()
        );
        native
    };
    let first = sent(&keyed("[1,2]"));
    assert_eq!(
        first.json()["results"][0]["status"],
        "accepted",
        "{}",
        first.text()
    );
    for round in ["while it waits or is applied", "once it is applied"] {
        let other = sent(&keyed("[3,4]"));
        assert_eq!(other.status, 422, "{round}: {}", other.text());
        assert_eq!(
            other.json()["code"],
            "idempotency.key_reused",
            "{}",
            other.text()
        );
        assert_eq!(other.json()["errors"][0]["feature"], 0, "{}", other.text());
        let again = sent(&keyed("[1,2]"));
        assert_eq!(
            again.json()["results"][0]["status"],
            "duplicate",
            "{round}: {}",
            again.text()
        );
        for consumer in [&fronts.native, &fronts.behind] {
            let settled = &consumer.drained(DRAIN_LIMIT)["settled"];
            assert_eq!(settled["applied"], 1, "{round}: {settled}");
        }
    }
}

#[test]
fn a_time_far_in_the_future_is_refused_by_both_front_ends() {
    let fronts = Fronts::start();
    let body = point("future", "[1,2]").replace("{}", r#"{"observed_at":"2999-01-01T00:00:00Z"}"#);
    for answer in fronts.ask(&Request::post(EVENTS, body)) {
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert_eq!(
            answer.json()["code"],
            "schema.time_in_future",
            "{}",
            answer.text()
        );
        assert_eq!(
            answer.json()["errors"][0]["pointer"],
            "/properties/observed_at"
        );
    }
}

#[test]
fn a_body_that_is_cut_is_never_enqueued_even_where_what_came_is_whole() {
    let fronts = Fronts::start();
    for port in [fronts.native.port, fronts.edge.port] {
        let body = point("cut", "[1,2]");
        let whole = Request::post(EVENTS, body.as_str());
        // One byte short of its length; then whole, but for the chunk that ends it.
        for (request, last) in [
            (whole.clone(), 1),
            (whole.chunked(10_000), "0\r\n\r\n".len()),
        ] {
            let mut cut = Slow::begin(port, &request).expect("it listens");
            cut.all_but(last).expect("it reads");
            drop(cut);
        }
        let after =
            http::send(port, &Request::post(EVENTS, point("after", "[1,2]"))).expect("an answer");
        assert_eq!(after.status, 202, "{}", after.text());
    }
    for consumer in [&fronts.native, &fronts.behind] {
        let status = consumer.drained(DRAIN_LIMIT);
        assert_eq!(status["settled"]["applied"], 1, "{status}");
    }
}

/// A door with room for the bytes judges the rest as ever: both front ends give the row's answer,
/// in the same bytes, and go on.
fn judged_where_there_is_room(body_bytes_max: u64, row: &Row) {
    let mut door = settings::door_for(body_bytes_max);
    let limits = door.get_mut("limits").and_then(Value::as_table_mut);
    let vertices_max = i64::try_from(VERTICES / 10).expect("a small number");
    let limits = limits.expect("limits of the tests");
    limits.insert("vertices_max".to_owned(), vertices_max.into());
    let fronts = Fronts::start_for(&door);
    let faults = faults(row, &fronts.ask(&row.request));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for answer in fronts.ask(&Request::post(EVENTS, point("behind it", "[1,2]"))) {
        assert_eq!(answer.expect("an answer").status, 202);
    }
}

/// In 60 MB of one line: far over every cap of the door, and nothing to `hexlane check`.
const VERTICES: usize = 10_000_000;

/// Both front ends refuse it for its size, however it is sent, and go on.
fn too_large_for_the_door(body: &str) {
    let fronts = Fronts::start();
    let whole = Request::post(EVENTS, body);
    for request in [whole.clone(), whole.chunked(1 << 20)] {
        for answer in fronts.ask(&request) {
            let answer = answer.expect("an answer");
            assert_eq!(answer.status, 413, "{}", answer.text());
            assert_eq!(answer.json()["code"], "limit.bytes", "{}", answer.text());
        }
    }
    for answer in fronts.ask(&Request::post(EVENTS, point("behind it", "[1,2]"))) {
        assert_eq!(answer.expect("an answer").status, 202);
    }
}

#[test]
fn slow_a_line_of_ten_million_vertices_is_too_much_for_the_door_and_valid_in_a_file() {
    let mut positions = "[1,2],".repeat(VERTICES - 1);
    positions.push_str("[3,4]");
    let geometry = format!(r#"{{"type":"LineString","coordinates":[{positions}]}}"#);
    let body = row::feature("long", &geometry);
    too_large_for_the_door(&body);
    let row = Row::refused("a long line", 413, "limit.vertices", body.as_str());
    judged_where_there_is_room(64 << 20, &row);
    valid_in_a_file(&body);
}

#[test]
fn collections_nested_100_000_deep_are_too_large_for_the_door_and_too_deep_in_a_file() {
    let body = extremes::nested_collections(100_000);
    too_large_for_the_door(&body);
    let row = Row::refused("collections", 413, "limit.depth", body.as_str());
    judged_where_there_is_room(8 << 20, &row);
    let (exit, lines) = checked(&body);
    assert_eq!(exit, Some(2), "the file cannot be read: {lines:#?}");
    assert!(
        lines
            .iter()
            .any(|line| line["violations"][0]["code"] == "limit.depth"),
        "{lines:#?}"
    );
}

#[test]
fn forty_thousand_holes_are_valid_at_a_door_with_room_and_in_a_file() {
    let hole = |x: u32, y: u32| {
        let [x, y] = [x, y].map(|at| f64::from(at) * 0.4);
        format!(
            "[[{x},{y}],[{x},{0}],[{1},{0}],[{x},{y}]]",
            y + 0.25,
            x + 0.25
        )
    };
    let holes = (0..40_000).map(|number| hole(number % 200, number / 200));
    let shell = "[[-1,-1],[90,-1],[90,90],[-1,90],[-1,-1]]".to_owned();
    let rings: Vec<String> = std::iter::once(shell).chain(holes).collect();
    let body = row::polygon("holes", &format!("[{}]", rings.join(",")));
    judged_where_there_is_room(8 << 20, &Row::accepted("holes", body.as_str()));
    valid_in_a_file(&body);
}

/// What `hexlane check` says of a file that holds just this.
fn checked(body: &str) -> (Option<i32>, Vec<serde_json::Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("one.geojson");
    std::fs::write(&file, body).expect("room on the disk");
    check_file(&file)
}

fn valid_in_a_file(body: &str) {
    let (exit, lines) = checked(body);
    assert_eq!((exit, lines.len()), (Some(0), 1), "{lines:#?}");
    assert_eq!(lines[0]["valid"], true, "{}", lines[0]);
}
