//! 5 MB on each route, and 40 MB on that which is for it: through the bucket and the bridge
//! into PostGIS, and what it costs in memory; by the relay as it is; refused where an entry of
//! a stream has less room.

use super::front::{Front, Route};
use super::settled;
use hexlane_tests::chance::Chance;
use hexlane_tests::consumer::Consumer;
use hexlane_tests::deployment::Deployment;
use hexlane_tests::dev::Dev;
use hexlane_tests::http::Request;
use hexlane_tests::process::{peak_bytes, programs};
use hexlane_tests::settings;
use hexlane_tests::streams::entries;
use serde_json::json;
use std::f64::consts::TAU;
use std::fmt::Write as _;

const MB: u64 = 1 << 20;

/// How large, how often, and what it may cost.
struct Scale {
    bytes: usize,
    /// What the door takes.
    body_bytes_max: u64,
    /// Sent again it takes the whole way again.
    again: u64,
    /// The most that the consumer may have held at once: payload, envelope, geometry, what
    /// PostGIS is sent.
    consumer_bytes_max: u64,
    /// The same of wrangler's workerd: the Worker's isolate, the proxy before it and the
    /// simulated bucket and queue, each of which has the body too.
    workerd_bytes_max: u64,
    /// And of the Worker's wasm alone: the body, its payload in the envelope, what the reader
    /// and the judge note of it.
    wasm_bytes_max: u64,
}

/// 111 MB and 432 MB were seen, 241 of these before, and 26 of wasm.
const FIVE_MB: Scale = Scale {
    bytes: 5_000_000,
    body_bytes_max: 8 << 20,
    again: 4,
    consumer_bytes_max: 128 * MB,
    workerd_bytes_max: 512 * MB,
    wasm_bytes_max: 40 * MB,
};

/// 457 MB and 575 MB were seen, and 198 of wasm: more than the 128 that an isolate of the
/// platform has, which a body of 20 MB fills; the rest waits for a reader that keeps no body.
const FORTY_MB: Scale = Scale {
    bytes: 40_000_000,
    body_bytes_max: 48 << 20,
    again: 1,
    consumer_bytes_max: 640 * MB,
    workerd_bytes_max: 768 * MB,
    wasm_bytes_max: 256 * MB,
};

/// So many corners around a place, at distances within a range: star-shaped, so that the ring
/// crosses itself nowhere.
fn ring(chance: &mut Chance, place: [f64; 2], corners: u32, within: [f64; 2]) -> String {
    let [near, far] = within;
    let mut corner = |number: u32| {
        let share = f64::from(u32::try_from(chance.below(1_000_000)).expect("small")) / 1e6;
        let angle = TAU * f64::from(number) / f64::from(corners);
        let distance = near + (far - near) * share;
        let [x, y] = place;
        let (x, y) = (x + distance * angle.cos(), y + distance * angle.sin());
        format!("[{x:.9},{y:.9}]")
    };
    let mut corners: Vec<String> = (0..corners).map(&mut corner).collect();
    corners.push(corners[0].clone());
    format!("[{}]", corners.join(","))
}

