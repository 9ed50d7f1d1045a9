//! The production settings in `wrangler.toml`: the real Worker takes them as they stand.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use hexlane_tests::edge::Edge;
use hexlane_tests::http::{self, Request};
use hexlane_tests::{process, settings, tools, workspace};
use std::fs;
use std::process::Command;
use toml::{Table, Value};

fn production() -> Table {
    let wrangler = settings::wrangler();
    let found = wrangler
        .get("env")
        .and_then(|all| all.get("production"))
        .and_then(Value::as_table);
    found.expect("[env.production] of wrangler.toml").clone()
}

/// Names under any `secrets` of the settings.
fn secret_names(value: &Value) -> Vec<String> {
    let members = value.as_table().into_iter().flatten();
    let names = members.flat_map(|(name, inner)| match inner.as_array() {
        Some(names) if name == "secrets" => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(_) | None => secret_names(inner),
    });
    names.collect()
}

/// A list of tables in a table of `wrangler.toml`.
fn tables<'a>(of: &'a Table, path: &[&str]) -> Vec<&'a Table> {
    let (last, way) = path.split_last().expect("a path");
    let at = way
        .iter()
        .try_fold(of, |at, name| at.get(*name)?.as_table());
    let found = at.and_then(|at| at.get(*last)).and_then(Value::as_array);
    let found = found.unwrap_or_else(|| panic!("{path:?} of wrangler.toml"));
    found.iter().filter_map(Value::as_table).collect()
}

#[test]
fn queue_bucket_and_bridge_are_bound_locally_and_in_production() {
    for bound in [settings::wrangler(), production()] {
        let text = |table: &Table, name: &str| {
            let text = table.get(name).and_then(Value::as_str);
            text.unwrap_or_else(|| panic!("{name} in {table:?}"))
                .to_owned()
        };
        let producers = tables(&bound, &["queues", "producers"]);
        assert_eq!(producers.len(), 1);
        assert_eq!(text(producers[0], "binding"), "EVENTS");
        let consumers = tables(&bound, &["queues", "consumers"]);
        assert_eq!(consumers.len(), 1);
        assert_eq!(text(consumers[0], "queue"), text(producers[0], "queue"));
        // The platform deletes what it gives up, unless told where to put it.
        let dead = text(consumers[0], "dead_letter_queue");
        assert_ne!(dead, text(producers[0], "queue"));
        let number = |name: &str| consumers[0].get(name).and_then(Value::as_integer);
        assert_eq!(
            number("max_retries"),
            Some(100),
            "ours classifies, not the platform"
        );
        assert!(number("max_batch_size") <= Some(100));
        let buckets = tables(&bound, &["r2_buckets"]);
        assert_eq!(text(buckets[0], "binding"), "PAYLOADS");
    }
}

#[test]
fn no_secret_stands_in_wrangler_toml() {
    let text = fs::read_to_string(workspace::root().join("wrangler.toml")).expect("wrangler.toml");
    assert!(
        !text.contains("whsec_"),
        "a secret is a binding, set by `wrangler secret put`"
    );
}

#[test]
fn the_worker_serves_the_production_settings_and_lets_no_stranger_in() {
    let production = production();
    let vars = production
        .get("vars")
        .and_then(Value::as_table)
        .expect("vars of production")
        .clone();
    let door = vars.get("DOOR").expect("DOOR of production");
    let mut names = secret_names(door);
    names.push("HEXLANE_RELAY_SECRET".to_owned());
    let value = settings::secret("SIGNED_SECRET");
    let secrets: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), value)).collect();
    let edge = Edge::start_with(&vars, &secrets);
    let sources = door
        .get("sources")
        .and_then(Value::as_table)
        .expect("sources of production");
    for source in sources.keys() {
        let request = Request::post(&format!("/v1/events/{source}"), "{}");
        let answer = http::send(edge.port, &request).expect("an answer");
        assert_eq!(answer.status, 401, "{source}: {}", answer.text());
    }
}

#[test]
fn a_worker_without_its_secrets_says_that_it_is_misconfigured_and_takes_nothing() {
    let vars = production()
        .get("vars")
        .and_then(Value::as_table)
        .expect("vars of production")
        .clone();
    let edge = Edge::start_with(&vars, &[]);
    let answer =
        http::send(edge.port, &Request::post("/v1/events/fleet", "{}")).expect("an answer");
    assert!(answer.status >= 500, "{} {}", answer.status, answer.text());
}

#[test]
fn slow_wrangler_takes_the_production_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrangler = settings::wrangler();
    wrangler.remove("build");
    let bundle = tools::edge_bundle().join("index.js");
    wrangler.insert("main".to_owned(), bundle.display().to_string().into());
    let config = folder.path().join("wrangler.toml");
    fs::write(&config, wrangler.to_string()).expect("a file");
    let mut command = Command::new(tools::node());
    command.arg(tools::wrangler().canonicalize().expect("a path"));
    command
        .args([
            "deploy",
            "--dry-run",
            "--env",
            "production",
            "--no-bundle",
            "--config",
        ])
        .arg(&config);
    command.args(["--outdir", "out"]).current_dir(folder.path());
    command.env("WRANGLER_SEND_METRICS", "false").env("CI", "1");
    let text = process::output(&mut command);
    let names = [
        "env.ROUTE",
        "env.RELAY_URL",
        "env.DOOR",
        "env.EVENTS",
        "env.PAYLOADS",
    ];
    for name in names {
        assert!(text.contains(name), "{name} is no binding:\n{text}");
    }
}

#[test]
fn the_worker_and_the_consumer_know_the_same_sources_and_limits_out_of_the_box() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut show = hexlane_tests::consumer::hexlane();
    show.current_dir(folder.path())
        .args(["config", "show", "--output", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&process::output(&mut show)).expect("JSON");
    let native = |path: &str| shown["settings"][path]["value"].clone();
    let wrangler = settings::wrangler();
    let door = wrangler
        .get("vars")
        .and_then(|vars| vars.get("DOOR"))
        .expect("[vars.DOOR]");
    let tables = |name: &str| {
        door.get(name)
            .and_then(Value::as_table)
            .cloned()
            .unwrap_or_default()
    };
    for (source, members) in &tables("sources") {
        for (member, value) in members.as_table().into_iter().flatten() {
            let edge = serde_json::to_value(value).expect("settings are JSON");
            assert_eq!(
                native(&format!("sources.{source}.{member}")),
                edge,
                "{member} of {source}"
            );
        }
    }
    for (limit, value) in &tables("limits") {
        let edge = serde_json::to_value(value).expect("settings are JSON");
        assert_eq!(native(&format!("limits.{limit}")), edge, "{limit}");
    }
}
