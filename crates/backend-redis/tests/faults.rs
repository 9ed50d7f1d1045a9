//! What happens to the queue when Redis is not as it was: each fault is made on a real
//! server.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{
    Authority, Bell, Code, Credit, FailureKind, Position, Published, Queue, RetryState, StoreError,
};
use hexlane_backend_redis::{RedisQueue, Settings, Topology, Warning};
use hexlane_core::Outcome;
use hexlane_core::lane::ShardMap;
use hexlane_streams::Layout;
use support::drain::{
    PLENTY, SHARD, ack, apply_all, drain, fetch_all, ids, lease, publish, waiting,
};
use support::fixture::{Stores, settings};
use support::server::Server;

const STREAM: &str = "spatial.events:{007}";
const GROUP: &str = "geometry-workers";

async fn stores() -> Stores<Server> {
    Stores::at(Server::start()).await
}

async fn refusal(settings: Settings) -> hexlane_backend::Failure {
    let clock = hexlane_backend::conformance::Setup::clock();
    let Err(failure) = RedisQueue::connect(settings, clock).await else {
        panic!("connected")
    };
    failure
}

fn at(server: &Server) -> Settings {
    settings(Topology::Single(server.address()))
}

#[tokio::test]
async fn a_forgotten_script_is_sent_again() {
    let stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    let _: () = stores.place.ask(&["SCRIPT", "FLUSH"]);
    publish(&stores.queue, &["b"]).await.unwrap();
    let _: () = stores.place.ask(&["SCRIPT", "FLUSH"]);
    let first = lease(SHARD, 1);
    let handed = fetch_all(&stores.queue, &first).await;
    assert_eq!(ids(&handed), ["a", "b"]);
    let _: () = stores.place.ask(&["SCRIPT", "FLUSH"]);
    let settlements = handed.into_iter().map(ack).collect();
    assert_eq!(
        stores
            .queue
            .settle(&first, settlements)
            .await
            .unwrap()
            .len(),
        2
    );
    let _: () = stores.place.ask(&["SCRIPT", "FLUSH"]);
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 0));
}

#[tokio::test]
async fn an_answer_that_was_lost_is_given_again_under_the_same_epoch() {
    let stores = stores().await;
    let first = lease(SHARD, 1);
    assert!(fetch_all(&stores.queue, &first).await.is_empty());
    publish(&stores.queue, &["a", "b", "c"]).await.unwrap();
    // The server hands out as new what nobody here has seen.
    let lost = fetch_all(&stores.another().await, &first).await;
    assert_eq!(ids(&lost), ["a", "b", "c"]);
    let again = stores.queue.fetch(&first, Position::New, PLENTY).await;
    assert_eq!(ids(&again.unwrap()), ["a", "b", "c"]);
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 3));
}

#[tokio::test]
async fn what_was_read_beyond_the_credit_comes_next_and_is_not_in_flight() {
    let stores = stores().await;
    let keys: Vec<String> = (0..100).map(|number| format!("k{number:03}")).collect();
    let names: Vec<&str> = keys.iter().map(String::as_str).collect();
    publish(&stores.queue, &names).await.unwrap();
    let first = lease(SHARD, 1);
    let none = stores.queue.fetch(&first, Position::Pending, PLENTY).await;
    assert_eq!(none.unwrap().len(), 0);
    let size = Sample::new("k000").envelope().encode().len();
    let credit = Credit {
        events_max: 50,
        bytes_max: size * 7,
    };
    let mut came = Vec::new();
    while came.len() < keys.len() {
        let page = stores
            .queue
            .fetch(&first, Position::New, credit)
            .await
            .unwrap();
        assert!((1..=7).contains(&page.len()), "{} entries", page.len());
        came.extend(ids(&page));
        let handed = came.len() as u64;
        assert_eq!(waiting(&stores.queue, SHARD).await, (100 - handed, handed));
    }
    assert_eq!(came, keys);
}

