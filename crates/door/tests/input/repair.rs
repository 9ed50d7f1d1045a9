//! `Prefer: repair`: what the source allows is done and told, the rest is said not to be.

use crate::support::{ask, document, door, head, send, told};
use hexlane_core::repair::Step;
use hexlane_core::source::AuthSettings;
use hexlane_door::{Answer, Door, Head};
use serde_json::json;

const OPEN: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#;
const BOWTIE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;

fn mending(allowed: &[&str]) -> Door {
    let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
    door(AuthSettings::None, |source| source.repair = allowed)
}

fn asking(preference: &str) -> Head {
    head("application/geo+json").with("prefer", preference)
}

fn warning(answer: &Answer) -> String {
    let document = document(answer);
    let warning = &document["warnings"][0];
    let [code, message] =
        ["code", "message"].map(|name| warning[name].as_str().unwrap_or_default());
    format!("{code}: {message}")
}

#[test]
fn what_was_repaired_is_told_with_each_result() {
    let door = mending(&["close-ring"]);
    let answer = ask(&door, &asking("repair=close-ring"), OPEN.as_bytes());
    assert_eq!(answer.status, 202);
    assert_eq!(
        answer.header("preference-applied"),
        Some("repair=\"close-ring\"")
    );
    let result = &document(&answer)["results"][0];
    assert_eq!(result["derived"], json!(["close-ring"]));
    let change = json!({
        "step": "close-ring", "parts": [1, 1], "rings": [1, 1], "area": [1.0, 1.0],
        "vertices_added": 0, "vertices_dropped": 0, "vertices_moved": 0, "collapsed": 0
    });
    assert_eq!(result["repaired"], json!([change]));
    let enqueue = send(&door, &asking("repair=close-ring"), OPEN.as_bytes()).unwrap();
    let envelope = enqueue.envelopes().next().unwrap().clone();
    assert_eq!(envelope.inline_payload(), Some(OPEN.as_bytes()));
    assert_eq!(envelope.derived.unwrap().steps, ["close-ring"]);
}

#[test]
fn without_the_preference_or_without_leave_it_is_422() {
    let door = mending(&["close-ring"]);
    let plain = ask(&door, &head("application/geo+json"), OPEN.as_bytes());
    assert_eq!(told(&plain), (422, "geometry.not_closed".to_owned()));
    assert_eq!(plain.header("preference-applied"), None);
    for (door, preference, expected) in [
        (
            &mending(&[]),
            "repair=close-ring",
            "the source allows no repair",
        ),
        (
            &door,
            "repair=\"close-ring,rewind\"",
            "the source does not allow `rewind`",
        ),
        (&door, "repair=glue", "no repair is called `glue`"),
    ] {
        let answer = ask(door, &asking(preference), OPEN.as_bytes());
        assert_eq!(told(&answer), (422, "geometry.not_closed".to_owned()));
        assert_eq!(answer.header("preference-applied"), None);
        let warning = warning(&answer);
        assert!(warning.starts_with("repair.not_applied: "), "{warning}");
        assert!(warning.contains(expected), "{warning}");
    }
}

#[test]
fn what_is_good_is_taken_though_the_preference_is_not_applied() {
    let point = r#"{"type":"Point","coordinates":[1,2]}"#;
    let answer = ask(
        &mending(&[]),
        &asking("repair=close-ring"),
        point.as_bytes(),
    );
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("preference-applied"), None);
    assert!(warning(&answer).starts_with("repair.not_applied: "));
}

#[test]
fn both_preferences_are_told_and_only_the_mended_are_called_so() {
    let features = [OPEN, BOWTIE, r#"{"type":"Point","coordinates":[1,2]}"#];
    let features = features
        .map(|geometry| format!(r#"{{"type":"Feature","properties":null,"geometry":{geometry}}}"#));
    let body = format!(
        r#"{{"type":"FeatureCollection","features":[{}]}}"#,
        features.join(",")
    );
    let preference = "handling=lenient, repair=close-ring";
    let answer = ask(
        &mending(&["close-ring"]),
        &asking(preference),
        body.as_bytes(),
    );
    assert_eq!(answer.status, 202);
    assert_eq!(
        answer.header("preference-applied"),
        Some("handling=lenient, repair=\"close-ring\"")
    );
    let document = document(&answer);
    assert_eq!(document["refused"], json!([1]));
    let mended = |index: usize| document["results"][index].get("repaired").is_some();
    assert_eq!([0, 1, 2].map(mended), [true, false, false]);
    // A repair that is refused takes no other feature with it.
    assert_eq!(document["errors"][0]["code"], "geometry.self_intersection");
}

#[test]
fn a_bowtie_is_made_valid_where_the_build_can_and_said_not_to_be_where_it_cannot() {
    let door = mending(&["make-valid"]);
    let answer = ask(&door, &asking("repair=make-valid"), BOWTIE.as_bytes());
    // A build of the whole workspace has the overlay by another crate's wish.
    if Step::by_name("make-valid").is_some_and(Step::is_available) {
        assert_eq!(answer.status, 202);
        let result = &document(&answer)["results"][0];
        assert_eq!(result["repaired"][0]["parts"], json!([1, 2]));
    } else {
        assert_eq!(
            told(&answer),
            (422, "geometry.self_intersection".to_owned())
        );
        let expected = "repair.not_applied: this door cannot do `make-valid:even_odd`";
        assert_eq!(warning(&answer), expected);
    }
}
