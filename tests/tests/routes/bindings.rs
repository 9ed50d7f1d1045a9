//! What a route needs and does not have is said at once, and nothing is taken.

use super::{EVENTS, assert_misconfigured, feature, send};
use hexlane_tests::edge::Edge;
use hexlane_tests::http::Request;
use hexlane_tests::settings;
use toml::{Table, Value};

fn edge(vars: &[(&str, Value)]) -> Edge {
    let mut table = Table::new();
    table.insert("DOOR".to_owned(), settings::door().into());
    for (name, value) in vars {
        table.insert((*name).to_owned(), value.clone());
    }
    Edge::start_with(&table, &settings::SECRETS)
}

#[test]
fn a_route_without_what_it_needs_is_500_and_the_log_names_it() {
    let redis = ("ROUTE", "redis".into());
    let url = |url: &str| vec![redis.clone(), ("REDIS_URL", url.into())];
    let relay = ("RELAY_URL", "http://127.0.0.1:1".into());
    let rows: Vec<(Vec<(&str, Value)>, &str)> = vec![
        (vec![], "RELAY_URL is not set"),
        (vec![("ROUTE", "relay".into())], "RELAY_URL is not set"),
        (vec![("ROUTE", "kafka".into())], "ROUTE is `kafka`"),
        (vec![("ROUTE", "queue".into())], "EVENTS is not bound"),
        (
            vec![("ROUTE", "queue".into()), ("EVENTS", "text".into())],
            "EVENTS is no producer",
        ),
        (vec![redis.clone()], "REDIS_URL is not set"),
        (url("127.0.0.1:6379"), "REDIS_URL is"),
        (url("http://:secret@127.0.0.1"), "REDIS_URL is neither"),
        (
            url("redis://:secret@127.0.0.1/x"),
            "REDIS_URL is of a database",
        ),
        (
            url("redis://user@127.0.0.1"),
            "REDIS_URL is of a user without",
        ),
        (
            vec![relay.clone(), ("PAYLOADS", "text".into())],
            "PAYLOADS is no R2 bucket",
        ),
        (
            vec![relay, ("ENVELOPE_BYTES_MAX", "many".into())],
            "ENVELOPE_BYTES_MAX is no whole number",
        ),
    ];
    for (vars, told) in rows {
        let edge = edge(&vars);
        let request = Request::post(EVENTS, feature("x", [1.0, 2.0], ""));
        for request in [request.clone(), request.chunked(64)] {
            assert_misconfigured(&send(edge.port, &request), told);
        }
        let log = edge.process.log();
        assert!(log.contains(told), "{told} is not in\n{log}");
        assert!(!log.contains("secret"), "{log}");
    }
}