#[tokio::test]
async fn a_group_that_is_gone_is_made_again_from_the_start() {
    let stores = stores().await;
    publish(&stores.queue, &["a", "b"]).await.unwrap();
    assert_eq!(apply_all(&stores, SHARD).await, [Outcome::Applied; 2]);
    publish(&stores.queue, &["c"]).await.unwrap();
    assert_eq!(stores.queue.groups_recreated(), 0);
    let _: i64 = stores.place.ask(&["XGROUP", "DESTROY", STREAM, GROUP]);
    // Everything on the stream comes again, nothing is skipped, each has one effect.
    let outcomes = apply_all(&stores, SHARD).await;
    let expected = [Outcome::Duplicate, Outcome::Duplicate, Outcome::Applied];
    assert_eq!(outcomes, expected);
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 0));
}

#[tokio::test]
async fn a_group_that_vanishes_under_an_epoch_is_told() {
    let stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    let first = lease(SHARD, 1);
    assert_eq!(drain(&stores.queue, &first).await, ["a"]);
    let _: i64 = stores.place.ask(&["XGROUP", "DESTROY", STREAM, GROUP]);
    publish(&stores.queue, &["b"]).await.unwrap();
    assert_eq!(drain(&stores.queue, &first).await, ["a", "b"]);
    assert_eq!(stores.queue.groups_recreated(), 1);
}

#[tokio::test]
async fn an_emptied_server_is_used_as_a_new_one() {
    let stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    let first = lease(SHARD, 1);
    assert_eq!(drain(&stores.queue, &first).await, ["a"]);
    let _: () = stores.place.ask(&["FLUSHALL"]);
    publish(&stores.queue, &["b", "c"]).await.unwrap();
    assert_eq!(drain(&stores.queue, &first).await, ["b", "c"]);
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 0));
}

#[tokio::test]
async fn a_body_that_is_gone_is_handed_out_as_lost() {
    let stores = stores().await;
    publish(&stores.queue, &["a", "b", "c"]).await.unwrap();
    let handed = fetch_all(&stores.queue, &lease(SHARD, 1)).await;
    let receipt = handed[1].receipt().as_str().to_owned();
    let _: i64 = stores.place.ask(&["XDEL", STREAM, &receipt]);
    let second = lease(SHARD, 2);
    let handed = fetch_all(&stores.queue, &second).await;
    assert_eq!(ids(&handed), ["a", "lost", "c"]);
    assert_eq!(handed[1].receipt().as_str(), receipt);
    let settlements = handed.into_iter().map(ack).collect();
    assert_eq!(
        stores
            .queue
            .settle(&second, settlements)
            .await
            .unwrap()
            .len(),
        3
    );
    assert_eq!(waiting(&stores.queue, SHARD).await, (0, 0));
    let backlog = stores.queue.backlog().await.unwrap();
    assert!(backlog.iter().all(|row| row.bytes == 0), "{backlog:?}");
}

#[tokio::test]
async fn bytes_that_are_no_envelope_are_handed_out_as_they_are() {
    let stores = stores().await;
    let _: String = stores
        .place
        .ask(&["XADD", STREAM, "*", "envelope", "no such thing"]);
    let _: String = stores.place.ask(&["XADD", STREAM, "*", "other", "x"]);
    let first = lease(SHARD, 1);
    let handed = fetch_all(&stores.queue, &first).await;
    assert_eq!(ids(&handed), ["unreadable", "unreadable"]);
    let hexlane_backend::Body::Unreadable { bytes, .. } = handed[0].body() else {
        panic!("no envelope")
    };
    assert_eq!(bytes, b"no such thing");
}

