//! From the sender to the map in real workerd: three routes, each into a `GeoPackage` and
//! into PostGIS; GDAL imports the same files, and GEOS says whether the maps are equal.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "end_to_end/feature_by_feature.rs"]
mod feature_by_feature;
#[path = "end_to_end/front.rs"]
mod front;
#[path = "end_to_end/large.rs"]
mod large;
#[path = "end_to_end/routes.rs"]
mod routes;

use hexlane_tests::consumer::Consumer;
use hexlane_tests::postgis::Postgis;
use hexlane_tests::wait;
use serde_json::Value;
use std::time::Duration;

/// Messages of a queue come in their own time, and again after seconds.
const DRAIN_LIMIT: Duration = Duration::from_mins(2);

/// Waits until so many deliveries have ended so, and nothing waits.
fn settled(consumer: &Consumer, outcome: &str, count: u64) -> Value {
    wait::until("an end of every event", DRAIN_LIMIT, || {
        let status = consumer.status();
        let settled = &status["settled"];
        (settled[outcome] == count && status["waiting"] == 0).then(|| settled.clone())
    })
}

/// How many rows of a source in `ours` have an equal geometry in GDAL's import, at an equal
/// height, which GEOS does not compare; a column there names the entity.
fn equal(postgis: &Postgis, ours: &str, source: &str, [theirs, column]: [&str; 2]) -> u64 {
    postgis.number(&format!(
        "SELECT count(*) FROM {ours} ours JOIN {theirs} theirs ON theirs.{column} = ours.entity \
         WHERE ours.source = '{source}' AND ST_Equals(ours.geom, theirs.geom) AND ST_ZMax(ours.geom) = ST_ZMax(theirs.geom)"
    ))
}
