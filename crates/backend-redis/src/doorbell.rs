//! The doorbell: `XREAD BLOCK`, which changes nothing, on connections that nobody shares. One
//! server is asked for all streams at once; in a cluster each stream has its own connection,
//! because a call may touch one slot only.

use crate::connection::{call_over, send_over};
use crate::failure::{Trouble, malformed};
use crate::opener::Opener;
use crate::scripts::Scripts;
use hexlane_backend::{Bell, Failure};
use redis::aio::MultiplexedConnection;
use redis::{Cmd, Value, cmd};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

/// Beside the wait itself: the network, and a server that is busy.
const GRACE: Duration = Duration::from_secs(5);

/// Before a lost connection is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// Rings when something comes onto a stream.
pub(crate) struct Doorbell {
    listening: Listening,
    streams: Vec<String>,
    /// Started by the first who waits, ended when the queue is dropped.
    listeners: Mutex<JoinSet<()>>,
}

#[derive(Clone)]
struct Listening {
    opener: Arc<Opener>,
    scripts: Arc<Scripts>,
    block: Duration,
    heard: watch::Sender<Heard>,
}

#[derive(Clone, Debug, Default)]
struct Heard {
    rung: u64,
    losses: u64,
    loss: Option<Failure>,
}

impl Doorbell {
    pub(crate) fn new(
        opener: Arc<Opener>,
        scripts: Arc<Scripts>,
        streams: Vec<String>,
        block: Duration,
    ) -> Self {
        let listening = Listening {
            opener,
            scripts,
            block,
            heard: watch::Sender::default(),
        };
        Self {
            listening,
            streams,
            listeners: Mutex::default(),
        }
    }

    /// Waits until it has rung more often than that. Fails when a connection is lost
    /// meanwhile; it is opened again, and rings then, because nobody listened.
    pub(crate) async fn rung_after(&self, bell: Bell) -> Result<Bell, Failure> {
        let mut heard = self.listening.heard.subscribe();
        let losses = heard.borrow().losses;
        self.start().await;
        loop {
            {
                let now = heard.borrow_and_update();
                if now.rung > bell.0 {
                    return Ok(Bell(now.rung));
                }
                if let Some(loss) = now.loss.as_ref().filter(|_| now.losses > losses) {
                    return Err(loss.clone());
                }
            }
            let changed = heard.changed().await;
            changed.map_err(|_| malformed("the doorbell is gone"))?;
        }
    }

    async fn start(&self) {
        let mut listeners = self.listeners.lock().await;
        if !listeners.is_empty() {
            return;
        }
        let each = if self.listening.opener.is_cluster() {
            1
        } else {
            self.streams.len().max(1)
        };
        for streams in self.streams.chunks(each) {
            let streams = streams.to_vec();
            listeners.spawn(self.listening.clone().listen_for_ever(streams));
        }
    }
}

impl Listening {
    async fn listen_for_ever(self, streams: Vec<String>) {
        loop {
            let Err(trouble) = self.listen(&streams).await else {
                continue;
            };
            self.heard.send_modify(|heard| {
                heard.losses += 1;
                heard.loss = Some(trouble.failure());
            });
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Until the connection is lost.
    async fn listen(&self, streams: &[String]) -> Result<(), Trouble> {
        let longest = self.block + GRACE;
        let first = streams.first().map_or("", String::as_str);
        let mut connection = self.opener.open_waiting_at(first, longest).await?;
        let mut last = self.last_ids(&mut connection, streams).await?;
        loop {
            self.heard.send_modify(|heard| heard.rung += 1);
            let wait = wait(streams, &last, self.block);
            while send_over(&mut connection, &wait).await? == Value::Nil {}
            last = self.last_ids(&mut connection, streams).await?;
        }
    }

    async fn last_ids(
        &self,
        connection: &mut MultiplexedConnection,
        streams: &[String],
    ) -> Result<Vec<String>, Trouble> {
        let call = self.scripts.last.call(streams.iter().map(String::as_str));
        let answer = call_over(connection, &call).await?;
        redis::from_redis_value(answer).map_err(|error| Trouble::Malformed(error.to_string()))
    }
}

/// One entry is enough to ring; what comes after the last ids is not missed.
fn wait(streams: &[String], last: &[String], block: Duration) -> Cmd {
    let mut command = cmd("XREAD");
    command.arg("COUNT").arg(1).arg("BLOCK");
    command.arg(u64::try_from(block.as_millis()).unwrap_or(u64::MAX));
    command.arg("STREAMS").arg(streams).arg(last);
    command
}
