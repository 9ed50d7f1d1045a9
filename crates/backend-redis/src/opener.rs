//! Opening connections: to one server, to the master that sentinels name, to a cluster.
//! `TCP_NODELAY` is on and every answer has a deadline: the client's own defaults are off and
//! half a second.

use crate::connection::send_over;
use crate::failure::Trouble;
use crate::settings::{Login, Settings, Tls, Topology};
use hexlane_streams::Refusal;
use redis::aio::MultiplexedConnection;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::io::tcp::TcpSettings;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ConnectionInfo,
    IntoConnectionInfo, RedisConnectionInfo, RedisError, TlsCertificates, TlsMode,
};
use std::time::Duration;
use tokio::sync::Mutex;

/// Knows how to reach the server.
pub(crate) struct Opener {
    place: Place,
    config: AsyncConnectionConfig,
}

enum Place {
    Single(Box<Client>),
    Sentinel(Mutex<Box<SentinelClient>>),
    Cluster {
        client: Box<ClusterClient>,
        seeds: Vec<Client>,
        settings: Box<Settings>,
    },
}

/// Addresses tried when the node of a slot is looked for: one of them answers with the right
/// one.
const REDIRECTS_MAX: usize = 5;

impl Opener {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Trouble> {
        if settings.tls.is_some() {
            // Another part of the program may have installed it already.
            drop(rustls::crypto::ring::default_provider().install_default());
        }
        let place = match &settings.topology {
            Topology::Single(address) => Place::Single(Box::new(client(settings, address)?)),
            Topology::Sentinel {
                sentinels,
                master,
                login,
            } => {
                let client = sentinel(settings, sentinels, master, login.as_ref())?;
                Place::Sentinel(Mutex::new(Box::new(client)))
            }
            Topology::Cluster(nodes) => Place::Cluster {
                client: Box::new(cluster(settings, nodes)?),
                seeds: nodes
                    .iter()
                    .map(|node| client(settings, node))
                    .collect::<Result<_, _>>()?,
                settings: Box::new(settings.clone()),
            },
        };
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(Duration::from_millis(settings.connect_ms)))
            .set_response_timeout(Some(Duration::from_millis(settings.response_ms)));
        Ok(Self { place, config })
    }

    pub(crate) const fn is_cluster(&self) -> bool {
        matches!(self.place, Place::Cluster { .. })
    }

    /// Whether another server may become the master.
    pub(crate) const fn fails_over(&self) -> bool {
        match self.place {
            Place::Single(_) => false,
            Place::Sentinel(_) | Place::Cluster { .. } => true,
        }
    }

    /// A connection to the cluster as a whole; none when there is no cluster.
    pub(crate) async fn cluster(&self) -> Option<Result<ClusterConnection, Trouble>> {
        let Place::Cluster { client, .. } = &self.place else {
            return None;
        };
        let opened = client.get_async_connection().await;
        Some(opened.map_err(|error| Trouble::of_connect(&error)))
    }

    /// A connection of one's own to the one server, the master, or any node of a cluster.
    pub(crate) async fn open(&self) -> Result<MultiplexedConnection, Trouble> {
        self.open_with(&self.config).await
    }

    /// The same for commands that wait on purpose, which nobody else may share.
    pub(crate) async fn open_waiting(
        &self,
        longest: Duration,
    ) -> Result<MultiplexedConnection, Trouble> {
        let config = self.config.clone().set_response_timeout(Some(longest));
        self.open_with(&config).await
    }

    async fn open_with(
        &self,
        config: &AsyncConnectionConfig,
    ) -> Result<MultiplexedConnection, Trouble> {
        match &self.place {
            Place::Single(client) => connect(client, config).await,
            Place::Sentinel(sentinel) => {
                let master = sentinel.lock().await.async_get_client().await;
                let master = master.map_err(|error| Trouble::of_connect(&error))?;
                connect(&master, config).await
            }
            Place::Cluster { seeds, .. } => {
                let mut last = Trouble::Settings("no node of the cluster is named".to_owned());
                for seed in seeds {
                    match connect(seed, config).await {
                        Ok(connection) => return Ok(connection),
                        Err(trouble) => last = trouble,
                    }
                }
                Err(last)
            }
        }
    }

    /// A connection to the node that has a key, for a command that waits. The nodes are
    /// asked: the wrong one answers `MOVED` and names the right one.
    pub(crate) async fn open_waiting_at(
        &self,
        key: &str,
        longest: Duration,
    ) -> Result<MultiplexedConnection, Trouble> {
        let mut connection = self.open_waiting(longest).await?;
        let Place::Cluster { settings, .. } = &self.place else {
            return Ok(connection);
        };
        let config = self.config.clone().set_response_timeout(Some(longest));
        for _ in 0..REDIRECTS_MAX {
            let asked = redis::cmd("EXISTS").arg(key).to_owned();
            match send_over(&mut connection, &asked).await {
                Ok(_) => return Ok(connection),
                Err(Trouble::Refused(Refusal::Moved { address, .. })) => {
                    let node = client(settings, &address)?;
                    connection = connect(&node, &config).await?;
                }
                Err(trouble) => return Err(trouble),
            }
        }
        let told = format!("{key}: {REDIRECTS_MAX} nodes sent on to another");
        Err(Trouble::Unreachable(told))
    }
}

