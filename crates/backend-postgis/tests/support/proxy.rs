//! A line between client and server on which answers can be lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// Carries bytes both ways until it is told to lose the answers, or to cut every line.
#[derive(Clone)]
pub struct Proxy {
    pub port: u16,
    deaf: Arc<AtomicBool>,
    cut: Arc<Notify>,
}

impl Proxy {
    pub async fn before(server_port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            deaf: Arc::default(),
            cut: Arc::default(),
        };
        let carrier = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", server_port)).await;
                let carrier = carrier.clone();
                if let Ok(server) = server {
                    tokio::spawn(async move { carrier.carry(client, server).await });
                }
            }
        });
        proxy
    }

    /// From now on the server's answers are lost.
    pub fn lose_answers(&self) {
        self.deaf.store(true, Ordering::SeqCst);
    }

    /// Ends every line; new ones carry answers again.
    pub fn cut(&self) {
        self.deaf.store(false, Ordering::SeqCst);
        self.cut.notify_waiters();
    }

    async fn carry(&self, mut client: TcpStream, mut server: TcpStream) {
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = server.split();
        let questions = tokio::io::copy(&mut from_client, &mut to_server);
        let answers = async {
            let mut bytes = vec![0; 16 * 1024];
            while let Ok(count @ 1..) = from_server.read(&mut bytes).await {
                if self.deaf.load(Ordering::SeqCst) {
                    continue;
                }
                if to_client.write_all(&bytes[..count]).await.is_err() {
                    break;
                }
            }
        };
        tokio::select! {
            _ = questions => {}
            () = answers => {}
            () = self.cut.notified() => {}
        }
    }
}
