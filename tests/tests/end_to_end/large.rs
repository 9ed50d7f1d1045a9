//! 5 MB on each route: through the bucket and the bridge into PostGIS, and what it costs in
//! memory; by the relay as it is; refused where an entry of a stream has less room.

use super::front::{Front, Route};
use super::settled;
use hexlane_tests::chance::Chance;
use hexlane_tests::deployment::Deployment;
use hexlane_tests::http::Request;
use hexlane_tests::process::{peak_bytes, programs};
use hexlane_tests::streams::entries;
use std::f64::consts::TAU;
use std::fmt::Write as _;

const MB: u64 = 1 << 20;
const BYTES: usize = 5_000_000;
/// The most that the consumer may have held at once: payload, envelope, geometry, what PostGIS
/// is sent. 75 MB were seen.
const CONSUMER_BYTES_MAX: u64 = 128 * MB;
/// The same of wrangler's workerd: the Worker's isolate, the proxy before it and the simulated
/// bucket and queue, each of which has the body too. 367 MB were seen, 239 of them before.
const WORKERD_BYTES_MAX: u64 = 512 * MB;

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

#[test]
fn slow_a_multipolygon_of_5_mb_goes_by_the_bucket_and_the_bridge_into_postgis() {
    let mut chance = Chance::seeded();
    let deployment = Deployment::start();
    let front = Front::start(Route::Queue, &deployment);
    let Front::Dev(dev) = &front else {
        panic!("a route without a bucket");
    };
    let accepted = |request: &Request| {
        let answer = front.send(request);
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

    let geometry = multipolygon(&mut chance, BYTES);
    let request = feature("big", &geometry);
    accepted(&request);
    settled(&deployment.consumer, "applied", 2);
    // Sent again it takes the whole way again, with one effect.
    for times in 1..=4 {
        accepted(&request);
        let ends = settled(&deployment.consumer, "duplicate", times);
        assert_eq!(ends["applied"], 2, "{ends}");
    }
    assert_eq!(dev.objects(), [], "objects go once the relay has the event");

    let number = |sql: &str| deployment.postgis.number(sql);
    let claims = "SELECT count(*) FROM hexlane.claims WHERE state = 'applied'";
    assert_eq!(number(claims), 2);
    assert_on_the_map(&deployment, &geometry);

    let after = peaks();
    let told = |[consumer, workerd]: [u64; 2]| format!("{} and {}", consumer / MB, workerd / MB);
    eprintln!(
        "{} bytes; most MB of memory of hexlane and of workerd: {}, then {}",
        request.body.len(),
        told(before),
        told(after)
    );
    let [consumer, workerd] = after;
    assert!(before.iter().all(|bytes| *bytes > 0), "{before:?}");
    assert!(consumer < CONSUMER_BYTES_MAX, "{consumer}");
    assert!(workerd < WORKERD_BYTES_MAX, "{workerd}");
}

#[test]
fn slow_the_same_goes_by_the_relay_into_postgis_and_is_413_on_route_redis() {
    let mut chance = Chance::seeded();
    let deployment = Deployment::start();
    let geometry = multipolygon(&mut chance, BYTES);
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
