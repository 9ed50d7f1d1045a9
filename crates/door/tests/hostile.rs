//! Batches that no Worker sends, heads that no client writes.
#![allow(clippy::unwrap_used, reason = "a test stops where it is surprised")]

use hexlane_core::signature::{
    Secret, SignatureFault, WebhookHeaders, sign_webhook, verify_webhook,
};
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_door::{DoorSettings, Head, relay};

fn unpacked(body: &[u8]) -> u16 {
    match relay::unpack(&Head::new("POST", relay::PATH), body, &[], 0) {
        Ok(envelopes) => u16::try_from(envelopes.len()).unwrap(),
        Err(answer) => answer.status,
    }
}

#[test]
fn a_batch_of_anything_but_envelopes_is_malformed() {
    assert_eq!(unpacked(b""), 0);
    assert_eq!(unpacked(&[0x12, 0x00].repeat(1_000)), 1_000);
    let empties = [0x0a, 0x00].repeat(1 << 20);
    for bytes in [
        &empties[..],
        &[0x0a],
        &[0x0a, 0x05, 0x00],
        &[
            0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01,
        ],
        &[0x0b, 0x0b, 0x0b],
        &[0x1a, 0x00],
        &[0x12, 0x00].repeat(1_001),
        b"{}",
    ] {
        assert_eq!(unpacked(bytes), 400);
    }
}

#[test]
fn many_signatures_by_many_secrets_are_all_tried() {
    let secret = |byte| Secret::from_text(&char::from(byte).to_string().repeat(16)).unwrap();
    let secrets = [secret(b'a'), secret(b'b'), secret(b'c')];
    let wrong = sign_webhook(&secret(b'x'), "id", 1_000, b"body");
    let right = sign_webhook(&secrets[2], "id", 1_000, b"body");
    let verified = |signature: &str| {
        let headers = WebhookHeaders {
            id: Some("id"),
            timestamp: Some("1000"),
            signature: Some(signature),
        };
        verify_webhook(headers, b"body", &secrets, 1_000_000_000, 300)
    };
    assert_eq!(verified(&format!("{wrong} {right}")), Ok(()));
    assert_eq!(
        verified(&vec![wrong; 16].join(" ")),
        Err(SignatureFault::Wrong)
    );
}

fn opened(name: &str, value: &str) -> u16 {
    let head = Head::new("POST", "/v1/events/open").with("content-type", "application/json");
    status(&head.with(name, value))
}

fn typed(kind: &str) -> u16 {
    status(&Head::new("POST", "/v1/events/open").with("content-type", kind))
}

fn status(head: &Head) -> u16 {
    let mut settings = DoorSettings::default();
    let source = SourceSettings::new(AuthSettings::None);
    settings.sources.insert("open".to_owned(), source);
    let door = settings.resolve(|_| None).unwrap();
    door.open(head).map_or_else(|answer| answer.status, |_| 200)
}

#[test]
fn keys_that_were_joined_are_no_key() {
    assert_eq!(opened("idempotency-key", r#""a""#), 200);
    assert_eq!(opened("idempotency-key", r#""a", "b""#), 400);
}

#[test]
fn no_white_space_but_spaces_and_tabs_is_taken_off_a_header() {
    for (key, status) in [
        (" \tkey\t ", 200),
        ("\u{a0}key", 400),
        ("key\u{2003}", 400),
        ("key\u{b}", 400),
        ("key\u{7f}", 400),
    ] {
        assert_eq!(opened("idempotency-key", key), status, "{key:?}");
    }
    for (kind, status) in [
        ("\tapplication/json ; charset=utf-8", 200),
        ("application/json\u{a0}", 415),
    ] {
        assert_eq!(typed(kind), status, "{kind:?}");
    }
}

#[test]
fn a_coding_is_known_in_any_case() {
    for (coding, status) in [
        ("", 200),
        ("Identity", 200),
        ("GZip", 200),
        ("x-gzip", 200),
        ("br", 415),
        ("gzip, gzip", 415),
    ] {
        assert_eq!(opened("content-encoding", coding), status, "{coding}");
    }
}
