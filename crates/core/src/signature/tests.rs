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
