//! Connections: accepted, bounded in number and time, and closed without cutting a request.
//!
//! A head that is not HTTP, such as one with a control byte in a header (RFC 9110 section
//! 5.5), is refused by the HTTP library itself: 400, no document, the connection closed. The
//! door never sees it, and the library has no place to say more.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt as _;

/// For the head of a request, from the first byte; also how long a connection may idle.
/// Longer than the usual 60 s of proxies, who should be the ones to close.
const HEAD_WAIT_MAX: Duration = Duration::from_secs(75);
/// Headers of a request: proxies and webhooks add some thirty.
const HEADERS_MAX: usize = 100;
/// Bytes of a request's head and of the read buffer.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// After accepting failed (out of file descriptors): time for connections to end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// For requests in flight when the listener is handed on.
const HAND_OVER_WAIT_MAX: Duration = Duration::from_secs(2);

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// A listener that is bound and not served yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    connections: Arc<Semaphore>,
}

impl Server {
    /// Binds.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn bind(address: SocketAddr, connections_max: usize) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let connections = Arc::new(Semaphore::new(connections_max.min(Semaphore::MAX_PERMITS)));
        Ok(Self {
            listener,
            connections,
        })
    }

    /// The address, with the port that was given for port 0.
    ///
    /// # Errors
    /// When the socket does not know.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Serves until `stop`, then lets requests in flight end, and answers once they have.
pub async fn serve(server: Server, router: Router, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    accept_until(&server, &router, &graceful, stop).await;
    drop(server);
    graceful.shutdown().await;
}

/// The same, and leaves the listener for whoever serves next: nobody is turned away between.
pub(crate) async fn serve_meanwhile(
    server: &Server,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let graceful = GracefulShutdown::new();
    accept_until(server, &router, &graceful, stop).await;
    // Who dawdles over a request is answered by this router still, and holds nobody up.
    drop(tokio::time::timeout(HAND_OVER_WAIT_MAX, graceful.shutdown()).await);
}

async fn accept_until(
    server: &Server,
    router: &Router,
    graceful: &GracefulShutdown,
    stop: impl Future<Output = ()>,
) {
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(server) => accepted,
        };
        match accepted {
            Ok((permit, stream, peer)) => {
                let connection = connection(stream, peer, router.clone(), graceful.watcher());
                tokio::spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn accept(server: &Server) -> std::io::Result<(OwnedSemaphorePermit, TcpStream, SocketAddr)> {
    let permit = Arc::clone(&server.connections).acquire_owned().await;
    let permit = permit.map_err(std::io::Error::other)?;
    let (stream, peer) = server.listener.accept().await?;
    stream.set_nodelay(true)?;
    Ok((permit, stream, peer))
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, watcher: Watcher) {
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, %peer, "a connection ended early");
    }
}
