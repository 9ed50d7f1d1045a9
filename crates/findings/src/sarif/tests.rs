//! What the schema of SARIF 2.1.0 requires, and where the regions lie.

use crate::sample::{BOWTIE, OPEN, told};
use crate::telling::{Format, Whole};
use serde_json::Value;

fn log(files: &[(&str, &str)]) -> Value {
    serde_json::from_str(&told(Format::Sarif, files)).unwrap()
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

fn region(result: &Value) -> &Value {
    &result["locations"][0]["physicalLocation"]["region"]
}

#[test]
fn a_log_of_a_fault() {
    let mut log = log(&[("in/bow tie.json", BOWTIE)]);
    // The rules are those of the table of codes.
    log["runs"][0]["tool"]["driver"]["rules"]
        .as_array_mut()
        .unwrap()
        .truncate(1);
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
}

#[test]
fn every_result_has_a_rule_a_message_and_a_region_in_its_file() {
    let bodies = [
        ("a.json", BOWTIE),
        ("b.json", OPEN),
        ("c.json", "{\"type\":"),
        ("d.json", ""),
    ];
    let log = log(&bodies);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["columnKind"], "utf16CodeUnits");
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert_eq!(results(&log).len(), 4);
    for (result, (name, body)) in results(&log).iter().zip(bodies) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], name);
        assert_eq!(location["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        let region = region(result);
        let number = |member: &str| usize::try_from(region[member].as_u64().unwrap()).unwrap();
        assert!(
            number("startLine") >= 1 && number("startColumn") >= 1,
            "{region}"
        );
        assert!(
            number("byteOffset") + number("byteLength") <= body.len(),
            "{region}"
        );
        let start = (number("startLine"), number("startColumn"));
        assert!(
            (number("endLine"), number("endColumn")) >= start,
            "{region}"
        );
    }
    for rule in rules {
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(
                rule[text]["text"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{rule}"
            );
        }
    }
}

#[test]
fn a_region_is_the_position_in_bytes_and_in_utf_16() {
    let log = log(&[("open.json", OPEN)]);
    let region = region(&results(&log)[0]);
    let [offset, length] =
        ["byteOffset", "byteLength"].map(|member| region[member].as_u64().unwrap());
    let bytes = usize::try_from(offset).unwrap()..usize::try_from(offset + length).unwrap();
    assert_eq!(&OPEN[bytes.clone()], "[0,1]");
    let line = &OPEN[OPEN.find('\n').unwrap() + 1..];
    let before = &line[..line.find("[0,1]").unwrap()];
    let column = before.encode_utf16().count() + 1;
    assert_eq!(region["startLine"], 2);
    assert_eq!(region["startColumn"], column);
    assert_eq!(region["endColumn"], column + 5);
}

#[test]
fn what_lies_elsewhere_has_an_absolute_reference_and_no_base() {
    let log = log(&[("/data/a b.json", BOWTIE)]);
    let artifact = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(
        *artifact,
        serde_json::json!({"uri": "file:///data/a%20b.json"})
    );
}

#[test]
fn what_could_not_be_read_is_a_notification_of_a_run_that_failed() {
    let mut out = Vec::new();
    let mut whole = Whole::begin(Format::Sarif, &mut out).unwrap();
    whole.unread("gone.json: not found".to_owned());
    whole.end().unwrap();
    let log: Value = serde_json::from_slice(&out).unwrap();
    assert!(results(&log).is_empty());
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    assert_eq!(notification["message"]["text"], "gone.json: not found");
}