#[tokio::test]
async fn a_server_that_comes_back_is_used_again() {
    let mut stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    stores.place.kill();
    let away = publish(&stores.queue, &["b"]).await.unwrap_err();
    assert_eq!(away.kind, FailureKind::Later, "{away}");
    let away = publish(&stores.queue, &["b"]).await.unwrap_err();
    assert_eq!(away.code, Code::Unavailable, "{away}");
    let first = lease(SHARD, 1);
    let fetched = stores.queue.fetch(&first, Position::Pending, PLENTY).await;
    assert!(
        matches!(fetched, Err(StoreError::Failed(failure)) if failure.kind == FailureKind::Later)
    );
    stores.place.start_again();
    let words = publish(&stores.queue, &["b"]).await.unwrap();
    assert_eq!(words, [Published::Enqueued]);
    assert_eq!(drain(&stores.queue, &lease(SHARD, 1)).await, ["a", "b"]);
}

#[tokio::test]
async fn the_doorbell_tells_a_loss_and_rings_after_it() {
    let mut stores = stores().await;
    let heard = stores.queue.arrived(Bell::default()).await.unwrap();
    stores.place.kill();
    let lost = stores.queue.arrived(heard).await.unwrap_err();
    assert_eq!(lost.kind, FailureKind::Later, "{lost}");
    stores.place.start_again();
    let again = loop {
        // A look while the server was starting may still fail.
        if let Ok(again) = stores.queue.arrived(heard).await {
            break again;
        }
    };
    assert!(again > heard);
}

#[tokio::test]
async fn the_doorbell_hears_each_of_many_and_an_idle_one_rests() {
    let stores = stores().await;
    let mut heard = stores.queue.arrived(Bell::default()).await.unwrap();
    for number in 0..20_u16 {
        let sample = Sample::new(&number.to_string()).shard(number);
        stores.queue.publish(vec![sample.envelope()]).await.unwrap();
        heard = stores.queue.arrived(heard).await.unwrap();
    }
    let idle = tokio::time::timeout(
        std::time::Duration::from_millis(300),
        stores.queue.arrived(heard),
    );
    assert!(idle.await.is_err(), "nothing came and it rang");
}

#[tokio::test]
async fn a_replica_is_refused_with_a_sentence() {
    let master = Server::start();
    let port = master.port().to_string();
    let replica = Server::start_and(&["--replicaof", "127.0.0.1", &port]);
    let refused = refusal(at(&replica)).await;
    assert_eq!(refused.code, Code::ReadOnly);
    assert!(refused.to_string().contains("replica"), "{refused}");
}

#[tokio::test]
async fn a_server_that_becomes_a_replica_refuses_writes_and_loses_nothing() {
    let (other, stores) = (Server::start(), stores().await);
    publish(&stores.queue, &["a"]).await.unwrap();
    let port = other.port().to_string();
    let _: () = stores
        .place
        .ask(&["CONFIG", "SET", "replica-read-only", "yes"]);
    // It follows a master that is not there: its data stays.
    let _: () = other.ask(&["CONFIG", "SET", "requirepass", "x"]);
    let _: () = stores.place.ask(&["REPLICAOF", "127.0.0.1", &port]);
    let refused = publish(&stores.queue, &["b"]).await.unwrap_err();
    assert_eq!(refused.code, Code::ReadOnly, "{refused}");
    let asked = stores.queue.writable().await.unwrap_err();
    assert_eq!(asked.code, Code::ReadOnly, "{asked}");
    let _: () = stores.place.ask(&["REPLICAOF", "NO", "ONE"]);
    stores.queue.writable().await.unwrap();
    publish(&stores.queue, &["b"]).await.unwrap();
    assert_eq!(drain(&stores.queue, &lease(SHARD, 1)).await, ["a", "b"]);
}

#[tokio::test]
async fn a_wrong_password_is_told_and_not_retried() {
    let server = Server::start_and(&["--requirepass", "right"]);
    let mut settings = at(&server);
    let none = refusal(settings.clone()).await;
    assert_eq!(
        (none.code, none.kind),
        (Code::Settings, FailureKind::Never),
        "{none}"
    );
    settings.login = Some(hexlane_backend_redis::Login {
        user: None,
        password: "wrong".to_owned(),
    });
    let wrong = refusal(settings.clone()).await;
    assert_eq!(wrong.code, Code::Settings, "{wrong}");
    assert!(
        !format!("{wrong:?} {settings:?}").contains("wrong\""),
        "the password is shown"
    );
}

