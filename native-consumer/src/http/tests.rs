//! The HTTP of the door over the in-memory backends: what is answered is the door's answer.

use super::{App, router};
use crate::metrics::Metrics;
use axum::body::Body;
use axum::http::Request;
use hexlane_backend::clock::ManualClock;
use hexlane_backend::fault::{Fault, FaultPlan, Faulty, Operation};
use hexlane_backend::memory::{MemoryLeases, MemoryMap, MemoryQueue};
use hexlane_backend::{
    Body as QueueBody, Clock, Code, Credit, Delivery, Holder, Leases as _, Position, Queue as _,
    QueueLimits,
};
use hexlane_core::Envelope;
use hexlane_core::digest::sha256;
use hexlane_core::envelope::Payload;
use hexlane_core::lane::Shard;
use hexlane_core::signature::Secret;
use hexlane_core::source::{AuthSettings, SourceSettings};
use hexlane_core::violation::Totals;
use hexlane_door::{
    Answer, Budget, Decision, Door, DoorSettings, Enqueued, Head, Meter, Problem, relay,
};
use hexlane_engine::Stores;
use http_body_util::BodyExt as _;
use std::sync::Arc;
use tower::ServiceExt as _;

const NOW_US: i64 = 1_796_040_000_000_000;
const POINT: &str =
    r#"{"type":"Feature","geometry":{"type":"Point","coordinates":[13,52]},"properties":{}}"#;
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type MemoryStores = Stores<MemoryLeases, Faulty<MemoryQueue>, MemoryMap, MemoryMap>;

struct Bench {
    app: Arc<App<MemoryStores>>,
    plan: FaultPlan,
}

fn door(shards: u16) -> Door {
    let mut settings = DoorSettings {
        shards,
        ..DoorSettings::default()
    };
    let source = SourceSettings::new(AuthSettings::None);
    settings.sources.insert("demo".to_owned(), source);
    settings.limits.body_bytes_max = 100_000;
    settings.resolve(|_| None).unwrap()
}

fn bench() -> Bench {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::at_us(NOW_US));
    let door = door(64);
    let queue = MemoryQueue::new(Arc::clone(&clock), door.shard_map(), QueueLimits::default());
    let plan = FaultPlan::default();
    let stores = Stores {
        leases: MemoryLeases::new(Arc::clone(&clock), 15_000),
        queue: Faulty::new(queue, plan.clone()),
        sink: MemoryMap::new(),
        dead_letters: MemoryMap::new(),
    };
    let secrets = vec![Secret::from_whsec(SECRET).unwrap()];
    let app = App::new(
        door,
        secrets,
        1 << 20,
        stores,
        clock,
        Arc::new(Metrics::default()),
    );
    Bench {
        app: Arc::new(app),
        plan,
    }
}

impl Bench {
    async fn ask(&self, head: &Head, names: &[&str], body: &[u8]) -> Answer {
        let mut request = Request::builder().method(head.method()).uri(head.path());
        for name in names {
            request = request.header(*name, head.header(name).unwrap());
        }
        let request = request.body(Body::from(body.to_vec())).unwrap();
        let response = router(Arc::clone(&self.app))
            .oneshot(request)
            .await
            .unwrap();
        let mut answer = Answer {
            status: response.status().as_u16(),
            headers: Vec::new(),
            body: Vec::new(),
            totals: Totals::new(),
        };
        for name in [
            "content-type",
            "cache-control",
            "allow",
            "accept-post",
            "accept-encoding",
            "retry-after",
        ] {
            for value in response.headers().get_all(name) {
                answer
                    .headers
                    .push((name, value.to_str().unwrap().to_owned().into()));
            }
        }
        answer.body = response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .to_vec();
        answer
    }

    async fn waiting(&self) -> u64 {
        let backlog = self.app.stores.queue.backlog().await.unwrap();
        backlog.iter().map(|shard| shard.ready).sum()
    }

