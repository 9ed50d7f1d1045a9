//! Schemes of proof, each by its source's settings.

use crate::support::{NOW_S, ask, door, head, point, told};
use hexlane_core::source::AuthSettings;

const HOOK: &str = "HOOK";

fn hmac_hex(message: &str) -> String {
    use hexlane_core::digest::hex;
    // HMAC by its definition (RFC 2104), so that the scheme is not proven by itself.
    let block = |pad: u8| {
        let mut block = [pad; 64];
        for (byte, key) in block.iter_mut().zip(crate::support::WHSEC.as_bytes()) {
            *byte ^= key;
        }
        block.to_vec()
    };
    let inner = hexlane_core::digest::sha256(&[block(0x36), message.as_bytes().to_vec()].concat());
    hex(&hexlane_core::digest::sha256(
        &[block(0x5c), inner.to_vec()].concat(),
    ))
}

#[test]
fn a_github_source_takes_what_is_signed_so() {
    let secrets = vec![HOOK.to_owned()];
    let door = door(AuthSettings::GitHub { secrets }, |_| {});
    assert!(door.headers().contains(&"x-hub-signature-256"));
    assert!(!door.headers().contains(&"stripe-signature"));
    let body = point("a", "[1,2]");
    let head = head("application/json");
    let unsigned = ask(&door, &head, body.as_bytes());
    assert_eq!(told(&unsigned), (401, "signature.missing".to_owned()));
    let signed = head.with(
        "X-Hub-Signature-256",
        &format!("sha256={}", hmac_hex(&body)),
    );
    assert_eq!(ask(&door, &signed, body.as_bytes()).status, 202);
    let other = ask(&door, &signed, point("b", "[1,2]").as_bytes());
    assert_eq!(told(&other), (401, "signature.wrong".to_owned()));
}

#[test]
fn a_stripe_source_takes_what_is_signed_so_and_in_time() {
    let secrets = vec![HOOK.to_owned()];
    let auth = AuthSettings::Stripe {
        secrets,
        tolerance_s: 60,
    };
    let door = door(auth, |_| {});
    let body = point("a", "[1,2]");
    let signed = |at_s: i64| {
        let mac = hmac_hex(&format!("{at_s}.{body}"));
        head("application/json").with("stripe-signature", &format!("t={at_s},v1={mac}"))
    };
    assert_eq!(ask(&door, &signed(NOW_S), body.as_bytes()).status, 202);
    let old = ask(&door, &signed(NOW_S - 61), body.as_bytes());
    assert_eq!(told(&old), (401, "signature.too_old".to_owned()));
    let unsigned = ask(&door, &head("application/json"), body.as_bytes());
    assert_eq!(told(&unsigned), (401, "signature.missing".to_owned()));
}

#[test]
fn a_source_may_know_public_keys_alone() {
    let auth = |public_keys: &[&str]| AuthSettings::StandardWebhooks {
        secrets: Vec::new(),
        public_keys: public_keys.iter().map(|&key| key.to_owned()).collect(),
        tolerance_s: 300,
    };
    let public = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
    let door = door(auth(&[public]), |_| {});
    let head = head("application/json")
        .with("webhook-id", "a")
        .with("webhook-timestamp", &NOW_S.to_string())
        .with("webhook-signature", "v1,AAAA v1a,AAAA");
    let answer = ask(&door, &head, point("a", "[1,2]").as_bytes());
    assert_eq!(told(&answer), (401, "signature.wrong".to_owned()));
    let resolve = |auth: AuthSettings| {
        let settings = hexlane_core::source::SourceSettings::new(auth);
        settings.resolve("it", |_| None).unwrap_err().to_string()
    };
    assert_eq!(
        resolve(auth(&[])),
        "source `it`: `auth` names no secret; say `auth = \"none\"` to let everybody in"
    );
    assert_eq!(
        resolve(auth(&["whpk_AAAA"])),
        "source `it`: public key 1 is not `whpk_` and base64 of 32 bytes"
    );
}