#[tokio::test]
async fn a_server_that_is_away_is_asked_again_later() {
    let mut server = Server::start();
    server.kill();
    let away = refusal(at(&server)).await;
    assert_eq!(
        (away.code, away.kind),
        (Code::Unavailable, FailureKind::Later),
        "{away}"
    );
}

#[tokio::test]
async fn a_server_that_keeps_nothing_is_refused_unless_the_settings_say_so() {
    let server = Server::start_with(&["--appendonly", "no", "--save", ""]);
    let refused = refusal(at(&server)).await;
    assert!(refused.to_string().contains("appendonly yes"), "{refused}");
    let trial = Settings {
        persistence: hexlane_backend_redis::Persistence::NotRequired,
        ..at(&server)
    };
    let clock = hexlane_backend::conformance::Setup::clock();
    let queue = RedisQueue::connect(trial, clock).await.unwrap();
    assert!(queue.warnings().contains(&Warning::NoPersistence));
}

#[tokio::test]
async fn a_lazy_log_is_a_warning_and_eviction_of_streams_is_refused() {
    let lazy = Server::start_with(&["--appendonly", "yes", "--appendfsync", "everysec"]);
    let stores = Stores::at(lazy).await;
    let everysec = Warning::AppendFsync("everysec".to_owned());
    assert!(stores.queue.warnings().contains(&everysec));
    let evicts = ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"];
    let refused = refusal(at(&Server::start_and(&evicts))).await;
    assert!(refused.to_string().contains("noeviction"), "{refused}");
}

#[tokio::test]
async fn a_node_of_a_cluster_named_as_one_server_is_refused() {
    let node = Server::start_and(&["--cluster-enabled", "yes", "--cluster-port", "%BUS%"]);
    let refused = refusal(at(&node)).await;
    assert_eq!(refused.code, Code::Settings, "{refused}");
    assert!(refused.to_string().contains("cluster"), "{refused}");
}

#[tokio::test]
async fn another_shard_map_is_refused_at_start_and_by_the_script() {
    let stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    let eight = ShardMap::new(8).unwrap();
    let other = Settings {
        layout: Layout::new("spatial.events", eight).unwrap(),
        ..at(&stores.place)
    };
    let refused = refusal(other.clone()).await;
    assert_eq!(refused.code, Code::ShardMapMismatch);
    // A writer that does not look at the map of the whole, as the Worker.
    let _: i64 = stores.place.ask(&["DEL", "spatial.events:meta"]);
    let clock = hexlane_backend::conformance::Setup::clock();
    let queue = RedisQueue::connect(other, clock).await.unwrap();
    let mut envelope = Sample::new("b").envelope();
    envelope.shard_map = eight;
    let refused = queue.publish(vec![envelope]).await.unwrap_err();
    assert_eq!(refused.code, Code::ShardMapMismatch, "{refused}");
}

#[tokio::test]
async fn a_key_of_another_type_is_told() {
    let stores = stores().await;
    let _: () = stores.place.ask(&["SET", STREAM, "x"]);
    let refused = publish(&stores.queue, &["a"]).await.unwrap_err();
    assert_eq!(refused.code, Code::NotAStore, "{refused}");
    let fetched = stores
        .queue
        .fetch(&lease(SHARD, 1), Position::Pending, PLENTY)
        .await;
    let Err(StoreError::Failed(failure)) = fetched else {
        panic!("{fetched:?}")
    };
    assert_eq!(failure.code, Code::NotAStore);
}

#[tokio::test]
async fn a_lease_of_a_shard_that_is_not_here_makes_no_keys() {
    let stores = stores().await;
    let far = lease(hexlane_core::lane::Shard::new(700), 1);
    let fetched = stores.queue.fetch(&far, Position::Pending, PLENTY).await;
    assert!(
        matches!(fetched, Err(StoreError::Failed(failure)) if failure.code == Code::ShardMapMismatch)
    );
    let keys: Vec<String> = stores.place.ask(&["KEYS", "*700*"]);
    assert!(keys.is_empty(), "{keys:?}");
}