    async fn relay(&self, envelopes: &[Envelope], secret: Option<&str>) -> Answer {
        let secret = secret.map(|secret| Secret::from_whsec(secret).unwrap());
        self.post(&relay::pack(envelopes.iter(), secret.as_ref(), NOW_US))
            .await
    }

    async fn post(&self, parcel: &relay::Parcel) -> Answer {
        let mut head = Head::new("POST", relay::PATH);
        for (name, value) in &parcel.headers {
            head = head.with(name, value);
        }
        let names: Vec<_> = parcel.headers.iter().map(|(name, _)| *name).collect();
        self.ask(&head, &names, &parcel.body).await
    }
}

/// The door alone, on a queue that takes everything as new.
fn expected(head: &Head, body: &[u8]) -> Answer {
    let (door, budget) = (door(64), Budget::new(1 << 20));
    let judged = || -> Result<Decision, Answer> {
        let opened = door.open(head)?;
        let mut meter: Meter = opened.meter(&budget)?;
        meter.push(body)?;
        Ok(opened.judge(meter.finish()?, NOW_US))
    };
    match judged() {
        Err(answer) | Ok(Decision::Answer(answer)) => answer,
        Ok(Decision::Enqueue(enqueue)) => {
            let said = vec![Enqueued::New; enqueue.envelopes().count()];
            enqueue.settle(Ok(&said))
        }
    }
}

fn envelopes(shards: u16) -> Vec<Envelope> {
    let door = door(shards);
    let head = geojson();
    let Ok(opened) = door.open(&head) else {
        panic!("refused")
    };
    let Decision::Enqueue(enqueue) = opened.judge(POINT.as_bytes(), NOW_US) else {
        panic!("refused")
    };
    enqueue.envelopes().cloned().collect()
}

fn geojson() -> Head {
    Head::new("POST", "/v1/events/demo").with("content-type", "application/geo+json")
}

#[tokio::test]
async fn every_answer_is_the_doors() {
    let large = format!("{POINT}{}", " ".repeat(200_000));
    let judged_aside = format!("{POINT}{}", " ".repeat(50_000));
    let bodies = [
        "",
        "{",
        "[]",
        "\u{feff}{}",
        POINT,
        &large,
        &judged_aside,
        r#"{"type":"Point","coordinates":[]}"#,
        r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#,
    ];
    let heads = [
        geojson(),
        geojson().with("idempotency-key", "k"),
        geojson().with("content-encoding", "br"),
        Head::new("POST", "/v1/events/demo"),
        Head::new("GET", "/v1/events/demo"),
        Head::new("post", "/v1/events/demo").with("content-type", "application/geo+json"),
        Head::new("POST", "/v1/events/nobody"),
        Head::new("POST", "/nowhere"),
    ];
    for head in &heads {
        for body in bodies {
            let mut names = vec!["content-type", "idempotency-key", "content-encoding"];
            names.retain(|name| head.header(name).is_some());
            let mut expected = expected(head, body.as_bytes());
            expected.headers.sort();
            // Of the answer itself alone: HTTP does not carry them.
            expected.totals = Totals::new();
            let mut answer = bench().ask(head, &names, body.as_bytes()).await;
            answer.headers.sort();
            assert_eq!(answer, expected, "{head:?} {body:.80}");
        }
    }
}

#[tokio::test]
async fn no_202_without_a_queue_that_has_it() {
    let bench = bench();
    let names = ["content-type"];
    bench
        .plan
        .on_call(Operation::Publish, 1, Fault::Fail(Code::DiskFull));
    bench.plan.on_call(Operation::Publish, 2, Fault::LoseAnswer);
    let answer = bench.ask(&geojson(), &names, POINT.as_bytes()).await;
    assert_eq!(
        (
            answer.status,
            answer.header("retry-after"),
            bench.waiting().await
        ),
        (503, Some("1"), 0)
    );
    let answer = bench.ask(&geojson(), &names, POINT.as_bytes()).await;
    assert_eq!((answer.status, bench.waiting().await), (503, 1));
    let answer = bench.ask(&geojson(), &names, POINT.as_bytes()).await;
    assert!(
        String::from_utf8(answer.body)
            .unwrap()
            .contains("\"duplicates\":1")
    );
}

