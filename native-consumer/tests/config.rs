//! `hexlane config`, and what `hexlane run` refuses to start with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy knows the functions of a test, and not what they stand on"
)]

mod support;

use support::{err, hexlane, out, write};
use tempfile::tempdir;

const WRONG: &str = r#"shards = 0
[run]
listen = "nowhere"
lissten = "127.0.0.1:1"
[deliverry]
base_ms = 1
[delivery]
jitter = "some"
base_ms = 0
[sources.a]
entity = ["id"]
[sources.b]
auth = { bearer = { secrets = ["B_TOKEN"] } }
resolution = 16
op = "op"
"#;

#[test]
fn every_mistake_is_told_with_its_place() {
    let folder = tempdir().unwrap();
    write(folder.path(), "hexlane.toml", WRONG);
    let output = hexlane(folder.path())
        .args(["config", "check"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = out(&output);
    let places: Vec<&str> = text
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let expected = [
        "hexlane.toml:1:1",
        "hexlane.toml:3:10",
        "hexlane.toml:4:1",
        "hexlane.toml:5:2",
        "hexlane.toml:8:10",
        "hexlane.toml:9:11",
        "hexlane.toml:10:10",
        "hexlane.toml:11:1",
        "hexlane.toml:13:1",
        "hexlane.toml:14:1",
        "hexlane.toml:15:1",
    ];
    assert_eq!(places, expected, "{text}");
}

const WRONG_LAYERS: &str = r#"[layers.zones]
file = "zones.shp"
predicate = "near"
speed = 1
[layers.Roads]
file = "roads.geojson"
layer = "roads"
matches_max = 1001
faulty = "keep"
[layers.rivers]
properties = ["name"]
[layers.lines]
table = "lines"
[layers.areas]
table = "gis."
geometry = "geom"
[layers.both]
file = "both.gpkg"
table = "both"
[layers.odd]
file = "odd.gpkg"
geometry = "geom"
[layers.named]
table = "named"
layer = "named"
[sources.a]
auth = "none"
join = ["zones", "lakes"]
[sources.b]
auth = "none"
join = "zones"
"#;

#[test]
fn every_mistake_of_a_layer_or_a_join_is_told_with_its_place() {
    let folder = tempdir().unwrap();
    let told = |text: &str| {
        write(folder.path(), "hexlane.toml", text);
        let output = hexlane(folder.path())
            .args(["config", "check"])
            .output()
            .unwrap();
        let lines = out(&output);
        lines.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let lines = told(WRONG_LAYERS);
    let expected = [
        "hexlane.toml:2:1: is neither `.gpkg`",
        "hexlane.toml:3:13: `near` is none of `intersects`, `contains`",
        "hexlane.toml:4:1: unknown field `speed`",
        "hexlane.toml:6:1: layer `Roads`: a name is",
        "hexlane.toml:7:1: a GeoJSON file has no layers",
        "hexlane.toml:8:1: at most 1000 matches",
        "hexlane.toml:9:10: `keep` is none of `mend`",
        "hexlane.toml:10:9: layer `rivers` has neither a `file` nor a `table`",
        "hexlane.toml:13:1: no server is set for it: tables are read from that of [postgis]",
        "hexlane.toml:15:1: is `table` or `schema.table`",
        "hexlane.toml:19:1: a layer is either a `file` or a `table`",
        "hexlane.toml:22:1: only a `table` has geometry columns",
        "hexlane.toml:25:1: a table has no layers",
        "hexlane.toml:28:1: there is no layer `lakes`",
        "hexlane.toml:31:8: invalid type: string",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}: {expected}");
    }
    for server in [
        "[run]\nmap = \"postgis\"",
        "[postgis]\nurl = \"postgresql://gis@db/gis\"",
    ] {
        let right = format!("{server}\n[layers.lines]\ntable = \"gis.lines\"\ngeometry = \"geom\"");
        assert_eq!(told(&right), ["the settings are right"]);
    }
    let elsewhere =
        "[postgis]\nurl = \"postgresql://gis:secret@db/gis\"\n[layers.lines]\ntable = \"lines\"";
    let lines = told(elsewhere);
    assert!(
        lines.len() == 1 && lines[0].starts_with("hexlane.toml:2:1: the password belongs"),
        "{lines:?}"
    );
    assert_eq!(
        told("layers = 1"),
        ["hexlane.toml:1:1: `layers` is a table, not integer"]
    );
}

#[test]
fn a_lease_that_the_engine_would_refuse_is_told_with_its_place() {
    let folder = tempdir().unwrap();
    let too_short = |lease_ms, call_ms_max| {
        let calls = format!("for store calls of up to {call_ms_max} ms");
        format!("a lease of {lease_ms} ms is too short {calls}")
    };
    for (file, expected) in [
        (
            "[sqlite]\nstore_call_ms_max = 900\nlease_ms = 2000\n",
            format!("hexlane.toml:3:1: {}\n", too_short(2000, 900)),
        ),
        (
            "[sqlite]\nstore_call_ms_max = 6000\n",
            format!("hexlane.toml:2:1: {}\n", too_short(15_000, 6000)),
        ),
        (
            "[sqlite]\nlease_ms = 2000\nstore_call_ms_max = 300\n",
            "the settings are right\n".to_owned(),
        ),
    ] {
        write(folder.path(), "hexlane.toml", file);
        let output = hexlane(folder.path()).args(["config", "check"]).output();
        assert_eq!(out(&output.unwrap()), expected);
    }
}

#[test]
fn run_starts_with_no_mistake_and_tells_them_all() {
    let folder = tempdir().unwrap();
    write(folder.path(), "other.toml", WRONG);
    let output = hexlane(folder.path())
        .args(["run", "--settings", "other.toml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(err(&output).lines().count(), 11, "{}", err(&output));
    assert!(!folder.path().join("hexlane-data").exists());
}

#[test]
fn the_defaults_are_right_and_a_missing_file_is_not() {
    let folder = tempdir().unwrap();
    let output = hexlane(folder.path())
        .args(["config", "check"])
        .output()
        .unwrap();
    assert_eq!(
        (output.status.code(), out(&output).as_str()),
        (Some(0), "the settings are right\n")
    );
    let output = hexlane(folder.path())
        .args(["config", "check", "--settings", "gone.toml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).starts_with("gone.toml:1:1: "));
}

#[test]
fn the_stronger_layer_wins_and_says_where_it_stands() {
    let folder = tempdir().unwrap();
    let file = "[run]\nlisten = \"127.0.0.1:1\"\ndrain_ms_max = 2\n[delivery]\nbase_ms = 3\n";
    write(folder.path(), "hexlane.toml", file);
    let output = hexlane(folder.path())
        .args([
            "config",
            "show",
            "--origin",
            "--listen",
            "127.0.0.1:4",
            "--set",
            "delivery.poll_ms=6",
        ])
        .env("HEXLANE_RUN_LISTEN", "127.0.0.1:5")
        .env("HEXLANE_RUN_DRAIN_MS_MAX", "7")
        .output()
        .unwrap();
    let text = out(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for line in [
        "run.listen = \"127.0.0.1:4\"  # flag --listen",
        "run.drain_ms_max = 7  # environment HEXLANE_RUN_DRAIN_MS_MAX",
        "delivery.base_ms = 3  # hexlane.toml:5:1",
        "delivery.poll_ms = 6  # flag --set delivery.poll_ms",
        "delivery.cap_ms = 30000  # default",
    ] {
        assert!(text.lines().any(|each| each == line), "{line}\n{text}");
    }
    // A file of one's own has its own sources alone.
    assert!(!text.contains("sources."), "{text}");
}

#[test]
fn a_secret_is_never_shown() {
    let folder = tempdir().unwrap();
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let file = format!(
        "[relay]\nsecrets = [\"{secret}\"]\n[sources.a]\nauth = {{ bearer = {{ secrets = [\"{secret}\"] }} }}\n[sources.b]\nauth = \"{secret}\"\n"
    );
    write(folder.path(), "hexlane.toml", &file);
    for command in [
        &["config", "check"][..],
        &["config", "show", "--origin"],
        &["run"],
    ] {
        let output = hexlane(folder.path())
            .args(command)
            .env("HEXLANE_RELAY_SECRET", secret)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let text = out(&output) + &err(&output);
        assert!(!text.contains("MfKQ9r8G"), "{text}");
    }
}

#[test]
fn an_address_for_others_needs_the_relay_secret() {
    let folder = tempdir().unwrap();
    let check = |secret: &str| {
        let output = hexlane(folder.path())
            .args(["config", "check", "--listen", "0.0.0.0:8788"])
            .env("HEXLANE_RELAY_SECRET", secret)
            .output();
        let output = output.unwrap();
        (output.status.code(), out(&output))
    };
    assert_eq!(check("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").0, Some(0));
    let (code, text) = check("");
    assert_eq!(code, Some(1));
    assert!(
        text.starts_with("flag --listen: this address is not loopback"),
        "{text}"
    );
    assert!(check("whsec_short").1.contains("HEXLANE_RELAY_SECRET"));
}
