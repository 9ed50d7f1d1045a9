//! TLS: the certificate is checked, and for the host; nothing falls back to plain text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use hexlane_backend::Code;
use hexlane_backend_postgis::{PostgisMap, Settings, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use support::server::Server;
use support::settings;

/// An authority and its certificate as PEM.
fn authority() -> (Issuer<'static, KeyPair>, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = params.self_signed(&key).unwrap().pem();
    (Issuer::new(params, key), certificate)
}

/// Gives the server a certificate for that host; answers with its authority's file.
async fn certify(server: &Server, host: &str) -> PathBuf {
    let (issuer, authority) = authority();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    let file = |name: &str, text: String| {
        let path = server.folder().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        Server::give(&path);
        path
    };
    let (certificate, key) = (
        file("cert", certificate.pem()),
        file("key", key.serialize_pem()),
    );
    let commands = [
        format!(
            "ALTER SYSTEM SET ssl_cert_file = '{}'",
            certificate.display()
        ),
        format!("ALTER SYSTEM SET ssl_key_file = '{}'", key.display()),
        "ALTER SYSTEM SET ssl = on".to_owned(),
        "SELECT pg_reload_conf()".to_owned(),
    ];
    for command in commands {
        server.sql("postgres", &command).await;
    }
    let on = "SELECT (current_setting('ssl') = 'on')::int::bigint";
    support::until("TLS", async || (server.number(on).await == 1).then_some(())).await;
    file("authority", authority)
}

async fn refused(settings: Settings, word: &str) {
    let failure = PostgisMap::connect(&settings).await.unwrap_err();
    assert_eq!(failure.code, Code::Settings, "{failure}");
    assert!(failure.to_string().contains(word), "{failure}");
}

fn with(server: &Server, tls: Tls) -> Settings {
    Settings {
        tls,
        ..settings(server)
    }
}

#[tokio::test]
async fn a_server_of_the_authority_is_spoken_to_in_tls_alone() {
    let server = Server::start();
    let file = certify(&server, "127.0.0.1").await;
    let map = PostgisMap::connect(&with(&server, Tls::Authority(file)))
        .await
        .unwrap();
    let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                 WHERE application_name = 'hexlane' AND NOT ssl";
    assert_eq!(server.number(plain).await, 0);
    let secured = plain.replace("NOT ssl", "ssl");
    assert_eq!(server.number(&secured).await, 1);
    map.stop().await;
}

#[tokio::test]
async fn another_authority_another_host_and_no_tls_are_refused() {
    let server = Server::start();
    let trusted = server.folder().join("trusted");
    fs::write(&trusted, authority().1).unwrap();
    let tls = || Tls::Authority(trusted.clone());
    refused(with(&server, tls()), "TLS").await;
    let own = certify(&server, "map.example").await;
    refused(with(&server, tls()), "certificate").await;
    refused(with(&server, Tls::System), "certificate").await;
    refused(with(&server, Tls::Authority(own)), "certificate").await;
    let absent = server.folder().join("absent");
    refused(with(&server, Tls::Authority(absent)), "absent").await;
    let mut demanding = with(&server, Tls::Off);
    demanding.url.push_str("?sslmode=require");
    refused(demanding, "requires TLS").await;
}
