//! `hexlane send` against a server that answers by a script.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "clippy knows the functions of a test, and not what they stand on"
)]

mod support;

use hexlane_backend::Clock as _;
use hexlane_native_consumer::clock::SystemClock;
use std::process::Output;
use std::time::Duration;
use support::scripted::{Reply, Scripted};
use support::{err, hexlane, json_lines, out, with_stdin};
use tempfile::tempdir;

/// Three features, spaced as no serializer would.
const THREE: &str =
    r#"{"type":"FeatureCollection","crs": null,"features":[ {"n": 0}, {"n": 1}, {"n": 2.0e0} ]}"#;

fn accepted(features: usize) -> Reply {
    Reply::Answer(
        202,
        "",
        format!(r#"{{"accepted":{features},"duplicates":1,"results":[]}}"#),
    )
}

fn refused(status: u16, errors: &str) -> Reply {
    Reply::Answer(
        status,
        "",
        format!(r#"{{"code":"payload.refused","errors":[{errors}]}}"#),
    )
}

fn send(url: &str, flags: &[&str], secrets: &[(&str, &str)]) -> Output {
    let folder = tempdir().unwrap();
    let mut command = hexlane(folder.path());
    command
        .args(["send", "-", "--output", "json", "--to", url])
        .args(flags);
    with_stdin(command.envs(secrets.iter().copied()), THREE)
}

#[test]
fn batches_carry_the_bytes_of_the_file_in_its_order() {
    let server = Scripted::start(vec![accepted(2), accepted(1)]);
    let output = send(&server.url, &["--batch", "2"], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let summary = &json_lines(&output)[0];
    assert_eq!(
        (&summary["accepted"], &summary["duplicates"]),
        (&3.into(), &2.into())
    );
    let bodies: Vec<String> = server
        .received()
        .into_iter()
        .map(|request| request.body)
        .collect();
    assert_eq!(
        bodies[0],
        r#"{"type":"FeatureCollection","crs":null,"features":[{"n": 0},{"n": 1}]}"#
    );
    assert_eq!(
        bodies[1],
        r#"{"type":"FeatureCollection","crs":null,"features":[{"n": 2.0e0}]}"#
    );
}

#[test]
fn a_refused_batch_goes_again_without_the_features_to_blame() {
    let error = r#"{"code":"geometry.empty","feature":1,"message":"nothing in it"}"#;
    let server = Scripted::start(vec![refused(422, error), accepted(2)]);
    let output = send(&server.url, &[], &[]);
    assert_eq!(output.status.code(), Some(1));
    let summary = &json_lines(&output)[0];
    assert_eq!(
        (&summary["accepted"], &summary["refused"]),
        (&2.into(), &1.into())
    );
    assert_eq!(
        summary["by_code"],
        serde_json::json!({ "geometry.empty": 1 })
    );
    assert_eq!(summary["refused_features"][0]["feature"], 1);
    assert!(err(&output).contains("1 of 3 features refused; sending the other 2 again"));
    assert_eq!(server.received()[1].body.matches("\"n\"").count(), 2);
}

#[test]
fn a_refusal_that_names_no_feature_is_halved_until_one_stands_alone() {
    let whole = || refused(413, "");
    let replies = vec![whole(), accepted(1), whole(), accepted(1), whole()];
    let server = Scripted::start(replies);
    let output = send(&server.url, &[], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    let summary = &json_lines(&output)[0];
    assert_eq!(
        (&summary["accepted"], &summary["refused"]),
        (&2.into(), &1.into())
    );
    assert_eq!(summary["refused_features"][0]["feature"], 2);
}

#[test]
fn retry_after_is_waited_for_and_the_signed_id_stays() {
    let busy = Reply::Answer(
        429,
        "retry-after: 1\r\n",
        r#"{"code":"backlog.full"}"#.to_owned(),
    );
    let server = Scripted::start(vec![busy, accepted(3)]);
    let clock = SystemClock::start();
    let secret = ("S", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let output = send(
        &server.url,
        &["--secret-env", "S", "--bearer-env", "B"],
        &[secret, ("B", "token")],
    );
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(clock.monotonic() >= Duration::from_secs(1));
    let requests = server.received();
    let ids: Vec<_> = requests
        .iter()
        .map(|request| request.header("webhook-id").unwrap())
        .collect();
    assert_eq!(ids[0], ids[1]);
    assert!(
        requests[1]
            .header("webhook-signature")
            .unwrap()
            .starts_with("v1,")
    );
    assert_eq!(requests[1].header("authorization").unwrap(), "Bearer token");
}

#[test]
fn a_closed_connection_and_a_503_are_tried_again() {
    let away = Reply::Answer(503, "", String::new());
    let server = Scripted::start(vec![Reply::Close, away, accepted(3)]);
    let output = send(&server.url, &[], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(server.received().len(), 3);
}

#[test]
fn nobody_there_ends_2_after_so_many_attempts() {
    let server = Scripted::start(vec![Reply::Close, Reply::Close]);
    let output = send(&server.url, &["--attempts", "2", "--batch", "1"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let summary = &json_lines(&output)[0];
    assert_eq!(
        (&summary["failed"], &summary["by_code"]["unreachable"]),
        (&3.into(), &3.into())
    );
}

#[test]
fn a_closed_door_ends_2_at_once() {
    let server = Scripted::start(vec![Reply::Answer(
        401,
        "",
        r#"{"code":"signature.missing"}"#.to_owned(),
    )]);
    let output = send(&server.url, &["--batch", "1"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        json_lines(&output)[0]["by_code"],
        serde_json::json!({ "signature.missing": 3 })
    );
    assert_eq!(server.received().len(), 1);
}

#[test]
fn a_page_of_something_between_is_no_acceptance() {
    let page = "<html>sign in</html>".to_owned();
    let server = Scripted::start(vec![Reply::Answer(200, "", page)]);
    let output = send(&server.url, &["--batch", "1"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let summary = &json_lines(&output)[0];
    assert_eq!(
        (&summary["accepted"], &summary["failed"]),
        (&0.into(), &3.into())
    );
    assert_eq!(summary["by_code"], serde_json::json!({ "http.200": 3 }));
    assert!(err(&output).contains("not sent: http.200"));
    assert_eq!(server.received().len(), 1);
}

#[test]
fn what_cannot_be_read_is_not_sent() {
    let folder = tempdir().unwrap();
    let to = ["--to", "http://127.0.0.1:9/"];
    let output = with_stdin(
        hexlane(folder.path()).args(["send", "-"]).args(to),
        "{\"type\":",
    );
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""));
    assert!(err(&output).contains("line 1 column"), "{}", err(&output));
    let output = hexlane(folder.path())
        .args(["send", "gone.json"])
        .args(to)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}
