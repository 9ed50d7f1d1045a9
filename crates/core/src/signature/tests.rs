//! Signatures made here and by others: which are taken, and why the rest is not.

use super::*;

const NOW_US: i64 = 1_614_265_330_000_000;

fn secret() -> Secret {
    Secret::from_whsec("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap()
}

fn verify(id: &str, timestamp: &str, signature: &str, body: &[u8]) -> Result<(), SignatureFault> {
    let headers = WebhookHeaders {
        id: Some(id),
        timestamp: Some(timestamp),
        signature: Some(signature),
    };
    verify_webhook(headers, body, &[secret()], NOW_US, 300)
}

/// The vector that the Standard Webhooks libraries share.
#[test]
fn the_published_vector_verifies() {
    let body = br#"{"test": 2432232314}"#;
    let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    assert_eq!(
        sign_webhook(
            &secret(),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            body
        ),
        signature
    );
    assert_eq!(
        verify(
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            signature,
            body
        ),
        Ok(())
    );
    let several = format!("v1,AAAA v2,zzz {signature}");
    assert_eq!(
        verify("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", &several, body),
        Ok(())
    );
}

#[test]
fn each_way_to_be_wrong_has_its_own_fault() {
    let body = b"{}";
    let signed = sign_webhook(&secret(), "a", 1_614_265_330, body);
    assert_eq!(
        verify("a", "1614265330", &signed, b"{} "),
        Err(SignatureFault::Wrong)
    );
    assert_eq!(
        verify("b", "1614265330", &signed, body),
        Err(SignatureFault::Wrong)
    );
    assert_eq!(
        verify("a", "1614265330", "", body),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify("a", "1614265330", "v1", body),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify("a", "1614265330", "v1,%%%", body),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify("a", "1614265330", &signed[..20], body),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify("a", "+1614265330", &signed, body),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify("a", "1614265330", "v1a,xxxx", body),
        Err(SignatureFault::Wrong)
    );
    let old = sign_webhook(&secret(), "a", 1_614_265_029, body);
    assert_eq!(
        verify("a", "1614265029", &old, body),
        Err(SignatureFault::TooOld)
    );
    let early = sign_webhook(&secret(), "a", 1_614_265_631, body);
    assert_eq!(
        verify("a", "1614265631", &early, body),
        Err(SignatureFault::TooEarly)
    );
    let none = WebhookHeaders::default();
    assert_eq!(
        verify_webhook(none, body, &[secret()], NOW_US, 300),
        Err(SignatureFault::Missing)
    );
}

#[test]
fn either_of_two_secrets_verifies_during_rotation() {
    let old = Secret::from_whsec("whsec_b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk").unwrap();
    let signature = sign_webhook(&old, "a", 1_614_265_330, b"{}");
    let headers = WebhookHeaders {
        id: Some("a"),
        timestamp: Some("1614265330"),
        signature: Some(&signature),
    };
    assert_eq!(
        verify_webhook(headers, b"{}", &[secret(), old], NOW_US, 300),
        Ok(())
    );
}

#[test]
fn a_bearer_token_must_be_the_whole_token() {
    let tokens = [Secret::from_text("0123456789abcdef").unwrap()];
    assert_eq!(
        verify_bearer(Some("Bearer 0123456789abcdef"), &tokens),
        Ok(())
    );
    assert_eq!(
        verify_bearer(Some("bearer 0123456789abcde"), &tokens),
        Err(SignatureFault::Wrong)
    );
    assert_eq!(
        verify_bearer(Some("Bearer "), &tokens),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(
        verify_bearer(Some("Basic x"), &tokens),
        Err(SignatureFault::Malformed)
    );
    assert_eq!(verify_bearer(None, &tokens), Err(SignatureFault::Missing));
}

#[test]
fn a_secret_is_never_printed() {
    assert_eq!(format!("{:?}", secret()), "Secret(…)");
}

/// The vector that the Standard Webhooks libraries share for `v1a`.
#[test]
fn the_published_asymmetric_vector_verifies() {
    let key = PublicKey::from_whpk("whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=").unwrap();
    let body = br#"{"test": 2432232314}"#;
    let signature = "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";
    let verify = |id: &str, signature: &str, body: &[u8], keys: &[PublicKey]| {
        let headers = WebhookHeaders {
            id: Some(id),
            timestamp: Some("1614265330"),
            signature: Some(signature),
        };
        verify_webhook_by(headers, body, &[], keys, NOW_US, 300)
    };
    let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    let keys = [key];
    assert_eq!(verify(id, signature, body, &keys), Ok(()));
    let several = format!("v1,AAAA v1a,AAAA {signature}");
    assert_eq!(verify(id, &several, body, &keys), Ok(()));
    for (id, signature, body, keys) in [
        ("msg_other", signature, &body[..], &keys[..]),
        (id, signature, b"{}", &keys),
        (id, &signature.replace("hnO3", "hnO4"), body, &keys),
        (id, signature, body, &[]),
        (id, &signature.replace("v1a", "v1"), body, &keys),
        (id, &signature[..40], body, &keys),
    ] {
        assert_eq!(
            verify(id, signature, body, keys),
            Err(SignatureFault::Wrong)
        );
    }
    let garbled = verify(id, "v1a,%", body, &keys);
    assert_eq!(garbled, Err(SignatureFault::Malformed));
}

#[test]
fn any_of_several_public_keys_and_secrets_may_have_signed_in_time() {
    use ed25519_dalek::{Signer as _, SigningKey};
    let signer = SigningKey::from_bytes(&[7; 32]);
    let public = |key: &SigningKey| {
        let bytes = key.verifying_key().to_bytes();
        PublicKey::from_whpk(&format!("whpk_{}", STANDARD.encode(bytes))).unwrap()
    };
    let keys = [public(&SigningKey::from_bytes(&[1; 32])), public(&signer)];
    let asymmetric = STANDARD.encode(signer.sign(b"a.1614265330.{}").to_bytes());
    let symmetric = sign_webhook(&secret(), "a", 1_614_265_330, b"{}");
    for signature in [format!("v1a,{asymmetric}"), symmetric] {
        let headers = WebhookHeaders {
            id: Some("a"),
            timestamp: Some("1614265330"),
            signature: Some(&signature),
        };
        let at = |now_us| verify_webhook_by(headers, b"{}", &[secret()], &keys, now_us, 300);
        assert_eq!(at(NOW_US), Ok(()), "{signature}");
        assert_eq!(at(NOW_US + 301_000_000), Err(SignatureFault::TooOld));
        assert_eq!(at(NOW_US - 301_000_000), Err(SignatureFault::TooEarly));
    }
}

#[test]
fn a_public_key_that_is_none_is_told() {
    let bytes = |first| {
        let mut bytes = [0; 32];
        bytes[0] = first;
        format!("whpk_{}", STANDARD.encode(bytes))
    };
    let form = "is not `whpk_` and base64 of 32 bytes";
    for (text, reason) in [
        (bytes(0).replace("whpk", "whsec"), form),
        ("whpk_AAAA".to_owned(), form),
        ("whpk_%".to_owned(), form),
        (bytes(2), "is no Ed25519 key"),
        (bytes(1), "is a weak key: anybody could sign for it"),
    ] {
        assert_eq!(PublicKey::from_whpk(&text), Err(reason), "{text}");
    }
}

/// The vector in GitHub's documentation.
#[test]
fn githubs_published_vector_verifies() {
    let secrets = ["another secret of ours", "It's a Secret to Everybody"]
        .map(|text| Secret::from_text(text).unwrap());
    let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let verify = |header: &str, body: &[u8]| verify_github(Some(header), body, &secrets);
    assert_eq!(verify(good, b"Hello, World!"), Ok(()));
    let upper = good.to_uppercase().replace("SHA256", "sha256");
    assert_eq!(verify(&upper, b"Hello, World!"), Ok(()));
    assert_eq!(verify(good, b"Hello, World"), Err(SignatureFault::Wrong));
    for header in [
        "",
        "sha256=",
        &good[..70],
        &good[7..],
        &format!("{good}0"),
        &good.replace("sha256", "sha1"),
        &good.replace("=757", "=7\u{b5}"),
        &good.replace("=75", "=+5"),
    ] {
        assert_eq!(
            verify(header, b"Hello, World!"),
            Err(SignatureFault::Malformed),
            "{header}"
        );
    }
    let none = verify_github(None, b"", &secrets);
    assert_eq!(none, Err(SignatureFault::Missing));
    let unset = verify_github(Some(good), b"Hello, World!", &[]);
    assert_eq!(unset, Err(SignatureFault::Wrong));
}

/// The signatures are another implementation's (Python's `hmac`).
#[test]
fn stripe_style_takes_several_signatures_and_one_time() {
    let secrets = ["whsec_older_of_two_secrets", "whsec_newer_of_two_secrets"]
        .map(|text| Secret::from_text(text).unwrap());
    let (older, newer) = (
        "6600e1b8fd067a49cc22865818c8286fec14712a66b6cde70b2f5a780b23f810",
        "e05af1551e767270a532e54a02abaac25f1645361a7a2588ab2cf8398fca9bee",
    );
    let verify =
        |header: &str, body: &[u8]| verify_stripe(Some(header), body, &secrets, NOW_US, 300);
    let wrong = "0".repeat(64);
    for header in [
        format!("t=1614265330,v1={older}"),
        format!("t=1614265330,v1={newer}"),
        format!("t=1614265330, v1={wrong}, v1={newer}, v0=anything"),
        format!("v1={newer},t=1614265330"),
    ] {
        assert_eq!(verify(&header, b"{}"), Ok(()), "{header}");
    }
    let good = format!("t=1614265330,v1={newer}");
    assert_eq!(verify(&good, b"{} "), Err(SignatureFault::Wrong));
    let other_time = good.replace("330", "331");
    assert_eq!(verify(&other_time, b"{}"), Err(SignatureFault::Wrong));
    for header in [
        String::new(),
        "t=1614265330".to_owned(),
        format!("v1={newer}"),
        format!("t=+1614265330,v1={newer}"),
        format!("t=1614265330,t=1614265330,v1={newer}"),
        format!("t=1614265330,v1={}", &newer[1..]),
        format!("t=1614265330,v1={newer},"),
    ] {
        assert_eq!(
            verify(&header, b"{}"),
            Err(SignatureFault::Malformed),
            "{header}"
        );
    }
    let at = |now_us| verify_stripe(Some(&good), b"{}", &secrets, now_us, 300);
    assert_eq!(at(NOW_US + 300_000_000), Ok(()));
    assert_eq!(at(NOW_US + 301_000_000), Err(SignatureFault::TooOld));
    assert_eq!(at(NOW_US - 301_000_000), Err(SignatureFault::TooEarly));
    let none = verify_stripe(None, b"{}", &secrets, NOW_US, 300);
    assert_eq!(none, Err(SignatureFault::Missing));
}