/// A connection that answers. Without a password the server has not been asked for anything
/// yet: what it wants one for is told here, and not to whoever shares the connection later.
async fn connect(
    client: &Client,
    config: &AsyncConnectionConfig,
) -> Result<MultiplexedConnection, Trouble> {
    let opened = client.get_multiplexed_async_connection_with_config(config);
    let opened = opened.await.map_err(|error| Trouble::of_connect(&error));
    let mut connection = opened?;
    match send_over(&mut connection, &redis::cmd("PING")).await {
        // Who may not even ask that is logged in.
        Ok(_) | Err(Trouble::Refused(Refusal::NotPermitted(_))) => Ok(connection),
        Err(Trouble::AnswerLost(text)) => Err(Trouble::Unreachable(text)),
        Err(trouble) => Err(trouble),
    }
}

fn settings_trouble(error: &RedisError) -> Trouble {
    Trouble::Settings(error.to_string())
}

fn tcp() -> TcpSettings {
    TcpSettings::default().set_nodelay(true)
}

fn host_and_port(address: &str) -> Result<(String, u16), Trouble> {
    let split = address.rsplit_once(':');
    let parsed = split.and_then(|(host, port)| Some((host, port.parse().ok()?)));
    let (host, port) = parsed.filter(|(host, _)| !host.is_empty()).ok_or_else(|| {
        Trouble::Settings(format!("`{address}` is no address: write `host:port`"))
    })?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Ok((host.to_owned(), port))
}

fn address(settings: &Settings, text: &str) -> Result<ConnectionAddr, Trouble> {
    let (host, port) = host_and_port(text)?;
    Ok(if settings.tls.is_some() {
        ConnectionAddr::TcpTls {
            host,
            port,
            insecure: false,
            tls_params: None,
        }
    } else {
        ConnectionAddr::Tcp(host, port)
    })
}

fn login_info(login: Option<&Login>) -> RedisConnectionInfo {
    // The client's greeting is a command of Redis 7.2.
    let info = RedisConnectionInfo::default().set_skip_set_lib_name();
    let Some(login) = login else { return info };
    let info = info.set_password(&login.password);
    match &login.user {
        Some(user) => info.set_username(user),
        None => info,
    }
}

fn info(settings: &Settings, text: &str) -> Result<ConnectionInfo, Trouble> {
    let info = address(settings, text)?
        .into_connection_info()
        .map_err(|error| settings_trouble(&error))?;
    Ok(info
        .set_tcp_settings(tcp())
        .set_redis_settings(login_info(settings.login.as_ref())))
}

fn certificates(tls: &Tls) -> TlsCertificates {
    let identity = tls.identity_pem.as_ref();
    TlsCertificates {
        client_tls: identity.map(|(certificate, key)| ClientTlsConfig {
            client_cert: certificate.clone(),
            client_key: key.clone(),
        }),
        root_cert: tls.roots_pem.clone(),
    }
}

fn client(settings: &Settings, address: &str) -> Result<Client, Trouble> {
    let info = info(settings, address)?;
    let client = match &settings.tls {
        Some(tls) => Client::build_with_tls(info, certificates(tls)),
        None => Client::open(info),
    };
    client.map_err(|error| settings_trouble(&error))
}

fn sentinel(
    settings: &Settings,
    sentinels: &[String],
    master: &str,
    login: Option<&Login>,
) -> Result<SentinelClient, Trouble> {
    let addresses = sentinels.iter().map(|text| address(settings, text));
    let addresses = addresses.collect::<Result<Vec<_>, _>>()?;
    let mut builder = SentinelClientBuilder::new(addresses, master, SentinelServerType::Master)
        .map_err(|error| settings_trouble(&error))?
        .set_client_to_redis_tcp_settings(tcp())
        .set_client_to_sentinel_tcp_settings(tcp());
    if let Some(login) = &settings.login {
        builder = builder.set_client_to_redis_password(&login.password);
        if let Some(user) = &login.user {
            builder = builder.set_client_to_redis_username(user);
        }
    }
    if let Some(login) = login {
        builder = builder.set_client_to_sentinel_password(&login.password);
        if let Some(user) = &login.user {
            builder = builder.set_client_to_sentinel_username(user);
        }
    }
    if let Some(tls) = &settings.tls {
        builder = builder
            .set_client_to_redis_tls_mode(TlsMode::Secure)
            .set_client_to_sentinel_tls_mode(TlsMode::Secure)
            .set_client_to_redis_certificates(certificates(tls))
            .set_client_to_sentinel_certificates(certificates(tls));
    }
    builder.build().map_err(|error| settings_trouble(&error))
}

/// Every command of this crate may be sent again, so the client may follow the cluster by
/// itself; it gives up within the deadline of a command.
fn cluster(settings: &Settings, nodes: &[String]) -> Result<ClusterClient, Trouble> {
    let nodes = nodes.iter().map(|node| info(settings, node));
    let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
    let mut builder = ClusterClient::builder(nodes)
        .tcp_settings(tcp())
        .connection_timeout(Duration::from_millis(settings.connect_ms))
        .response_timeout(Duration::from_millis(settings.response_ms))
        .overall_response_timeout(Some(Duration::from_millis(settings.response_ms)));
    if let Some(tls) = &settings.tls {
        builder = builder.certs(certificates(tls));
    }
    builder.build().map_err(|error| settings_trouble(&error))
}