#[tokio::test]
async fn a_publish_that_reached_some_shards_is_told_as_open() {
    let stores = stores().await;
    let _: () = stores.place.ask(&["SET", "spatial.events:{008}", "x"]);
    let both = vec![
        Sample::new("a").envelope(),
        Sample::new("b").shard(8).envelope(),
    ];
    let failure = stores.queue.publish(both).await.unwrap_err();
    assert!(failure.may_have_happened(), "{failure}");
    assert_eq!(failure.kind, FailureKind::Later);
}

#[tokio::test]
async fn epochs_and_states_longer_than_a_lua_number_are_kept() {
    let stores = stores().await;
    publish(&stores.queue, &["a"]).await.unwrap();
    let (below, above) = (lease(SHARD, u64::MAX - 1), lease(SHARD, u64::MAX));
    assert_eq!(fetch_all(&stores.queue, &below).await.len(), 1);
    let handed = fetch_all(&stores.queue, &above).await;
    let fenced = stores.queue.fetch(&below, Position::New, PLENTY).await;
    assert!(matches!(fenced, Err(StoreError::Fenced { current, .. }) if current == above.epoch));
    let retry = RetryState {
        previous_delay_ms: u64::MAX,
        due_at_us: i64::MIN,
        ..RetryState::default()
    };
    let deferral = handed.into_iter().next().unwrap().defer(retry.clone());
    let settled = stores.queue.settle(&above, vec![deferral]).await.unwrap();
    assert_eq!(settled.len(), 1);
    let again = fetch_all(&stores.another().await, &above).await;
    assert_eq!(again[0].retry(), &retry);
}

#[tokio::test]
async fn over_maxmemory_intake_is_refused_and_draining_goes_on() {
    let limits = ["--maxmemory", "12mb", "--maxmemory-policy", "noeviction"];
    let stores = Stores::at(Server::start_and(&limits)).await;
    let map = Authority::parse(&"a".repeat(Authority::DIGITS)).unwrap();
    stores.queue.bind(&map).await.unwrap();
    let mut published = 0_usize;
    let refused = loop {
        let payload = vec![b'x'; 50_000];
        let sample = Sample::new(&published.to_string()).payload(&payload);
        match stores.queue.publish(vec![sample.envelope()]).await {
            Ok(_) => published += 1,
            Err(failure) => break failure,
        }
        assert!(published < 10_000, "12 MB hold no 500 MB");
    };
    assert_eq!(
        (refused.code, refused.kind),
        (Code::DiskFull, FailureKind::Later),
        "{refused}"
    );
    let asked = stores.queue.writable().await.unwrap_err();
    assert_eq!(asked.code, Code::DiskFull, "{asked}");
    // Who restarts meanwhile is let in, to drain.
    stores.another().await.bind(&map).await.unwrap();
    // A takeover, a deferral and acks, all over the limit.
    let owner = lease(SHARD, 3);
    let mut handed = fetch_all(&stores.queue, &owner).await;
    assert_eq!(handed.len(), published);
    let deferral = handed.remove(0).defer(RetryState::default());
    let mut settlements = vec![deferral];
    settlements.extend(handed.into_iter().map(ack));
    stores.queue.settle(&owner, settlements).await.unwrap();
    let left = fetch_all(&stores.queue, &lease(SHARD, 4)).await;
    assert_eq!(ids(&left), ["0"]);
    let settlements = left.into_iter().map(ack).collect();
    stores
        .queue
        .settle(&lease(SHARD, 4), settlements)
        .await
        .unwrap();
    // What is acked goes before intake is refused.
    publish(&stores.queue, &["after"]).await.unwrap();
    assert_eq!(drain(&stores.queue, &lease(SHARD, 4)).await, ["after"]);
}
