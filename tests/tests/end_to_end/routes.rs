//! Three routes into two maps: 1,707 earthquakes, twice, and 220 countries.
//!
//! Into a `GeoPackage` the routes `relay` and `queue` go through the embedded queue. Route
//! `redis` has its queue in Redis by its nature: there the map alone is embedded. Into PostGIS
//! every route goes through Redis: `relay` and `queue` reach it by the consumer's relay.

use super::front::{Front, Route};
use super::{equal, settled};
use hexlane_tests::consumer::send_file;
use hexlane_tests::deployment::{Deployment, Map, Queue};
use hexlane_tests::tools;
use serde_json::{Value, json};

const EARTHQUAKES: u64 = 1_707;
const VALID: u64 = 137;
const INVALID: u64 = 83;

/// What a summary of `hexlane send` counts.
fn counts(summary: &Value) -> Value {
    json!([
        summary["accepted"],
        summary["refused"],
        summary["duplicates"],
        summary["failed"]
    ])
}

fn proves(route: Route, map: Map) {
    let embedded = map == Map::Embedded && route != Route::Redis;
    let queue = if embedded {
        Queue::Embedded
    } else {
        Queue::Redis
    };
    let mut deployment = Deployment::start_on(queue, map);
    let front = Front::start(route, &deployment);
    let send = |source: &str| match source {
        "earthquakes" => send_file(&tools::earthquakes(), &front.events(source)),
        _ => send_file(&tools::countries(), &front.events(source)),
    };

    let first = send("earthquakes");
    assert_eq!(counts(&first), json!([EARTHQUAKES, 0, 0, 0]), "{first}");
    settled(&deployment.consumer, "applied", EARTHQUAKES);
    let again = send("earthquakes");
    // Cloudflare's queue knows no keys: there the consumer alone sees what came again.
    let told = if route == Route::Queue {
        0
    } else {
        EARTHQUAKES
    };
    assert_eq!(counts(&again), json!([EARTHQUAKES, 0, told, 0]), "{again}");
    let ends = settled(&deployment.consumer, "duplicate", EARTHQUAKES);
    assert_eq!(ends["applied"], EARTHQUAKES, "{ends}");
    let countries = send("countries");
    assert_eq!(
        counts(&countries),
        json!([VALID, INVALID, 0, 0]),
        "{countries}"
    );
    let ends = settled(&deployment.consumer, "applied", EARTHQUAKES + VALID);
    assert_eq!(
        json!([ends["stale"], ends["dead"]]),
        json!([0, 0]),
        "{ends}"
    );

    let ours = on_the_map(&mut deployment, map);
    let postgis = &deployment.postgis;
    let rows = |source: &str| {
        let of = format!("SELECT count(*) FROM {ours} WHERE source = '{source}'");
        postgis.number(&of)
    };
    assert_eq!(
        [rows("earthquakes"), rows("countries")],
        [EARTHQUAKES, VALID]
    );
    postgis.import(&tools::earthquakes(), None, "their_earthquakes");
    postgis.import(&tools::countries(), None, "their_countries");
    let equal = |source, theirs| equal(postgis, ours, source, theirs);
    assert_eq!(
        [
            equal("earthquakes", ["their_earthquakes", "id"]),
            equal("countries", ["their_countries", "a3"]),
        ],
        [EARTHQUAKES, VALID],
        "equal to GDAL's import by ST_Equals"
    );
    eprintln!(
        "{route:?}, {queue:?} queue, {map:?} map: {EARTHQUAKES} earthquakes, sent again {EARTHQUAKES} \
         duplicates; {VALID} of {VALID} countries equal to GDAL's import"
    );
}

/// The table that has what stands on the map.
fn on_the_map(deployment: &mut Deployment, map: Map) -> &'static str {
    match map {
        Map::Postgis => "hexlane.features",
        Map::Embedded => {
            deployment.consumer.stop();
            let file = deployment.consumer.geopackage();
            deployment.postgis.import(&file, Some("features"), "ours");
            "ours"
        }
    }
}

#[test]
fn route_relay_ends_in_a_geopackage() {
    proves(Route::Relay, Map::Embedded);
}

#[test]
fn route_relay_ends_in_postgis() {
    proves(Route::Relay, Map::Postgis);
}

#[test]
fn slow_route_queue_ends_in_a_geopackage() {
    proves(Route::Queue, Map::Embedded);
}

#[test]
fn slow_route_queue_ends_in_postgis() {
    proves(Route::Queue, Map::Postgis);
}

#[test]
fn route_redis_ends_in_a_geopackage() {
    proves(Route::Redis, Map::Embedded);
}

#[test]
fn route_redis_ends_in_postgis() {
    proves(Route::Redis, Map::Postgis);
}
