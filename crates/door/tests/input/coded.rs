//! Bodies under `Content-Encoding: gzip`.

use crate::support::{NOW_S, WHSEC, ask, document, door, head, open_door, point, told};
use flate2::Compression;
use flate2::write::GzEncoder;
use hexlane_core::signature::{Secret, sign_webhook};
use hexlane_core::source::AuthSettings;
use hexlane_door::Head;
use std::io::Write as _;

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn coded() -> Head {
    head("application/geo+json").with("content-encoding", "gzip")
}

#[test]
fn what_is_coded_is_judged_as_it_was_and_offsets_are_those_of_the_plain_bytes() {
    let door = open_door();
    let good = point("a", "[1,2]");
    let (plain, undone) = (
        ask(&door, &head("application/geo+json"), good.as_bytes()),
        ask(&door, &coded(), &gzip(good.as_bytes())),
    );
    assert_eq!((undone.status, &undone), (202, &plain));
    let bad = point("a", "[1,95]");
    let answer = ask(&door, &coded(), &gzip(bad.as_bytes()));
    let offset = bad.find("[1,95]").unwrap();
    assert_eq!(document(&answer)["errors"][0]["byte_offset"], offset);
}

#[test]
fn a_sequence_may_be_coded_by_members() {
    let lines =
        [point("a", "[1,2]"), point("b", "[3,4]")].map(|line| gzip(format!("{line}\n").as_bytes()));
    let head = head("application/x-ndjson").with("content-encoding", "gzip");
    assert_eq!(
        document(&ask(&open_door(), &head, &lines.concat()))["accepted"],
        2
    );
}

#[test]
fn bombs_and_broken_bytes_have_their_answers() {
    let whole = gzip(point("a", "[1,2]").as_bytes());
    let mut broken = whole.clone();
    broken[12] ^= 0xff;
    for (body, status, code) in [
        (gzip(&vec![b' '; 10 << 20]), 413, "limit.bytes"),
        (whole[..whole.len() - 1].to_vec(), 400, "encoding.truncated"),
        (Vec::new(), 400, "encoding.truncated"),
        ([&whole[..], b"{}"].concat(), 400, "encoding.trailing_bytes"),
        (point("a", "[1,2]").into_bytes(), 400, "encoding.broken"),
        (broken, 400, "encoding.broken"),
    ] {
        let answer = ask(&open_door(), &coded(), &body);
        assert_eq!(told(&answer), (status, code.to_owned()));
    }
    let deflate = head("application/geo+json").with("content-encoding", "deflate");
    let answer = ask(&open_door(), &deflate, &whole);
    assert_eq!(told(&answer), (415, "encoding.unsupported".to_owned()));
    assert_eq!(answer.header("accept-encoding"), Some("gzip, identity"));
}

#[test]
fn the_signature_is_over_the_bytes_on_the_wire() {
    let auth = AuthSettings::StandardWebhooks {
        secrets: vec!["HOOK".to_owned()],
        public_keys: Vec::new(),
        tolerance_s: 300,
    };
    let door = door(auth, |_| {});
    let plain = point("a", "[1,2]");
    let wire = gzip(plain.as_bytes());
    let secret = Secret::from_whsec(WHSEC).unwrap();
    let signed = |bytes: &[u8]| {
        coded()
            .with("webhook-id", "msg_1")
            .with("webhook-timestamp", &NOW_S.to_string())
            .with(
                "webhook-signature",
                &sign_webhook(&secret, "msg_1", NOW_S, bytes),
            )
    };
    assert_eq!(ask(&door, &signed(&wire), &wire).status, 202);
    let by_plain = ask(&door, &signed(plain.as_bytes()), &wire);
    assert_eq!(told(&by_plain), (401, "signature.wrong".to_owned()));
    // Nothing is undone for who does not prove where it comes from.
    let bomb = gzip(&vec![b' '; 1 << 20]);
    let unproven = ask(&door, &signed(&wire), &bomb);
    assert_eq!(told(&unproven), (401, "signature.wrong".to_owned()));
}
