//! The unsharded stream that other producers write, here a Python program with redis-py.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::{Bell, Body, Queue};
use hexlane_backend_redis::Settings;
use hexlane_core::lane::Shard;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::drain::{ack, drain, fetch_all, lease, publish, waiting};
use support::fixture::{Place, Stores, foreign, layout, settings};
use support::server::Server;

/// As the producers of the first anchor do it.
const PRODUCER: &str = r#"
import json, sys, redis
client = redis.Redis(port=int(sys.argv[1]))
for number in range(int(sys.argv[2])):
    client.xadd("spatial.events", {
        "h3_cell": "861f8d7f7ffffff",
        "device_id": f"van-{number}",
        "geometry": json.dumps({"type": "Point", "coordinates": [8.5 + number / 100, 47.3]}),
        "observed_at": f"2023-11-14T22:13:{number:02}Z",
    })
if len(sys.argv) > 3:
    client.xadd("spatial.events", {"device_id": "van-bad", "geometry": sys.argv[3]})
"#;

#[expect(clippy::disallowed_methods, reason = "how `xtask test` names the tool")]
fn python() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("HEXLANE_PYTHON").filter(|name| !name.is_empty());
    named.map_or_else(|| root.join(".tools/venv/bin/python"), PathBuf::from)
}

fn produce(server: &Server, arguments: &[&str]) {
    let produced = Command::new(python())
        .args(["-c", PRODUCER, &server.port().to_string()])
        .args(arguments)
        .output()
        .expect("Python is there: `cargo xtask test` brings it");
    assert!(
        produced.status.success(),
        "redis-py is in that Python:\n{}",
        String::from_utf8_lossy(&produced.stderr)
    );
}

async fn stores() -> (Stores<Server>, Shard) {
    let server = Server::start();
    let settings = Settings {
        unsharded: Some(foreign()),
        ..settings(server.topology())
    };
    let shard = layout().unsharded();
    (Stores::with(server, settings).await, shard)
}

#[tokio::test]
async fn a_python_producers_events_are_read_in_order_and_acked() {
    let (mut stores, shard) = stores().await;
    assert_eq!(stores.queue.shards().last(), Some(&shard));
    let heard = stores.queue.arrived(Bell::default()).await.unwrap();
    produce(&stores.place, &["20"]);
    stores.queue.arrived(heard).await.unwrap();
    assert_eq!(waiting(&stores.queue, shard).await, (20, 0));
    let mut handed = fetch_all(&stores.queue, &lease(shard, 1)).await;
    assert_eq!(waiting(&stores.queue, shard).await, (0, 20));
    let entities: Vec<String> = handed
        .iter()
        .map(|each| each.envelope().expect("an event").entity.clone())
        .collect();
    let expected: Vec<String> = (0..20).map(|number| format!("van-{number}")).collect();
    assert_eq!(entities, expected);
    let rest = handed.split_off(10);
    let keys: Vec<_> = rest.iter().map(hexlane_backend::Delivery::key).collect();
    let settlements = handed.into_iter().map(ack).collect();
    stores
        .queue
        .settle(&lease(shard, 1), settlements)
        .await
        .unwrap();
    stores.place.crash();
    let queue = stores.another().await;
    let again = fetch_all(&queue, &lease(shard, 2)).await;
    let keys_again: Vec<_> = again.iter().map(hexlane_backend::Delivery::key).collect();
    assert_eq!(keys_again, keys, "the same events after a crash");
    assert_eq!(drain(&queue, &lease(shard, 3)).await.len(), 10);
    assert_eq!(waiting(&queue, shard).await, (0, 0));
}

#[tokio::test]
async fn a_faulty_entry_comes_as_bytes_for_poison_and_holds_nobody_up() {
    let (stores, shard) = stores().await;
    let bow = r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#;
    produce(&stores.place, &["1", bow]);
    produce(&stores.place, &["2", "no JSON"]);
    let handed = fetch_all(&stores.queue, &lease(shard, 1)).await;
    let reasons: Vec<Option<String>> = handed
        .iter()
        .map(|each| match each.body() {
            Body::Unreadable { reason, .. } => Some(reason.to_string()),
            Body::Event(_) | Body::Lost => None,
        })
        .collect();
    assert_eq!(reasons.iter().filter(|reason| reason.is_none()).count(), 3);
    let told = |place: usize| reasons[place].clone().unwrap_or_default();
    assert!(
        told(1).contains("geometry.self_intersection"),
        "{reasons:?}"
    );
    assert!(told(4).contains("not JSON"), "{reasons:?}");
    let settlements = handed.into_iter().map(ack).collect();
    stores
        .queue
        .settle(&lease(shard, 1), settlements)
        .await
        .unwrap();
    assert_eq!(waiting(&stores.queue, shard).await, (0, 0));
}

#[tokio::test]
async fn another_group_of_the_stream_keeps_what_it_has_not_acked() {
    let (stores, shard) = stores().await;
    let _: () = stores.place.ask(&[
        "XGROUP",
        "CREATE",
        "spatial.events",
        "others",
        "0",
        "MKSTREAM",
    ]);
    produce(&stores.place, &["5"]);
    drain(&stores.queue, &lease(shard, 1)).await;
    // Entries carry the server's time; that is long after the test's clock.
    stores
        .clock
        .advance(std::time::Duration::from_hours(24 * 365 * 50));
    stores.queue.backlog().await.unwrap();
    let length: i64 = stores.place.ask(&["XLEN", "spatial.events"]);
    assert_eq!(length, 5);
    let _: i64 = stores
        .place
        .ask(&["XGROUP", "DESTROY", "spatial.events", "others"]);
    stores.clock.advance(std::time::Duration::from_secs(11));
    stores.queue.backlog().await.unwrap();
    let length: i64 = stores.place.ask(&["XLEN", "spatial.events"]);
    assert_eq!(length, 0);
}

#[tokio::test]
async fn who_does_not_ask_for_the_stream_does_not_touch_it() {
    let stores = Stores::at(Server::start()).await;
    produce(&stores.place, &["3"]);
    publish(&stores.queue, &["a"]).await.unwrap();
    assert_eq!(waiting(&stores.queue, layout().unsharded()).await, (0, 0));
    let groups: Vec<redis::Value> = stores.place.ask(&["XINFO", "GROUPS", "spatial.events"]);
    assert!(groups.is_empty());
}