#[tokio::test]
async fn the_relay_takes_a_signed_batch_and_answers_for_each() {
    let bench = bench();
    let envelopes = envelopes(64);
    let answer = bench.relay(&envelopes, Some(SECRET)).await;
    let said = relay::read_answer(answer.status, None, &answer.body);
    assert_eq!(said, Ok(vec![Enqueued::New]));
    assert_eq!(bench.waiting().await, 1);
    let answer = bench.relay(&envelopes, Some(SECRET)).await;
    let said = relay::read_answer(answer.status, None, &answer.body);
    assert_eq!(said, Ok(vec![Enqueued::Duplicate]));
}

#[tokio::test]
async fn the_relay_takes_nothing_unsigned_foreign_or_broken() {
    let bench = bench();
    let envelopes = envelopes(64);
    assert_eq!(bench.relay(&envelopes, None).await.status, 401);
    let other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx";
    assert_eq!(bench.relay(&envelopes, Some(other)).await.status, 401);
    let foreign = bench.relay(&self::envelopes(7), Some(SECRET)).await;
    assert_eq!(foreign.status, 400);
    assert!(
        String::from_utf8(foreign.body)
            .unwrap()
            .contains("shard map")
    );
    assert_eq!(
        bench
            .ask(&Head::new("GET", relay::PATH), &[], b"")
            .await
            .status,
        405
    );
    assert_eq!(bench.waiting().await, 0);
}

impl Bench {
    async fn bridge(&self, pieces: &[&[u8]]) -> Answer {
        let secret = Secret::from_whsec(SECRET).unwrap();
        self.post(&relay::pack_promised(pieces, Some(&secret), NOW_US))
            .await
    }

    /// What is on the queue, by what it is: the payload of events, the bytes of the rest.
    async fn on_the_queue(&self) -> Vec<String> {
        let mut found = Vec::new();
        for shard in 0..64 {
            let holder = Holder::new("test");
            let leases = &self.app.stores.leases;
            let lease = leases.acquire(Shard::new(shard), &holder).await.unwrap();
            let lease = lease.unwrap();
            let credit = Credit {
                events_max: 100,
                bytes_max: 1 << 20,
            };
            for position in [Position::Pending, Position::Pending, Position::New] {
                let fetched = self.app.stores.queue.fetch(&lease, position, credit).await;
                found.extend(fetched.unwrap().iter().map(text_of));
            }
        }
        found.sort();
        found
    }
}

