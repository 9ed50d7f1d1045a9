//! A source that keeps what it refuses: 202 with the report from both front ends, the body
//! byte for byte among the dead letters, and nothing of it on the map.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_core::digest::hex;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request, Response};
use hexlane_tests::{geopackage, settings};
use serde_json::{Value, json};
use std::time::Duration;

const DRAIN_LIMIT: Duration = Duration::from_secs(30);
const BOWTIE: &str = r#"{"type":"Feature","id":"bowtie","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]},"properties":{}}"#;

/// Both front ends, each with a consumer of its own behind it.
struct Fronts {
    native: Consumer,
    behind: Consumer,
    edge: Edge,
}

impl Fronts {
    fn start() -> Self {
        let (native, behind) = (Consumer::start(), Consumer::start());
        let edge = Edge::start(behind.port);
        Self {
            native,
            behind,
            edge,
        }
    }

    /// The answer, which is the same from both.
    fn ask(&self, request: &Request) -> Response {
        let [native, worker] = [self.native.port, self.edge.port]
            .map(|port| http::send(port, request).expect("an answer"));
        assert_eq!(
            (native.status, native.text()),
            (worker.status, worker.text())
        );
        native
    }

    fn drained(&self, expected: &Value) {
        for consumer in [&self.native, &self.behind] {
            let status = consumer.drained(DRAIN_LIMIT);
            assert_eq!(&status["settled"], expected, "{status}");
        }
    }

    /// What both maps say to a query, once stopped.
    fn stopped(mut self, sql: &str) -> Vec<Value> {
        self.native.stop();
        self.behind.stop();
        let [native, behind] = [&self.native, &self.behind]
            .map(|consumer| geopackage::query(&consumer.geopackage(), sql));
        assert_eq!(native, behind);
        native
    }
}

fn settled(applied: u64, duplicate: u64, dead: u64) -> Value {
    json!({"applied": applied, "dead": dead, "duplicate": duplicate, "stale": 0})
}

fn proven(body: impl Into<Vec<u8>>) -> Request {
    let token = settings::secret("TOKEN_SECRET");
    Request::post("/v1/events/keeping", body).with("authorization", format!("Bearer {token}"))
}

fn point(id: &str, place: &str) -> String {
    format!(
        r#"{{"type":"Feature","id":"{id}","geometry":{{"type":"Point","coordinates":{place}}},"properties":{{}}}}"#
    )
}

#[test]
fn a_refused_body_is_kept_as_poison_byte_for_byte_and_once() {
    let fronts = Fronts::start();
    let bodies: [&[u8]; 3] = [
        BOWTIE.as_bytes(),
        b"{ \"type\": nope",
        b"\xff\xfe no text at all",
    ];
    for body in bodies {
        let answer = fronts.ask(&proven(body));
        assert_eq!(answer.status, 202, "{}", answer.text());
        let document = answer.json();
        assert_eq!(document["accepted"], 0, "{document}");
        assert!(
            document["quarantined"]["event_id"].is_string(),
            "{document}"
        );
        assert!(document["errors"][0]["code"].is_string(), "{document}");
    }
    fronts.drained(&settled(0, 0, 3));
    // A sender that repeats it for days fills nothing.
    for _ in 0..3 {
        assert_eq!(fronts.ask(&proven(BOWTIE)).status, 202);
    }
    fronts.drained(&settled(0, 0, 6));
    let sql = "SELECT code, destination, lower(hex(raw_payload)) AS bytes FROM dead_letters ORDER BY bytes";
    let rows = fronts.stopped(sql);
    let mut expected = bodies.map(hex).to_vec();
    expected.sort();
    let text = |row: &Value, name: &str| {
        let text = row["properties"][name].as_str();
        text.expect("a text").to_owned()
    };
    let kept: Vec<String> = rows.iter().map(|row| text(row, "bytes")).collect();
    assert_eq!(kept, expected);
    assert!(rows.iter().all(|row| text(row, "destination") == "poison"));
    let mut codes: Vec<String> = rows.iter().map(|row| text(row, "code")).collect();
    codes.sort();
    assert_eq!(
        codes,
        ["geometry.self_intersection", "parse.syntax", "parse.utf8"]
    );
}

#[test]
fn leniently_the_good_land_and_the_whole_body_is_kept_beside() {
    let fronts = Fronts::start();
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{},{BOWTIE},{}]}}"#,
        point("a", "[1,2]"),
        point("b", "[3,4]")
    );
    let request = proven(body.as_str()).with("prefer", "handling=lenient");
    let answer = fronts.ask(&request);
    assert_eq!(answer.status, 202, "{}", answer.text());
    let statuses: Vec<Value> = answer.json()["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| result["status"].clone())
        .collect();
    assert_eq!(statuses, ["accepted", "quarantined", "accepted"]);
    fronts.drained(&settled(2, 0, 1));
    let rows = fronts.stopped("SELECT lower(hex(raw_payload)) AS bytes FROM dead_letters");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["properties"]["bytes"], hex(body.as_bytes()));
}

#[test]
fn what_is_over_the_budget_or_not_proven_is_refused_and_nothing_is_kept() {
    let fronts = Fronts::start();
    let large = BOWTIE.replace("{}", &format!(r#"{{"note":"{}"}}"#, "x".repeat(5_000)));
    let answer = fronts.ask(&proven(large));
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert_eq!(answer.json()["code"], "geometry.self_intersection");
    let answer = fronts.ask(&proven(BOWTIE).without("authorization"));
    assert_eq!(answer.status, 401, "{}", answer.text());
    let answer = fronts.ask(&proven(point("good", "[1,2]")));
    assert_eq!(answer.json()["accepted"], 1, "{}", answer.text());
    fronts.drained(&settled(1, 0, 0));
}
