//! Users with the least privilege, and TLS.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::conformance::Setup;
use hexlane_backend::conformance::sample::Sample;
use hexlane_backend::{Authority, Bell, Code, Queue, RetryState};
use hexlane_backend_redis::{
    Login, RedisQueue, Settings, Tls, Topology, consumer_rules, publisher_rules,
};
use hexlane_streams::{Layout, Publish, Terms, read_answer};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use std::path::Path;
use support::drain::{SHARD, ack, drain, fetch_all, lease, publish, waiting};
use support::fixture::{foreign, settings};
use support::server::Server;

fn set_user(server: &Server, name: &str, rules: &[String]) {
    let mut words = vec!["ACL", "SETUSER", name, "reset", "on", ">secret"];
    words.extend(rules.iter().map(String::as_str));
    let _: () = server.ask(&words);
}

fn login(user: &str) -> Login {
    Login {
        user: Some(user.to_owned()),
        password: "secret".to_owned(),
    }
}

#[tokio::test]
async fn a_user_with_the_consumers_rules_can_do_everything() {
    let server = Server::start();
    set_user(&server, "hexlane", &consumer_rules(&Layout::default()));
    let settings = Settings {
        login: Some(login("hexlane")),
        unsharded: Some(foreign()),
        ..settings(Topology::Single(server.address()))
    };
    let queue = RedisQueue::connect(settings, Setup::clock()).await.unwrap();
    let maps = ["a", "b"].map(|digit| Authority::parse(&digit.repeat(32)).unwrap());
    queue.bind(&maps[0]).await.unwrap();
    queue.rebind(&maps[0], &maps[1]).await.unwrap();
    let heard = queue.arrived(Bell::default()).await.unwrap();
    publish(&queue, &["a", "b"]).await.unwrap();
    queue.arrived(heard).await.unwrap();
    let first = lease(SHARD, 1);
    let mut handed = fetch_all(&queue, &first).await;
    let deferral = handed.remove(0).defer(RetryState::default());
    let settlements = vec![deferral, ack(handed.remove(0))];
    queue.settle(&first, settlements).await.unwrap();
    assert_eq!(waiting(&queue, SHARD).await, (0, 1));
    assert_eq!(drain(&queue, &lease(SHARD, 2)).await, ["a"]);
    let other = lease(Layout::default().unsharded(), 1);
    assert!(fetch_all(&queue, &other).await.is_empty());
}

#[tokio::test]
async fn a_user_with_the_publishers_rules_publishes_and_cannot_read() {
    let server = Server::start();
    let layout = Layout::default();
    set_user(&server, "edge", &publisher_rules(&layout));
    let client = redis::Client::open(format!("redis://edge:secret@{}", server.address()));
    let mut connection = client.unwrap().get_connection().unwrap();
    let envelope = Sample::new("a").envelope();
    let encoded = envelope.encode();
    let terms = Terms::at(Setup::START_US, 60_000);
    let batches = Publish::new().batches(&layout, terms, [(&envelope, encoded)]);
    let answer = batches[0].call.in_full().query(&mut connection).unwrap();
    let words = read_answer(&answer, 1).unwrap();
    assert_eq!(words, [hexlane_streams::Published::Enqueued]);
    let stolen = redis::cmd("XREAD")
        .arg(&["STREAMS", "spatial.events:{007}", "0"])
        .query::<redis::Value>(&mut connection);
    assert_eq!(stolen.unwrap_err().code(), Some("NOPERM"));
}

#[tokio::test]
async fn a_user_who_may_not_is_told_so() {
    let server = Server::start();
    set_user(
        &server,
        "guest",
        &["+info".to_owned(), "+config|get".to_owned()],
    );
    let settings = Settings {
        login: Some(login("guest")),
        ..settings(Topology::Single(server.address()))
    };
    let refused = RedisQueue::connect(settings, Setup::clock()).await;
    let Err(refused) = refused else {
        panic!("connected")
    };
    assert_eq!(refused.code, Code::Settings, "{refused}");
    assert!(refused.to_string().contains("hget"), "{refused}");
}

/// An authority, and a certificate for servers and clients here, as files in that folder.
fn certify(folder: &Path) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    authority
        .distinguished_name
        .push(DnType::CommonName, "the authority");
    let authority_key = KeyPair::generate().unwrap();
    let authority = CertifiedIssuer::self_signed(authority, authority_key).unwrap();
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let leaf = CertificateParams::new(names).unwrap();
    let key = KeyPair::generate().unwrap();
    let leaf = leaf.signed_by(&key, &authority).unwrap();
    let put = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    put("ca.pem", authority.pem());
    put("cert.pem", leaf.pem());
    put("key.pem", key.serialize_pem());
}

/// A server that speaks TLS at a second port.
fn secure_server(folder: &Path) -> (Server, String) {
    certify(folder);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (authority, certificate, key) = (path("ca.pem"), path("cert.pem"), path("key.pem"));
    let server = Server::start_and(&[
        "--tls-port",
        "%BUS%",
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &authority,
        "--tls-auth-clients",
        "yes",
    ]);
    let address = format!("localhost:{}", server.bus());
    (server, address)
}

#[tokio::test]
async fn tls_with_both_certificates_works_and_without_trust_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, address) = secure_server(folder.path());
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let trusted = Settings {
        tls: Some(Tls {
            roots_pem: Some(read("ca.pem")),
            identity_pem: Some((read("cert.pem"), read("key.pem"))),
        }),
        ..settings(Topology::Single(address.clone()))
    };
    let queue = RedisQueue::connect(trusted.clone(), Setup::clock())
        .await
        .unwrap();
    let heard = queue.arrived(Bell::default()).await.unwrap();
    publish(&queue, &["a"]).await.unwrap();
    queue.arrived(heard).await.unwrap();
    assert_eq!(drain(&queue, &lease(SHARD, 1)).await, ["a"]);
    // The system does not trust it; the client has no certificate; no TLS at all.
    for tls in [
        Some(Tls::default()),
        Some(Tls {
            roots_pem: Some(read("ca.pem")),
            identity_pem: None,
        }),
        None,
    ] {
        let other = Settings {
            tls,
            connect_ms: 1_000,
            response_ms: 1_000,
            ..trusted.clone()
        };
        let told = format!("{other:?}");
        let refused = RedisQueue::connect(other, Setup::clock()).await;
        assert!(refused.is_err(), "connected with {told}");
    }
}

#[tokio::test]
async fn certificates_that_are_none_are_a_settings_error() {
    let broken = Settings {
        tls: Some(Tls {
            roots_pem: None,
            identity_pem: Some((b"no".to_vec(), b"no".to_vec())),
        }),
        ..settings(Topology::Single("localhost:1".to_owned()))
    };
    let refused = RedisQueue::connect(broken, Setup::clock()).await;
    let Err(refused) = refused else {
        panic!("connected")
    };
    assert_eq!(refused.code, Code::Settings, "{refused}");
}

#[tokio::test]
async fn an_address_without_a_port_is_a_settings_error() {
    let refused = RedisQueue::connect(
        settings(Topology::Single("localhost".to_owned())),
        Setup::clock(),
    );
    let Err(refused) = refused.await else {
        panic!("connected")
    };
    assert_eq!(refused.code, Code::Settings, "{refused}");
    assert!(refused.to_string().contains("host:port"), "{refused}");
}