fn text_of(delivery: &Delivery) -> String {
    let bytes = match delivery.body() {
        QueueBody::Event(envelope) => envelope.inline_payload().unwrap(),
        QueueBody::Unreadable { bytes, .. } => bytes,
        QueueBody::Lost => b"lost",
    };
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[tokio::test]
async fn what_was_promised_is_on_the_queue_whatever_it_is() {
    let bench = bench();
    let good = envelopes(64).remove(0);
    let mut other = good.clone();
    other.payload = Payload::Inline(b"other".to_vec());
    other.payload_sha256 = sha256(b"other");
    let asked = bench.relay(std::slice::from_ref(&good), Some(SECRET)).await;
    assert_eq!(asked.status, 200);
    let refused = bench
        .relay(std::slice::from_ref(&other), Some(SECRET))
        .await;
    let said = relay::read_answer(refused.status, None, &refused.body);
    assert_eq!(
        (said, bench.waiting().await),
        (Ok(vec![Enqueued::Conflict]), 1)
    );

    let pieces = [&other.encode()[..], b"no envelope", &good.encode()];
    let answer = bench.bridge(&pieces).await;
    let said = relay::read_answer(answer.status, None, &answer.body);
    let expected = vec![Enqueued::Conflict, Enqueued::New, Enqueued::Duplicate];
    assert_eq!(said, Ok(expected));
    let mut expected = ["no envelope", "other", POINT, POINT];
    expected.sort_unstable();
    assert_eq!(bench.on_the_queue().await, expected);
}

#[tokio::test]
async fn nothing_of_a_promised_batch_is_confirmed_when_some_of_it_is_not_on_the_queue() {
    let bench = bench();
    let fail = Fault::Fail(Code::DiskFull);
    bench.plan.on_call(Operation::Append, 1, fail);
    let good = envelopes(64).remove(0).encode();
    let pieces = [&good[..], b"no envelope"];
    assert_eq!(bench.bridge(&pieces).await.status, 503);
    let answer = bench.bridge(&pieces).await;
    let said = relay::read_answer(answer.status, None, &answer.body);
    assert_eq!(said, Ok(vec![Enqueued::Duplicate, Enqueued::New]));
}

#[tokio::test]
async fn an_envelope_over_the_limit_is_told_as_such() {
    let bench = bench();
    let mut large = envelopes(64).remove(0);
    large.payload = Payload::Inline(vec![b' '; 300_000]);
    assert_eq!(bench.bridge(&[&large.encode()]).await.status, 413);
}

#[tokio::test]
async fn ready_says_why_not() {
    let bench = bench();
    let ready = Head::new("GET", "/readyz");
    assert_eq!(bench.ask(&ready, &[], b"").await.status, 200);
    bench
        .plan
        .on_call(Operation::Writable, 2, Fault::Fail(Code::Io));
    let answer = bench.ask(&ready, &[], b"").await;
    assert_eq!(
        (answer.status, answer.body.as_slice()),
        (
            503,
            &br#"{"part":"queue","ready":false,"reason":"store.io"}"#[..]
        )
    );
    bench.app.readiness().stop();
    let answer = bench.ask(&ready, &[], b"").await;
    assert_eq!(answer.body, br#"{"ready":false,"reason":"stopping"}"#);
}

#[tokio::test]
async fn a_backlog_that_cannot_be_read_is_counted_and_shows_no_old_number() {
    let bench = bench();
    let head = geojson();
    let accepted = bench.ask(&head, &["content-type"], POINT.as_bytes());
    assert_eq!(accepted.await.status, 202);
    let read = "hexlane_backlog_reads_failed_total";
    let scraped = async || {
        let answer = bench.ask(&Head::new("GET", "/metrics"), &[], b"").await;
        String::from_utf8(answer.body).unwrap()
    };
    let shows = |text: &str, line: &str| text.lines().any(|each| each.starts_with(line));
    let before = scraped().await;
    assert!(shows(&before, "hexlane_queue_ready_events{"), "{before}");
    bench
        .plan
        .on_call(Operation::Backlog, 2, Fault::Fail(Code::Io));
    let (failing, after) = (scraped().await, scraped().await);
    assert!(!shows(&failing, "hexlane_queue_ready_events{"), "{failing}");
    assert!(shows(&after, "hexlane_queue_ready_events{"), "{after}");
    for (text, failed) in [(before, 0), (failing, 1), (after, 1)] {
        let line = format!("{read}{{store=\"queue\"}} {failed}");
        assert!(shows(&text, &line), "{line}\n{text}");
        assert!(shows(&text, &format!("{read}{{store=\"dead_letters\"}} 0")));
    }
}

#[tokio::test]
async fn status_is_told_to_loopback_alone() {
    let answer = bench().ask(&Head::new("GET", "/v1/status"), &[], b"").await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn what_only_tells_takes_no_other_method() {
    let expected = Problem::MethodNotAllowed { allow: "GET, HEAD" }.answer();
    for path in ["/livez", "/readyz", "/metrics", "/v1/status"] {
        for method in ["POST", "DELETE", "get"] {
            let answer = bench().ask(&Head::new(method, path), &[], b"{}").await;
            assert_eq!(answer, expected, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn it_is_alive_in_the_words_of_the_worker() {
    let answer = bench().ask(&Head::new("GET", "/livez"), &[], b"").await;
    assert_eq!(answer.body, br#"{"status":"live"}"#);
}