/// Islands, each in its own square degree and with a lake.
fn multipolygon(chance: &mut Chance, bytes_min: usize) -> String {
    let mut polygons = String::new();
    let mut islands = 0_u32;
    while polygons.len() < bytes_min {
        let place = [
            f64::from(islands % 340) - 169.5,
            f64::from(islands / 340) - 69.5,
        ];
        let shore = ring(chance, place, 150, [0.25, 0.45]);
        let lake = ring(chance, place, 50, [0.05, 0.2]);
        let comma = if islands > 0 { "," } else { "" };
        let _ = write!(polygons, "{comma}[{shore},{lake}]");
        islands += 1;
    }
    format!(r#"{{"type":"MultiPolygon","coordinates":[{polygons}]}}"#)
}

fn feature(id: &str, geometry: &str) -> Request {
    let body =
        format!(r#"{{"type":"Feature","id":"{id}","geometry":{geometry},"properties":{{}}}}"#);
    Request::post("/v1/events/demo", body)
}

/// The large one stands there once, as it was sent.
fn assert_on_the_map(deployment: &Deployment, geometry: &str) {
    let equal = format!(
        "SELECT count(*) FROM hexlane.features WHERE entity = 'big' AND ST_IsValid(geom) \
         AND ST_Equals(geom, ST_GeomFromGeoJSON($geo${geometry}$geo$))"
    );
    assert_eq!(deployment.postgis.number(&equal), 1);
}

fn goes_by_the_bucket_and_the_bridge_into_postgis(scale: &Scale) {
    let mut chance = Chance::seeded();
    let deployment = Deployment::start_for(scale.body_bytes_max);
    let door = settings::door_for(scale.body_bytes_max);
    let dev = Dev::start_with(deployment.consumer.port, door);
    let accepted = |request: &Request| {
        let answer = dev.send(request);
        assert_eq!(answer.status, 202, "{}", answer.text());
    };
    accepted(&feature("small", r#"{"type":"Point","coordinates":[1,2]}"#));
    settled(&deployment.consumer, "applied", 1);
    let peaks = || {
        let workerd = programs("workerd", dev.process.id()).into_iter();
        [
            peak_bytes(deployment.consumer.process_id()),
            workerd.map(peak_bytes).sum(),
        ]
    };
    let before = peaks();

    let geometry = multipolygon(&mut chance, scale.bytes);
    let request = feature("big", &geometry);
    accepted(&request);
    settled(&deployment.consumer, "applied", 2);
    for times in 1..=scale.again {
        accepted(&request);
        let ends = settled(&deployment.consumer, "duplicate", times);
        assert_eq!(ends["applied"], 2, "sent again it has one effect: {ends}");
    }
    assert_eq!(dev.objects(), [], "objects go once the relay has the event");

    let number = |sql: &str| deployment.postgis.number(sql);
    let claims = "SELECT count(*) FROM hexlane.claims WHERE state = 'applied'";
    assert_eq!(number(claims), 2);
    assert_on_the_map(&deployment, &geometry);

    let (after, wasm) = (peaks(), dev.wasm_bytes());
    let told = |[consumer, workerd]: [u64; 2]| format!("{} and {}", consumer / MB, workerd / MB);
    eprintln!(
        "{} bytes; most MB of memory of hexlane and of workerd: {}, then {}; {} of wasm",
        request.body.len(),
        told(before),
        told(after),
        wasm / MB
    );
    let [consumer, workerd] = after;
    assert!(before.iter().all(|bytes| *bytes > 0), "{before:?}");
    assert!(consumer < scale.consumer_bytes_max, "{consumer}");
    assert!(workerd < scale.workerd_bytes_max, "{workerd}");
    assert!(wasm > 0 && wasm < scale.wasm_bytes_max, "{wasm}");
}

#[test]
fn slow_a_multipolygon_of_5_mb_goes_by_the_bucket_and_the_bridge_into_postgis() {
    goes_by_the_bucket_and_the_bridge_into_postgis(&FIVE_MB);
}

#[test]
fn slow_a_multipolygon_of_40_mb_goes_by_the_bucket_and_the_bridge_into_postgis() {
    goes_by_the_bucket_and_the_bridge_into_postgis(&FORTY_MB);
}

/// Two of its parts are in the bucket when the verdict falls.
#[test]
fn slow_what_is_stored_of_a_body_before_it_is_refused_is_taken_back() {
    const BODY_BYTES_MAX: u64 = 24 << 20;
    let consumer = Consumer::start();
    let dev = Dev::start_with(consumer.port, settings::door_for(BODY_BYTES_MAX));
    let mut chance = Chance::seeded();
    let good = multipolygon(&mut chance, 17_000_000);
    let bowtie = "[[[0,80],[1,81],[1,80],[0,81],[0,80]]]";
    let bad = good.replace(
        r#""coordinates":["#,
        &format!(r#""coordinates":[{bowtie},"#),
    );
    let request = feature("bad", &bad);
    for request in [request.clone(), request.chunked(1 << 20)] {
        let aborts = || dev.seen()["aborts"].as_u64().expect("a number");
        let before = aborts();
        let answer = dev.send(&request);
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert_eq!(answer.json()["code"], "geometry.self_intersection");
        assert_eq!(aborts(), before + 1, "the upload was begun and taken back");
    }
    // A part that fails is no fault of the sender's: it is stored once the verdict fell.
    dev.plan(&json!({"refuseParts": true}));
    let answer = dev.send(&feature("good", &good));
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_eq!((&dev.seen()["sends"], dev.objects()), (&json!(0), vec![]));
    dev.plan(&json!({"refuseParts": false}));
    let answer = dev.send(&feature("good", &good));
    assert_eq!(answer.status, 202, "{}", answer.text());
}

#[test]
fn slow_5_mb_go_by_the_relay_into_postgis_and_are_413_on_route_redis() {
    let mut chance = Chance::seeded();
    let deployment = Deployment::start();
    let geometry = multipolygon(&mut chance, FIVE_MB.bytes);
    let request = feature("big", &geometry);
    let refused = Front::start(Route::Redis, &deployment).send(&request);
    assert_eq!(refused.status, 413, "{}", refused.text());
    assert_eq!(refused.json()["code"], "limit.envelope_bytes");
    assert_eq!(entries(&mut deployment.redis.connect("")), 0);
    let accepted = Front::start(Route::Relay, &deployment).send(&request);
    assert_eq!(accepted.status, 202, "{}", accepted.text());
    settled(&deployment.consumer, "applied", 1);
    assert_on_the_map(&deployment, &geometry);
}
