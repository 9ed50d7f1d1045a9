//! 22 MB of countries, each a request of its own, up to 5 MB. What is valid among them is
//! small, so that each route takes it; what is large is refused for what it is on each route.

use super::front::{Front, Route};
use super::{equal, settled};
use hexlane_tests::consumer::check_file;
use hexlane_tests::deployment::Deployment;
use hexlane_tests::http::Request;
use hexlane_tests::tools;
use serde_json::Value;
use std::fs;

const ALL: usize = 248;
/// By GEOS 3.14.1.
const VALID: usize = 81;
const SOURCE: &str = "countries";

/// One feature as it stands in the file, and the errors that `hexlane check` finds in it.
struct Country {
    body: String,
    errors: Vec<String>,
}

/// The file has one feature a line.
fn countries() -> Vec<Country> {
    let file = tools::fine_countries();
    let text = fs::read_to_string(&file).expect("the test data");
    let lines = text.lines().map(|line| line.trim_end_matches(','));
    let bodies = lines.filter(|line| line.starts_with(r#"{"type":"Feature","#));
    let (exit, checked) = check_file(&file);
    assert_eq!((exit, checked.len()), (Some(1), ALL), "faults were found");
    let country = |(body, line): (&str, Value)| {
        let errors = errors(&line["violations"]);
        assert_eq!(errors.is_empty(), line["valid"] == true, "{line}");
        Country {
            body: body.to_owned(),
            errors,
        }
    };
    let countries: Vec<Country> = bodies.zip(checked).map(country).collect();
    let valid = countries.iter().filter(|country| country.errors.is_empty());
    assert_eq!((countries.len(), valid.count()), (ALL, VALID));
    countries
}

/// The codes of the errors among violations.
fn errors(violations: &Value) -> Vec<String> {
    let all = violations.as_array().into_iter().flatten();
    let errors = all.filter(|each| each["severity"] == "error");
    errors.map(|each| each["code"].to_string()).collect()
}

fn proves(route: Route) {
    let deployment = Deployment::start();
    let front = Front::start(route, &deployment);
    let mut accepted = 0;
    for country in countries() {
        let path = format!("/v1/events/{SOURCE}");
        let answer = front.send(&Request::post(&path, country.body));
        let status = if country.errors.is_empty() { 202 } else { 422 };
        assert_eq!(answer.status, status, "{}", answer.text());
        // The door tells the first hundred.
        let told = errors(&answer.json()["errors"]);
        let checked = country.errors.len().min(100);
        assert_eq!(told, country.errors[..checked], "{}", answer.text());
        accepted += u64::from(status == 202);
    }
    assert_eq!(accepted, VALID as u64);
    let ends = settled(&deployment.consumer, "applied", accepted);
    assert_eq!(ends["dead"], 0, "{ends}");
    let postgis = &deployment.postgis;
    postgis.import(&tools::fine_countries(), None, "theirs");
    let rows = postgis.number("SELECT count(*) FROM hexlane.features");
    let equal = equal(postgis, "hexlane.features", SOURCE, ["theirs", "a3"]);
    assert_eq!([rows, equal], [accepted; 2]);
    eprintln!("{route:?}: {accepted} of {ALL} countries accepted, each equal to GDAL's import");
}

#[test]
fn slow_route_relay_takes_each_valid_country_of_22_mb() {
    proves(Route::Relay);
}

#[test]
fn slow_route_queue_takes_each_valid_country_of_22_mb() {
    proves(Route::Queue);
}

#[test]
fn slow_route_redis_takes_each_valid_country_of_22_mb() {
    proves(Route::Redis);
}
